"""The floor of a board's message: what it takes however good the firmware is, and how near the board comes to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING

from airwire.board.row import BULK, BoardRow
from airwire.explain.board.cause import apart
from airwire.explain.board.causes import is_look
from airwire.explain.quantities import rough_time
from airwire.explain.waterfall import board_waterfalls
from airwire.kinds import Cause
from airwire.model import Capture
from airwire.stage import Stage

if TYPE_CHECKING:
    import polars as pl

# Below this share other causes matter, and the sentence would distract from them.
_NEAR = 0.5


@dataclass(frozen=True, slots=True)
class Floor:
    """What a message takes in any case.

    The bytes over SPI at the highest SCK of the chip, the chip's own time from SEND to the wire and from the wire to
    its memory, the frames on the wire, and the PC's answer; of two boards the share of either. Looks at a register that
    saw nothing new are not among it, nor is what happens while an answer is held back.
    """

    bus_ps: float
    chip_ps: float
    wire_ps: float
    pc_ps: float
    message_ps: float
    """What the message takes here."""

    @property
    def ps(self) -> float:
        """The floor."""
        return self.bus_ps + self.chip_ps + self.wire_ps + self.pc_ps

    @property
    def share(self) -> float:
        """The floor divided by what the message takes."""
        return self.ps / self.message_ps


def floor_of(row: Capture[BoardRow]) -> Floor | None:
    """The floor of the messages near the median; nothing where none was traced.

    An interval of a bulk transfer is as long as somebody chose, whatever happens in it: that has no floor. Nor has a
    message whose answer was held back until the other end sent again, as both then send and read more than it needs.
    """
    board = row.target
    if board.problem is not None or board.measure == BULK:
        return None
    found = board_waterfalls(row, percentiles=(50,))
    if not found or found[0].total_ps <= 0:
        return None
    stages = found[0].stages
    at_least, held = stages, [stage for stage in stages if stage.subject == "held_answer"]
    if any(stage.detail for stage in held):
        return None
    if held:
        needed = replace(row, target=replace(board, load_spans=lambda: _outside_of_holds(board.spans)))
        at_least = board_waterfalls(needed, percentiles=(50,))[0].stages
    if board.peer is None:
        lowest = floor(at_least, board.evidence)
    else:
        own, theirs = (floor(*one) for one in zip(apart(at_least), (board.evidence, board.peer.evidence), strict=True))
        lowest = Floor(*(one + other for one, other in zip(astuple(own), astuple(theirs), strict=True)))
    return replace(lowest, message_ps=sum(stage.ps for stage in stages))


def _outside_of_holds(spans: pl.DataFrame) -> pl.DataFrame:
    """Spans without what happens while an answer is held back, as polls that see nothing new or a retransmission.

    That wait ends with its timer, whatever else is done meanwhile. It ends with a frame of who holds the answer back.
    """
    import polars as pl

    spans = spans.sort("index", "start_ps", maintain_order=True)
    is_held, start, end = pl.col("subject") == "held_answer", pl.col("start_ps"), pl.col("end_ps")
    for site in spans.filter(is_held)["site"].unique(maintain_order=True):
        leaves = ((pl.col("cause") == "wire") & (pl.col("detail") != site)).fill_null(value=False)
        spans = spans.with_columns(frames=leaves.cum_sum().over("index"))
        own = is_held & (pl.col("site") == site)
        first = pl.when(own).then(start).min().over("index", "frames")
        last = pl.when(own).then(end).max().over("index", "frames")
        inside = ((start >= first) & (end <= last) & ~own).fill_null(value=False)
        spans = spans.filter(~inside).drop("frames")
    return spans


def floor(stages: Sequence[Stage], evidence: Mapping[str, float | None]) -> Floor:
    """The floor of a message of these stages."""

    def of(cause: Cause) -> float:
        return sum(stage.ps for stage in stages if stage.cause == cause and not is_look(stage))

    sck, highest = evidence.get("sck_hz"), evidence.get("highest_sck_hz")
    at_highest = min(1.0, sck / highest) if sck and highest else 1.0
    total = sum(stage.ps for stage in stages)
    return Floor(of("bus") * at_highest, of("chip"), of("wire"), of("pc"), total)


def floor_sentence(row: Capture[BoardRow]) -> str | None:
    """``Floor 67 us (bus 8 us, chip 2 us, wire 13 us, PC 44 us): 0.71 of the message.``, where it is near to that."""
    found = floor_of(row)
    if found is None or found.share < _NEAR:
        return None
    parts = (("bus", found.bus_ps), ("chip", found.chip_ps), ("wire", found.wire_ps), ("PC", found.pc_ps))
    named = ", ".join(f"{name} {rough_time(ps)}" for name, ps in parts if ps > 0)
    return f"Floor {rough_time(found.ps)} ({named}): {found.share:.2g} of the message."
