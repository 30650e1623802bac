"""What the core says of latencies, as the package's own types: findings with their sentences, and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.kinds import Pairing
from airwire.model import Finding, Interval

if TYPE_CHECKING:
    from airwire._core import RawFinding, RawIntervals
    from airwire.address.row import AddressRow
    from airwire.board.row import BoardRow
    from airwire.link.model import LinkRow
    from airwire.model import CaptureFile

KNOWN: Pairing = "known"
"""What stands in place of a pairing rule where the virtual bench knows each message's fate."""


def findings_of(
    raw_findings: Sequence[RawFinding],
    pairing: Pairing,
    target: CaptureFile | LinkRow | BoardRow | AddressRow,
    median_ps: float | None,
) -> list[Finding]:
    """The findings that are worth telling of ``target``, with their sentences. ``pairing`` is the rule in force.

    Where each message's fate is known, a latency of more than a trigger period hides no loss.
    """
    if not raw_findings:
        return []
    from airwire.explain.finding_floor import is_worth_telling
    from airwire.explain.findings import explain_finding

    kept = [raw for raw in raw_findings if pairing != KNOWN or "hidden_losses" not in raw["evidence"]]
    return [explain_finding(raw, pairing, target) for raw in kept if is_worth_telling(raw, median_ps)]


def intervals_of(raw: RawIntervals | None, findings: Sequence[Finding]) -> tuple[Interval | None, Interval | None]:
    """The intervals of median and upper quartile; findings may say that they hold for one phase only."""
    if raw is None:
        return None, None
    partial_phase = any(finding.kind in ("frozen_phase", "phase_coverage") for finding in findings)
    note = "this phase only" if partial_phase else None

    def interval(bounds: tuple[float, float]) -> Interval:
        return Interval(bounds[0], bounds[1], raw["confidence"], raw["effective_n"], note)

    return interval(raw["median_ps"]), interval(raw["upper_quartile_ps"])
