"""Which findings are worth telling: what moves latencies by next to nothing of their median is noise to a reader.

A detector finds two levels of a simulation that are a nanosecond apart, and is sure of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airwire._core import RawFinding

FLOOR = 0.02
"""Of the median. Levels, teeth, drifts and bursts that reach less far are not told."""
_TOOTH_IN_USE = 0.01
"""Of the messages: teeth with fewer do not count for how far a comb reaches."""

Evidence = Mapping[str, float | list[float]]


def is_worth_telling(raw: RawFinding, median_ps: float | None) -> bool:
    """Whether a finding moves latencies by enough of their median; gates, phases and losses always are."""
    reach = _REACH.get(raw["kind"])
    if reach is None or not median_ps:
        return True
    return reach(raw["evidence"], float(raw["period_ps"] or 0), median_ps) >= FLOOR * median_ps


def _steps(evidence: Evidence, _period_ps: float, _median_ps: float) -> float:
    levels = _numbers(evidence, "levels_ps")
    return max(levels) - min(levels) if levels else 0.0


def _comb(evidence: Evidence, period_ps: float, _median_ps: float) -> float:
    used = [place for place, share in enumerate(_numbers(evidence, "tooth_shares")) if share >= _TOOTH_IN_USE]
    return period_ps * (used[-1] - used[0]) if used else 0.0


def _drift(evidence: Evidence, _period_ps: float, _median_ps: float) -> float:
    return max(_numbers(evidence, "range_ps"), default=0.0)


def _bursts(evidence: Evidence, _period_ps: float, median_ps: float) -> float:
    return max(_numbers(evidence, "worst_ps"), default=median_ps) - median_ps


def _numbers(evidence: Evidence, name: str) -> list[float]:
    value = evidence.get(name, [])
    return value if isinstance(value, list) else [value]


_REACH: Mapping[str, Callable[[Evidence, float, float], float]] = {
    "steps": _steps,
    "comb": _comb,
    "drift": _drift,
    "bursts": _bursts,
}
