"""The floor of a board's message: what it takes however good the firmware is, and how near the board comes to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from airwire.board.row import BULK, BoardRow
from airwire.explain.board.cause import apart
from airwire.explain.board.causes import is_look
from airwire.explain.quantities import rough_time
from airwire.explain.waterfall import board_waterfalls
from airwire.kinds import Cause
from airwire.model import Capture
from airwire.stage import Stage

# Below this share other causes matter, and the sentence would distract from them.
_NEAR = 0.5


@dataclass(frozen=True, slots=True)
class Floor:
    """What a message takes in any case.

    The bytes over SPI at the highest SCK of the chip, the chip's own time from SEND to the wire and from the wire to
    its memory, the frames on the wire, and the PC's answer; of two boards the share of either. Looks at a register that
    saw nothing new are not among it.
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

    An interval of a bulk transfer is as long as somebody chose, whatever happens in it: that has no floor.
    """
    board = row.target
    if board.problem is not None or board.measure == BULK:
        return None
    found = board_waterfalls(row, percentiles=(50,))
    if not found or found[0].total_ps <= 0:
        return None
    stages = found[0].stages
    if board.peer is None:
        return floor(stages, board.evidence)
    own, theirs = (floor(*one) for one in zip(apart(stages), (board.evidence, board.peer.evidence), strict=True))
    return Floor(*(one + other for one, other in zip(astuple(own), astuple(theirs), strict=True)))


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
