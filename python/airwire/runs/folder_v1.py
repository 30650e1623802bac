"""Reads what run folders of schema ``airwire.run/1`` hold of stages: names in words, from which it makes codes.

Nothing else reads words back, and nothing writes such folders any more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airwire.kinds import Cause, Site, Subject

if TYPE_CHECKING:
    import polars as pl

SCHEMA = "airwire.run/1"
COLUMNS = ("run", "index", "stage", "kind", "start_ps", "end_ps", "bytes")
"""Of spans."""

Codes = tuple[Cause, Site, Subject | None, str | None]
"""Cause, site, subject and detail."""

_PEER = "the peer: "
_ENDS = {"the board": "board", "the PC": "pc", "the peer": "peer", "its other end": "board"}
_UNDER_WAY = {
    "frames on the wire": "frames",
    "on the way through Wi-Fi": "wifi",
    "delay of the cable": "delay",
    "in the switch": "switch",
    "nothing under way": "nothing",
}
_OF_BOARDS: Mapping[str, tuple[tuple[str, Subject | None], ...]] = {
    "bus": (
        ("headers over SPI", "headers"),
        ("payload over SPI", "payload"),
        ("pointers and sizes over SPI", "pointers"),
        ("commands over SPI", "commands"),
        ("status and interrupts over SPI", "status"),
        ("other registers over SPI", "other_registers"),
        ("looking at (?P<name>.+) over SPI", "register"),
    ),
    "cpu": (
        ("SPI stands still between bytes", "spi_pause"),
        ("the processor in (?P<name>.+)", "function"),
        ("the processor at work", None),
    ),
    "console": (("waiting for room in the console's UART", None),),
    "chip": (
        ("the chip, from SEND to the wire", "sending"),
        ("the chip, from the wire to its memory", "receiving"),
    ),
    "wire": (("frames on the wire to (?P<end>.+)", "frames"),),
    "delay": (("delay of the cable", None),),
    "window": (
        ("window full: (?P<under_way>.+)", "window"),
        ("acknowledgement awaited: (?P<under_way>.+)", "acknowledgement"),
    ),
    "pc": ((".+", None),),
    "protocol": (
        ("silence until (?P<end>.+)'s delayed acknowledgement", "delayed_acknowledgement"),
        ("silence until (?P<end>.+) sends again", "retransmission"),
    ),
    "gate": (
        ("asleep until a timer", "timer"),
        ("asleep until a timer after (?P<name>.+)", "command"),
        ("asleep until a timer between looks at buffer", "memory"),
        ("asleep until a timer between looks at reserved", "reserved"),
        ("asleep until a timer between looks at (?P<name>.+)", "register"),
        ("answer held back by the (board|peer)( until (?P<end>.+) sends again)?", "held_answer"),
    ),
    "sleep": (
        ("asleep", None),
        ("asleep until INTn", "pin"),
        ("asleep until an event", "event"),
        ("asleep until an exception", "interrupt"),
        ("asleep until (?P<name>.+)", "interrupt"),
    ),
    "empirical": (("unexplained", None),),
}


def link_codes(name: str, kind: Cause) -> Codes:
    """A part of a link: its name was the link's own, and is so still."""
    return kind, "link", "part", name


def board_codes(name: str, kind: Cause) -> Codes:
    """A stage of a board, or of its peer; one of unknown words keeps them as a name."""
    words, site = name.removeprefix(_PEER), _site(name, kind)
    for pattern, subject in _OF_BOARDS.get(kind, ()):
        found = re.fullmatch(pattern, words)
        if found:
            return kind, site, subject, _detail(found.groupdict())
    return kind, site, "part", words


def _site(name: str, kind: Cause) -> Site:
    if name.startswith(_PEER):
        return "peer"
    if kind in ("wire", "delay"):
        return "wire"
    # Where two boards play, the time in which the other one has the message is that of the one that waits.
    return "pc" if kind == "pc" and _ENDS.get(name) == "pc" else "board"


def _detail(found: Mapping[str, str | None]) -> str | None:
    known = {"end": _ENDS, "under_way": _UNDER_WAY}
    return next((known.get(group, {}).get(text, text) for group, text in found.items() if text), None)


def upgraded(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the budgets of links as they are now. What is missing stays so, for the reader to refuse."""
    rows = manifest.get("rows")
    for row in rows if isinstance(rows, list) else []:
        budget = row.get("budget") if isinstance(row, dict) else None
        if isinstance(budget, list):
            row["budget"] = [_stage(stage) for stage in budget]
    return manifest


def _stage(stage: Any) -> Any:
    if not isinstance(stage, dict):
        return stage
    renamed = {{"name": "detail", "kind": "cause"}.get(field, field): value for field, value in stage.items()}
    return {**renamed, "site": "link", "subject": "part"}


def spans(table: pl.DataFrame, *, of_board: bool) -> pl.DataFrame:
    """The spans of one row with codes in the place of names."""
    import polars as pl

    codes_of = board_codes if of_board else link_codes
    pairs = table.select("stage", "kind").unique().rows()
    texts = ("cause", "site", "subject", "detail")
    known = pl.DataFrame(
        [(*pair, *codes_of(*pair)) for pair in pairs],
        schema=dict.fromkeys(("stage", "kind", *texts), pl.String),
        orient="row",
    )
    joined = table.join(known, on=["stage", "kind"], how="left", maintain_order="left")
    return joined.select("run", "index", *texts, "start_ps", "end_ps", "bytes")
