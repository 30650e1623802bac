"""A stage of a message's way: what the time is spent on, whose time it is, and what it is about.

The codes are those of the core (``_core.CAUSES`` and its like), as run folders hold them; ``docs/run-folder.md`` says
what each means. Whatever is decided about a stage is decided by them: its name is for people alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

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
    "command",
    "function",
    "timer",
    "pin",
    "interrupt",
    "event",
    "held_answer",
    "frames",
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


@dataclass(frozen=True, slots=True)
class Stage:
    """A share of a message's time, under a name for people."""

    name: str
    cause: Cause
    ps: float
    site: Site = "link"
    subject: Subject | None = "part"
    detail: str | None = None
    """Which one of the subject's sort: a register, a command, a function, an end, or a link's own name for the part."""

    @property
    def kind(self) -> Cause:
        """The cause, by the name that JSON has for it."""
        return self.cause


def link_stage(entry: Mapping[str, Any]) -> Stage:
    """A part of a link from its entry in a manifest or in the core's answer; the link gives it its name."""
    return Stage(entry["detail"], entry["cause"], entry["ps"], entry["site"], entry["subject"], entry["detail"])
