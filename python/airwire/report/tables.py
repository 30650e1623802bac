"""The small tables of the page: files that failed, and one capture's statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from airwire.report import units
from airwire.report.html import text
from airwire.report.samples import CaptureView

if TYPE_CHECKING:
    from airwire.model import CaptureFailure, Interval

_QUANTILES = ("min", "p1", "p5", "p25", "p50", "p75", "p95", "p99", "p99_9", "max", "mean", "std", "iqr")


def errors_section(errors: Sequence[CaptureFailure]) -> str:
    """The files that could not be analysed, each with its reason."""
    if not errors:
        return ""
    rows = "".join(
        f"<tr><th scope='row'>{text(error.path)}</th><td>{text(error.message)}</td></tr>" for error in errors
    )
    return (
        f"<section id='errors'><h2>Not analysed ({len(errors)})</h2><div class='scroll' tabindex='0'>"
        "<table class='errors'><thead><tr><th scope='col'>File</th><th scope='col'>Reason</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def statistics_table(view: CaptureView) -> str:
    """All statistics of one capture in a row, and what its intervals rest on."""
    statistics: Mapping[str, float] = view.statistics
    if not statistics or not view.latency_ps:
        return ""
    unit = units.unit_of(view.median_ps)
    decimals = units.decimals_of(view.median_ps, unit)
    names = [name for name in _QUANTILES if name in statistics]
    head = "".join(f"<th scope='col' class='n'>{_heading(name)}</th>" for name in names)
    cells = "".join(f"<td class='n'>{units.format_in(statistics[name], unit, decimals)}</td>" for name in names)
    intervals = [
        _interval_sentence(label, interval, unit, decimals)
        for label, interval in (
            ("median", view.capture.median_interval),
            ("upper quartile", view.capture.upper_quartile_interval),
        )
        if interval is not None
    ]
    return (
        f"<div class='scroll' tabindex='0'><table class='statistics'><caption>Latency in {unit.symbol}, "
        f"{len(view.latency_ps)} samples</caption><thead><tr>{head}</tr></thead>"
        f"<tbody><tr>{cells}</tr></tbody></table></div>"
        f"<p class='note'>{' '.join(intervals)}</p>"
    )


def _heading(name: str) -> str:
    return {"p50": "median", "p99_9": "p99.9", "std": "std dev", "iqr": "IQR"}.get(name, name)


def _interval_sentence(label: str, interval: Interval, unit: units.Unit, decimals: int) -> str:
    low = units.format_in(interval.low_ps, unit, decimals)
    high = units.format_in(interval.high_ps, unit, decimals)
    note = f" ({text(interval.note)})" if interval.note else ""
    return (
        f"{interval.confidence * 100:.4g} % interval of the {label}: {low} to {high} {unit.symbol}{note}, "
        f"effective n {interval.effective_n:.0f}."
    )
