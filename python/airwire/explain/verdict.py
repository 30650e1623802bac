"""The verdict of a row in one line: what takes most of its time, what to change, and what that brings.

What else there is to say stands in details, each a sentence. Rows of boards, of links and of anything to come have the
same type; ``airwire.explain.verdicts`` gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airwire.explain.board.figures import number
from airwire.explain.quantities import percent, rough_time

_DIGITS = 3
_BIT_RATES = ((1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))

NOTHING_STANDS_OUT = "nothing"
"""The kind of a verdict whose cause is only the largest part."""
NO_FIGURE = "no_figure"
"""The kind of a verdict that has no cause, because nothing was measured or traced."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What a change is estimated to bring: the figure of a row before and after it, in the figure's unit.

    The estimate takes the time that the change saves out of the message, and changes nothing else.
    """

    before: float
    after: float
    unit: str
    at_least: bool = False
    """Whether the change helps in other ways as well, which the estimate leaves out: then it is a bound."""

    @property
    def factor(self) -> float:
        """How many times better it gets; above 1."""
        return self.before / self.after if self.unit == "ps" else self.after / self.before

    @property
    def text(self) -> str:
        """Both figures: ``3.91 -> 15.6 messages/s``."""
        if self.unit == "ps":
            bound = "at most " if self.at_least else ""
            return f"{rough_time(self.before)} -> {bound}{rough_time(self.after)}"
        scale, name = 1.0, self.unit
        if self.unit == "bit/s":
            scale, name = next(one for one in _BIT_RATES if self.before >= one[0] or one[0] == 1)
        bound = "at least " if self.at_least else ""
        return f"{number(self.before / scale, _DIGITS)} -> {bound}{number(self.after / scale, _DIGITS)} {name}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What takes a share of a row's time, the change to make, and what it brings."""

    share: float
    """Of the median message, or of the time of a bulk transfer: 0 to 1; 0 where there is no cause."""
    cause: str
    """Words that follow the share: ``waits for a poll every 64 ms``; without a share a sentence of its own."""
    kind: str
    """A name for the cause that stays when words change; of links the cause of a stage."""
    change: str | None = None
    """What to do about it, in the imperative; ``None`` where nothing can be done or nobody has tried."""
    gain: Gain | None = None
    """``None`` where nothing honest can be said."""
    details: Sequence[str] = ()
    """Sentences: the evidence, further causes, comparisons, and what stays open."""

    @property
    def line(self) -> str:
        """``75 % waits for lwIP's 250 ms timer: call tcp_output() after tcp_write(); 3.91 -> 15.6 messages/s``"""
        if not self.share:
            return self.cause
        said = f"{percent(self.share)} {self.cause}"
        if self.kind == NOTHING_STANDS_OUT:
            said = f"Nothing stands out: {said}"
        if self.change:
            said += f": {self.change}"
        return f"{said}; {self.gain.text}" if self.gain else said

    @property
    def text(self) -> str:
        """The line and all details, one after the other."""
        return " ".join((f"{self.line}.", *self.details))
