"""Peers with one known cause of time each, how they are asked, and which verdicts are right.

All of it happens in a network namespace of its own, whose loopback interface has Ethernet's MTU.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A peer, a load and what is to be said."""

    name: str
    peer: str
    """Of ``tests/outside_peers.py``; with ``is_board`` an image below ``build/firmware``."""
    ms: float
    right: frozenset[str]
    """Kinds of the first verdict; none where no cause is to be named."""
    probe: str = "pingpong"
    options: dict[str, str] = field(default_factory=dict)
    samples: int | None = 60
    limit: str = "20 s"
    wire: tuple[float, float, float] | None = None
    """The share of packets that are lost, the delay and its jitter in ms, each way; none for loopback."""
    micropython: bool = False
    packets: frozenset[str] | None = None
    """Kinds with a recording of the packets, where those are not the same."""
    is_board: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    """Settings of the image."""
    port: int = 5600


NONE: frozenset[str] = frozenset()


def _right(*kinds: str) -> frozenset[str]:
    return frozenset(kinds)


def _asked(dither: str = "", first: str = "100") -> dict[str, str]:
    return {"first_number": first, **({"dither": dither} if dither else {})}


CASES = (
    Case("a poll every 64 ms, dithered", "poll", 64, _right("poll_period"), options=_asked("80ms")),
    Case("a poll every 20 ms, dithered by 8 ms", "poll", 20, _right("poll_period"), options=_asked("8ms"), samples=120),
    Case("a poll every 64 ms, without a pause", "poll", 64, _right("poll_or_timer"), options=_asked()),
    Case("a tick every 10 ms, dithered", "tick", 10, _right("poll_period"), options=_asked("15ms"), samples=150),
    Case("a tick every 250 ms, dithered", "tick", 250, _right("lwip_timer"), options=_asked("250ms"), samples=40),
    Case("a beacon every 102.4 ms, dithered", "tick", 102.4, _right("wifi_power_save"), options=_asked("150ms")),
    Case(
        "a DTIM every 204.8 ms, dithered", "tick", 204.8, _right("wifi_power_save"), options=_asked("210ms"), samples=40
    ),
    Case("a sleep of 50 ms for each question, dithered", "hold", 50, _right("own_timer"), options=_asked("60ms")),
    Case("an answer in two writes, Nagle on", "pieces", 0, _right("nagle"), options=_asked()),
    Case("an answer in two writes 64 ms apart", "pieces", 64, _right("pieces"), options=_asked()),
    Case(
        "an answer in two writes 41 ms apart, Nagle off",
        "pieces",
        41,
        _right("nagle"),
        options=_asked(),
        packets=_right("pieces"),
    ),
    Case(
        "3 % of the packets are lost",
        "prompt",
        0,
        _right("retransmission"),
        options=_asked(),
        samples=300,
        limit="60 s",
        wire=(0.03, 0.1, 0.02),
    ),
    Case(
        "connections over a way of 5 ms",
        "http",
        0,
        _right("connection"),
        "http",
        {"keep_alive": "false", "requests": "60"},
        wire=(0, 2.5, 0.1),
    ),
    Case(
        "a receiver with a small buffer",
        "small_window",
        3,
        NONE,
        "throughput",
        {"send": "100kB"},
        None,
        packets=_right("window"),
    ),
    Case(
        "MicroPython looks every 30 ms, dithered",
        "poll",
        30,
        _right("poll_period"),
        options=_asked("40ms"),
        micropython=True,
    ),
    Case(
        "MicroPython sleeps 25 ms for each question",
        "hold",
        25,
        _right("own_timer"),
        options=_asked("40ms"),
        micropython=True,
    ),
    Case("nothing: loopback", "prompt", 0, NONE, options=_asked(), samples=300),
    Case("nothing: loopback, dithered", "prompt", 0, NONE, options=_asked("10ms"), samples=150),
    Case(
        "nothing: a way of 4 ms that varies",
        "prompt",
        0,
        NONE,
        options=_asked(),
        samples=150,
        wire=(0, 2, 0.5),
    ),
    Case("nothing: MicroPython at once", "prompt", 0, NONE, options=_asked("5ms"), samples=150, micropython=True),
    Case(
        "virtual board: lwIP looks every 64 ms, dithered",
        "w5500-evb-pico/pingpong_server-lwip_raw.elf",
        64,
        _right("poll_period"),
        options=_asked("80ms"),
        is_board=True,
        settings={"wiznet_int": "off", "wiznet_poll_us": "64ms"},
        port=5000,
    ),
    Case(
        "virtual board: ioLibrary looks every 20 ms, dithered",
        "w5500-evb-pico/pingpong_server-hardware.elf",
        20,
        _right("poll_period"),
        options=_asked("25ms"),
        samples=120,
        is_board=True,
        settings={"wiznet_int": "off", "wiznet_poll_us": "20ms"},
        port=5000,
    ),
    Case(
        "virtual board: output left to lwIP's 250 ms timer, dithered",
        "w5500-evb-pico/streams-lwip_raw.elf",
        250,
        _right("lwip_timer"),
        options={"payload": "bytes", "size": "16B", "dither": "250ms"},
        samples=40,
        is_board=True,
        settings={"output_rule": "1"},
        port=7,
    ),
    Case(
        "virtual board: lwIP's own settings, a window of four segments",
        "w5500-evb-pico/sink-lwip_raw-default.elf",
        0,
        NONE,
        "throughput",
        {"send": "300kB"},
        None,
        is_board=True,
        port=9,
        packets=_right("window"),
    ),
    Case(
        "nothing: virtual board with its interrupt",
        "w5500-evb-pico/pingpong_server-lwip_raw.elf",
        0,
        NONE,
        options=_asked("5ms"),
        samples=150,
        is_board=True,
        port=5000,
    ),
)
