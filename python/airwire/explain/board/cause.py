"""One cause of a board's verdict: what takes time, under a name that programs may rely on, and what to do about it.

A cause is named only where its share of the time is on the table: every sentence says how much of which time it is.
What no stage explains is named as well. Where two boards play, the stages of each stand apart, and so do its causes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from airwire.explain.quantities import rough_time
from airwire.explain.verdict import NOTHING_STANDS_OUT, Gain, Verdict
from airwire.link.model import Waterfall
from airwire.stage import Stage

Amount = Callable[[float], str]
"""How sentences say picoseconds: as a time, or as a share of the whole."""
Estimate = Callable[["NamedCause"], Gain | None]
"""What the change of a cause brings."""

Verb = Literal["is", "waits for", "sleeps", "looks at"]
"""What stands between a share of the time and the name of what takes it."""

MOST_CAUSES = 3
_NAMED_CAUSES = 2
_REMAINDER = 0.01


@dataclass(frozen=True, slots=True)
class NamedCause:
    """Something that takes time, and what to do about it."""

    name: str
    ps: float
    change: str
    """In the imperative, and short."""
    kind: str = "other"
    """A name that stays when sentences change: ``bus``, ``poll_period``, ``answer_held_back``, ``fixed_sleep``,
    ``processor`` and so on, as docs/reference/json.md lists them."""
    verb: Verb = "is"
    evidence: Sequence[str] = ()
    """Sentences that say how it is known, and what else would help."""
    removable_ps: float | None = None
    """How much the change saves; ``None`` where nobody can know."""
    polls_left_ps: float | None = None
    """The period of polls that come to the fore once it is gone, and are counted in ``removable_ps``."""
    helps_beyond: bool = False
    """Whether the change helps in other ways as well."""
    least_share: float = 0.2
    """Below this share of a message it is not what bounds it; a second cause is named from the same share on."""

    @property
    def words(self) -> str:
        """What follows a share: ``waits for a poll every 64 ms``."""
        return f"{self.verb} {self.name}"


def sum_ps(stages: Sequence[Stage]) -> float:
    """What stages take together."""
    return sum(stage.ps for stage in stages)


def verdicts_from(
    found: Sequence[NamedCause], waterfall: Waterfall, amount: Amount | None, estimate: Estimate
) -> list[Verdict]:
    """The largest of the causes with their changes, or that none is large.

    ``amount`` says how much a cause takes, where that is more than its share.
    """
    total = waterfall.total_ps

    def taken(ps: float) -> list[str]:
        return [] if amount is None else [f"That is {amount(ps)} of {amount(total)}."]

    named = [cause for cause in found if cause.ps >= cause.least_share * total][:MOST_CAUSES]
    if not named:
        largest = max(waterfall.stages, key=lambda stage: stage.ps)
        words, details = f"is {largest.name}", taken(largest.ps)
        return [Verdict(largest.ps / total, words, NOTHING_STANDS_OUT, details=details)]
    return [
        Verdict(
            share=cause.ps / total,
            cause=cause.words,
            kind=cause.kind,
            change=cause.change,
            gain=estimate(cause),
            details=(*taken(cause.ps), *cause.evidence),
        )
        for cause in named
    ]


def as_one(verdicts: Sequence[Verdict], more: Sequence[str]) -> Verdict:
    """The first verdict, with the next one and what else is to be said as its details."""
    first, *others = verdicts
    details = [*first.details]
    for other in others[: _NAMED_CAUSES - 1]:
        details += [f"{other.line}.", *other.details]
    return replace(first, details=(*details, *more))


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
