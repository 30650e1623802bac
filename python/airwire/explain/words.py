"""The words for stages: one table from what a stage is to what people read. No other module gives a stage its name, and
nothing reads a name back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from airwire.kinds import Cause, Site, Subject, UnderWay
from airwire.stage import Stage

LOOKED_AT: tuple[Subject, ...] = ("register", "memory", "reserved")
"""Of the chip, what a board can look at."""

_WORDS: Mapping[tuple[Cause, Subject | None], str] = {
    ("bus", "headers"): "headers over SPI",
    ("bus", "payload"): "payload over SPI",
    ("bus", "pointers"): "pointers and sizes over SPI",
    ("bus", "commands"): "commands over SPI",
    ("bus", "status"): "status and interrupts over SPI",
    ("bus", "other_registers"): "other registers over SPI",
    ("bus", "frames"): "frames to {end} over gSPI",
    ("bus", "register"): "looking at {detail} over SPI",
    ("cpu", "spi_pause"): "SPI stands still between bytes",
    ("cpu", "function"): "the processor in {detail}",
    ("cpu", None): "the processor at work",
    ("console", None): "waiting for room in the console's UART",
    ("chip", "sending"): "the chip, from SEND to the wire",
    ("chip", "receiving"): "the chip, from the wire to its memory",
    ("chip", "frames"): "the radio's own processor, frames to {end}",
    ("wire", "frames"): "frames on the wire to {end}",
    ("air", "frames"): "frames over Wi-Fi to {end}",
    ("gate", "frames"): "frames to {end} kept until a beacon",
    ("wire", "usb_packets"): "frames over USB to {end}",
    ("wire", "characters"): "characters on the serial line to {end}",
    ("delay", None): "delay of the cable",
    ("window", "window"): "window full: {under_way}",
    ("window", "acknowledgement"): "acknowledgement awaited: {under_way}",
    ("pc", None): "{other}",
    ("protocol", "delayed_acknowledgement"): "silence until {end}'s delayed acknowledgement",
    ("protocol", "retransmission"): "silence until {end} sends again",
    ("gate", "timer"): "asleep until a timer",
    ("gate", "clock"): "looking at the clock in {detail}",
    ("gate", "command"): "asleep until a timer after {detail}",
    ("gate", "register"): "asleep until a timer between looks at {detail}",
    ("gate", "memory"): "asleep until a timer between looks at buffer",
    ("gate", "reserved"): "asleep until a timer between looks at reserved",
    ("gate", "timed_look"): "not seen until a timer's interrupt looks at {detail}",
    ("gate", "held_answer"): "answer held back by {own}{until}",
    ("sleep", "pin"): "asleep until INTn",
    ("sleep", "interrupt"): "asleep until {detail}",
    ("sleep", "event"): "asleep until an event",
    ("sleep", None): "asleep",
    ("empirical", None): "unexplained",
}
# Of stages that the network has between two ends and the PC as well.
_WORDS_OF_THE_PC: Mapping[tuple[Cause, Subject | None], str] = {
    ("air", "frames"): "frames over the PC's own Wi-Fi to {end}",
}
# What stands in the place of a detail that is not known.
_NAMELESS: Mapping[Subject, str] = {"function": "other functions", "clock": "a loop", "interrupt": "an exception"}
_UNDER_WAY: Mapping[UnderWay, str] = {
    "frames": "frames on the wire",
    "wifi": "on the way through Wi-Fi",
    "delay": "delay of the cable",
    "switch": "in the switch",
    "nothing": "nothing under way",
}
_ENDS: Mapping[Site, str] = {"board": "the board", "pc": "the PC", "peer": "the peer"}
_ITS_OTHER_END = "its other end"


def stage_of(cause: Cause, site: Site, subject: Subject | None, detail: str | None, ps: float) -> Stage:
    """A stage with its name."""
    return Stage(stage_name(cause, site, subject, detail), cause, ps, site, subject, detail)


def stage_name(cause: Cause, site: Site, subject: Subject | None, detail: str | None) -> str:
    """What people read: of a peer with ``the peer:`` before it."""
    words = _words(cause, site, subject, detail)
    return f"the peer: {words}" if site == "peer" else words


def name_at_its_site(stage: Stage) -> str:
    """The name of a stage where it is said whose time it is."""
    return _words(stage.cause, stage.site, stage.subject, stage.detail)


def looked_at(stage: Stage) -> str:
    """What a board looks at in a stage: a register, or the chip's memory."""
    return {"memory": "buffer", "reserved": "reserved"}.get(stage.subject or "", stage.detail or "")


def function_of(stage: Stage) -> str:
    """The function in which the processor works; that it works, where its name is not known."""
    if stage.subject != "function":
        return name_at_its_site(stage)
    return stage.detail or _NAMELESS["function"]


def under_way_of(stage: Stage) -> str:
    """What is under way while a sender waits."""
    return _UNDER_WAY.get(cast("UnderWay", stage.detail), stage.detail or "")


def end_of(stage: Stage) -> str:
    """The end that a stage is about: the one that acknowledges, or sends again."""
    return _end(stage.detail)


def own_end(site: Site) -> str:
    """The board whose time it is."""
    return _ENDS["peer" if site == "peer" else "board"]


def other_end(site: Site) -> str:
    """The end that has the message while a board waits for its answer."""
    return {"pc": _ENDS["pc"], "peer": _ENDS["board"]}.get(site, _ENDS["peer"])


def _end(code: str | None) -> str:
    return _ENDS.get(cast("Site", code), code or "")


def _words(cause: Cause, site: Site, subject: Subject | None, detail: str | None) -> str:
    of_pc = _WORDS_OF_THE_PC.get((cause, subject)) if site == "pc" else None
    template = of_pc or _WORDS.get((cause, subject))
    if template is None:
        # A part of a link, which has its own name; else the codes of what is newer than these words.
        return detail if subject == "part" and detail else " ".join(filter(None, (cause, subject, detail)))
    end = _ITS_OTHER_END if site == "peer" and detail != "peer" else _end(detail)
    return template.format(
        detail=detail or _NAMELESS.get(subject or "part", ""),
        end=end,
        own=own_end(site),
        other=_ITS_OTHER_END if site == "peer" else other_end(site),
        until=f" until {end} sends again" if detail else "",
        under_way=_UNDER_WAY.get(cast("UnderWay", detail), detail or ""),
    )
