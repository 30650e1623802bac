"""Closed sets of names, each once: what run folders, JSON output and the types of Python take."""

from __future__ import annotations

from typing import Literal, get_args

PairingRule = Literal["strict", "fifo", "published"]
"""How done edges are given to triggers."""
Pairing = Literal["strict", "fifo", "published", "known"]
"""The same, with ``known`` of the virtual bench, which knows what became of each message."""
PAIRING_RULES: tuple[PairingRule, ...] = get_args(PairingRule)

FindingKind = Literal["gate", "frozen_phase", "phase_coverage", "comb", "steps", "drift", "bursts", "loss_as_latency"]
"""What a detector found."""

Shape = Literal["grid", "hold", "grid_or_hold", "late_rest", "back_off", "opening"]
"""What exchanges with a peer show of it from outside."""

PacketCause = Literal["nagle", "one_at_a_time", "window", "retransmission", "answer", "pause", "opening"]
"""What silences of a TCP connection were spent on."""
PacketSide = Literal["client", "peer"]
"""Who asked for a connection, and who was asked."""

# The codes of stages are those of the core (``_core.CAUSES`` and its like): a test holds them together.
Cause = Literal[
    "cpu",
    "bus",
    "air",
    "gate",
    "protocol",
    "retry",
    "queue",
    "wire",
    "delay",
    "window",
    "pc",
    "chip",
    "sleep",
    "console",
    "empirical",
]
"""What a time is spent on."""

Site = Literal["board", "peer", "wire", "pc", "link"]
"""Whose time it is."""

Subject = Literal[
    "headers",
    "payload",
    "pointers",
    "commands",
    "status",
    "other_registers",
    "spi_pause",
    "register",
    "memory",
    "reserved",
    "timed_look",
    "command",
    "function",
    "timer",
    "clock",
    "pin",
    "interrupt",
    "event",
    "held_answer",
    "frames",
    "usb_packets",
    "characters",
    "window",
    "acknowledgement",
    "sending",
    "receiving",
    "delayed_acknowledgement",
    "retransmission",
    "part",
]
"""What a time is about, where its cause does not say that."""

UnderWay = Literal["frames", "wifi", "delay", "switch", "nothing"]
"""What is under way while a sender waits: the detail of the subjects ``window`` and ``acknowledgement``."""

Measure = Literal["messages", "requests", "latency", "bulk"]
"""What is measured of a board."""
ArrivalClock = Literal["kernel", "program"]
"""Who reads the clock when something arrives at this computer."""
Adds = Literal["computer", "network"]
"""What stands between a board and who measures it."""
Answered = Literal["ok", "wrong", "timed_out", "reset", "late"]
"""How a message ended for the client or the server that exchanged it."""
Statistic = Literal["median", "mean"]
"""Which figure stands for latencies."""
ComparedAs = Literal["absolute", "ratio", "mechanism"]
"""How a figure is compared with a published one."""
Sender = Literal["board", "pc"]
"""Who sends the data of a bulk transfer."""
LossCause = Literal[
    "timed_out",
    "late",
    "wrong",
    "reset",
    "too_many_connections",
    "busy",
    "protocol_version",
    "identifier",
    "too_many_sessions",
    "credentials",
    "malformed",
    "silent",
    "stalled",
    "tls",
    "unsupported",
    "no_file",
    "no_address",
    "no_room",
    "unacknowledged",
    "missing",
]
"""Why a message was lost, or a peer turned away."""
Awaited = Literal["start", "link", "address", "ipv6-address", "settling", "pc-address"]
"""What a client waits for: its time, the link or the address of the board, or that address to stay the same."""
Stack = Literal["chip", "firmware"]
"""Whose TCP a board has."""

Relation = Literal["<=", "<", ">=", ">"]
"""How a figure is to stand to its limit."""
Shift = Literal["slower", "faster", "same", "too_few", "no_figure"]
"""What became of a row between two runs. ``same``: the interval holds 0. ``too_few``: too few messages for an interval.
``no_figure``: it has lost its figure."""

RunEnd = Literal[
    "time",
    "text",
    "pin",
    "done",
    "asleep",
    "no-clock",
    "fault",
    "locked-up",
    "ended",
    "boot-loader",
    "breakpoint",
    "killed",
    "interrupted",
]
"""How the run of a board ended."""
InputKind = Literal["keyboard", "mouse", "other"]
"""What an input device at USB is."""

Speaks = Literal[
    "http",
    "echo",
    "counter",
    "counter_lines",
    "source",
    "greeting",
    "text",
    "sink",
    "closes",
    "refuses",
    "silent",
]
"""What an open port of a board does with what it is sent."""
Transport = Literal["tcp", "udp"]
"""Over what a board calls somebody."""

Understanding = Literal["derived", "derived-retry", "phase-limited", "empirical"]
"""How well the model of a link is understood."""
LedgerMode = Literal["phase-free", "this-run"]
"""What a model is held against: any phase, or those of the capture."""

DRAWABLE = (".svg", ".png", ".html")
"""The endings of a single figure's file."""
