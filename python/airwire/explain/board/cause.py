"""One cause of a board's verdict: what takes time, under a name that programs may rely on, and what to do about it.

A cause is named only where its share of the time is on the table: every sentence says how much of which time it is.
What no stage explains is named as well. Where two boards play, the stages of each stand apart, and so do its causes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from airwire.explain.quantities import percent, rough_time
from airwire.kinds import Cause
from airwire.link.model import Waterfall
from airwire.stage import Stage

Amount = Callable[[float], str]
"""How sentences say picoseconds: as a time, or as a share of the whole."""

_MOST_CAUSES = 2
_REMAINDER = 0.01


@dataclass(frozen=True, slots=True)
class NamedCause:
    """Something that takes time, and what to do about it."""

    name: str
    ps: float
    change: str
    kind: str = "other"
    """``poll_period``, ``answer_held_back``, ``fixed_sleep``, or ``other``: names that stay when sentences change. Of
    bulk transfers also ``receive_window``, ``send_buffer``, ``congestion_window``, ``pc``, ``bus``, ``processor`` and
    ``wire``."""
    of: Cause | None = None
    """Of which stages it is the sum, where all of them have one cause."""
    least_share: float = 0.2
    """Below this share of a message it is not what bounds it; a second cause is named from the same share on."""


def sum_ps(stages: Sequence[Stage]) -> float:
    """What stages take together."""
    return sum(stage.ps for stage in stages)


def sentences_of(found: Sequence[NamedCause], waterfall: Waterfall, amount: Amount, whole: str) -> list[str]:
    """The largest of the causes with their changes, or that none is large; ``whole`` is what they are parts of."""
    total = waterfall.total_ps
    named = [cause for cause in found if cause.ps >= cause.least_share * total][:_MOST_CAUSES]
    if named:
        return [f"{amount(cause.ps)} of {whole} is {cause.name}: {cause.change}." for cause in named]
    largest = max(waterfall.stages, key=lambda stage: stage.ps)
    return [f"Nothing stands out: {percent(largest.ps / total)} of {whole} is {largest.name}."]


def unexplained_sentences(waterfall: Waterfall, amount: Amount) -> list[str]:
    """What no stage explains, where it is worth a word."""
    left = sum_ps([stage for stage in waterfall.stages if stage.cause == "empirical"])
    return [f"{amount(left)} is unexplained."] if left >= _REMAINDER * waterfall.total_ps else []


def apart(stages: Sequence[Stage]) -> tuple[list[Stage], list[Stage]]:
    """The stages of the board with the wire, and those of the peer."""
    own, theirs = ([stage for stage in stages if (stage.site == "peer") is peers] for peers in (False, True))
    return own, theirs


def of_the_peer(cause: NamedCause) -> NamedCause:
    """A cause at the peer."""
    return replace(cause, name=f"{cause.name} (the peer)")


def shares_sentence(stages: Sequence[Stage]) -> str:
    """``Of 290 us are 139 us the board's, 13 us the wire's and 138 us the peer's.``"""
    total, theirs = sum_ps(stages), sum_ps(apart(stages)[1])
    wire = sum_ps([stage for stage in stages if stage.cause == "wire"])
    own = rough_time(total - wire - theirs)
    shares = f"{own} the board's, {rough_time(wire)} the wire's and {rough_time(theirs)} the peer's"
    return f"Of {rough_time(total)} are {shares}."
