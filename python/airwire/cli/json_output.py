"""The stable JSON of each command; ``docs/reference/json.md`` describes it."""

from __future__ import annotations

from typing import Any

from airwire.cli.output import whole
from airwire.model import Analysis, Capture, Comparison, Finding, Interval

PERCENTILES = "type 7: linear interpolation between order statistics"


def analysis_json(analysis: Analysis) -> dict[str, Any]:
    """The content of ``airwire.analyze/1``."""
    return {
        "pairing": analysis.pairing,
        "seed": analysis.seed,
        "percentiles": PERCENTILES,
        "run_folder": analysis.run_folder,
        "interrupted": analysis.interrupted,
        "captures": [_capture(capture) for capture in analysis.captures],
        "errors": [{"path": error.path, "message": error.message} for error in analysis.errors],
    }


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """The content of ``airwire.compare/1``."""
    interval = comparison.shift_interval_ps
    return {
        "a": comparison.a,
        "b": comparison.b,
        "sentence": comparison.sentence,
        "median_a_ps": whole(comparison.median_a_ps),
        "median_b_ps": whole(comparison.median_b_ps),
        "shift_ps": whole(comparison.shift_ps),
        "shift_interval_ps": None if interval is None else [whole(end) for end in interval],
        "a_beats_b": comparison.a_beats_b,
        "ks": comparison.ks,
        "ks_with_floor": comparison.ks_with_floor,
        "floor_ps": comparison.floor_ps,
        "wasserstein_ps": comparison.wasserstein_ps,
        "effective_n": list(comparison.effective_n),
    }


def _capture(capture: Capture) -> dict[str, Any]:
    latency = capture.latency_ps
    return {
        "path": capture.path,
        "group": capture.group,
        "payload_bytes": capture.payload_bytes,
        "triggers": capture.triggers,
        "outcomes": dict(capture.outcomes),
        "latency_ps": None if latency is None else {name: whole(value) for name, value in latency.items()},
        "intervals": _intervals(capture.median_interval, capture.upper_quartile_interval),
        "findings": [_finding(finding) for finding in capture.findings],
    }


def _intervals(median: Interval | None, upper_quartile: Interval | None) -> dict[str, Any] | None:
    if median is None or upper_quartile is None:
        return None
    return {
        "median_ps": [whole(median.low_ps), whole(median.high_ps)],
        "upper_quartile_ps": [whole(upper_quartile.low_ps), whole(upper_quartile.high_ps)],
        "confidence": median.confidence,
        "effective_n": median.effective_n,
        "note": median.note,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    period = {} if finding.period_ps is None else {"period_ps": finding.period_ps}
    return {
        "kind": finding.kind,
        **period,
        "confidence": finding.confidence,
        "sentence": finding.sentence,
        "next_step": finding.next_step,
        "evidence": dict(finding.evidence),
    }
