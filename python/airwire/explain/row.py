"""What is said of one row of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airwire.explain.verdict import Verdict
from airwire.link.model import Change, Waterfall


@dataclass(frozen=True, slots=True)
class RowExplanation:
    """Where the time of one row of a run goes, and what to change first."""

    run: str
    link: str | None
    """``None`` where a board was run."""
    title: str
    payload_bytes: int
    settings: Mapping[str, str]
    verdict: Verdict
    """The largest cause, with all else that is to be said as details."""
    verdicts: Sequence[Verdict]
    """One for each of the largest causes; none where there is no figure."""
    waterfalls: Sequence[Waterfall]
    """At the median and at p95."""
    changes: Sequence[Change]
    """The changes of one setting that help, the best first; none for boards, of which another row is run."""
    board: str | None = None
    """``None`` where a link was modelled."""

    @property
    def sentence(self) -> str:
        """The verdict and its details, one after the other."""
        return self.verdict.text
