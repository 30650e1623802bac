"""The tables of the page: the summary of all captures, files that failed, and one capture's statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from airwire.report import theme, units
from airwire.report.figures import quantiles_of
from airwire.report.html import STRIP_PX, strip, strip_axis, strip_x, text
from airwire.report.samples import CaptureView, drawable

if TYPE_CHECKING:
    from airwire.model import CaptureFailure, Interval

LABEL_PX = 36
_STATISTICS = ("min", "p50", "p75", "p95", "p99", "max")
_QUANTILES = ("min", "p1", "p5", "p25", "p50", "p75", "p95", "p99", "p99_9", "max", "mean", "std", "iqr")
_DASH = "<td class='n'>&ndash;</td>"
_FOOTNOTE = (
    "Percentiles interpolate linearly between order statistics (type 7). Intervals come from a seeded "
    "moving-block bootstrap, which keeps the dependence of neighbouring samples; the effective n is in each "
    "capture's section. An asterisk marks an interval that holds for one phase of a gate only."
)


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


def summary_section(views: Sequence[CaptureView]) -> str:
    """One row per capture, sortable, with a box plot on an axis that all rows share."""
    if not views:
        return ""
    kinds = [
        kind
        for kind in (*theme.TRIGGER_OUTCOMES, *theme.DONE_OUTCOMES)
        if kind == "missed" or any(view.capture.outcomes.get(kind, 0) for view in views)
    ]
    axis = _axis_of(views)
    marks = _marks(axis) if axis else []
    body = "".join(_row(view, kinds, axis, marks) for view in views)
    head = _head(kinds, axis, marks)
    table = f"<table class='summary sortable'><thead>{head}</thead><tbody>{body}</tbody></table>"
    return (
        "<section id='summary'><h2>Summary</h2>"
        f"<div class='scroll' tabindex='0' role='region' aria-label='Summary of captures'>{table}</div>"
        f"<p class='note'>{_FOOTNOTE}</p></section>"
    )


def _axis_of(views: Sequence[CaptureView]) -> tuple[float, float] | None:
    ends = [units.to_ms(quantiles_of(view)[name]) for view in drawable(views) for name in ("p5", "p95")]
    return strip_axis(min(ends), max(ends)) if ends else None


def _marks(axis: tuple[float, float]) -> list[float]:
    ticks = units.log_ticks(10 ** axis[0], 10 ** axis[1])
    kept: list[float] = []
    for tick in ticks:
        place = strip_x(tick, axis)
        clear = not kept or place - strip_x(kept[-1], axis) >= LABEL_PX
        if clear and LABEL_PX / 2 <= place <= STRIP_PX - LABEL_PX / 2:
            kept.append(tick)
    return kept


def _head(kinds: Sequence[str], axis: tuple[float, float] | None, marks: Sequence[float]) -> str:
    def column(label: str, extra: str = "") -> str:
        return f"<th scope='col' class='{extra}' aria-sort='none'><button type='button'>{label}</button></th>"

    named = {"p50": "median", "min": "min", "max": "max"}
    cells = [column("Capture"), column("Group"), column("Payload", "n"), column("Triggers", "n")]
    cells += [column("Paired", "n"), *(column(kind.capitalize(), "n") for kind in kinds)]
    if axis:
        labels = "".join(
            f"<text x='{strip_x(mark, axis):.1f}' y='10'>{label}</text>"
            for mark, label in ((mark, units.format_duration(mark * units.PS_PER_MS)) for mark in marks)
        )
        drawing = f"<svg class='strip' width='{STRIP_PX}' height='13' aria-hidden='true'>{labels}</svg>"
        cells.append(
            f"<th scope='col' class='axis'><span class='visually-hidden'>Distribution</span>{drawing}</th>"
        )
    cells.append("<th scope='col'>Unit</th>")
    for name in _STATISTICS:
        label = named.get(name, name)
        cells.append(column(label, "n"))
        if name == "p50":
            cells.append("<th scope='col'>95 % interval</th>")
    return f"<tr>{''.join(cells)}</tr>"


def _row(
    view: CaptureView, kinds: Sequence[str], axis: tuple[float, float] | None, marks: Sequence[float]
) -> str:
    capture = view.capture
    payload = capture.payload_bytes
    cells = [
        f"<th scope='row'><a href='#{view.anchor}'>{text(view.short_label)}</a></th>",
        f"<td>{text(capture.group)}</td>",
        _DASH if payload is None else f"<td class='n' data-v='{payload}'>{payload} B</td>",
        _count(capture.triggers),
        _count(capture.outcomes.get("paired", 0)),
        *(_count(capture.outcomes.get(kind, 0), quiet=True) for kind in kinds),
    ]
    if axis:
        cells.append(f"<td>{_strip(view, axis, marks)}</td>")
    return f"<tr>{''.join(cells)}{_latency_cells(view)}</tr>"


def _strip(view: CaptureView, axis: tuple[float, float], marks: Sequence[float]) -> str:
    if not view.latency_ps:
        return ""
    return strip({name: units.to_ms(value) for name, value in quantiles_of(view).items()}, axis, marks)


def _count(count: int, *, quiet: bool = False) -> str:
    style = " zero" if quiet and count == 0 else ""
    return f"<td class='n{style}' data-v='{count}'>{count}</td>"


def _latency_cells(view: CaptureView) -> str:
    statistics = view.statistics
    if not statistics or not view.latency_ps:
        return "<td>&ndash;</td>" + _DASH * 2 + "<td>&ndash;</td>" + _DASH * 4
    unit = units.unit_of(view.median_ps)
    decimals = units.decimals_of(view.median_ps, unit)
    cells = f"<td>{unit.symbol}</td>"
    for name in _STATISTICS:
        value = statistics.get(name)
        cells += (
            _DASH
            if value is None
            else f"<td class='n' data-v='{value:.6g}'>{units.format_in(value, unit, decimals)}</td>"
        )
        if name == "p50":
            cells += f"<td class='interval'>{_interval(view.capture.median_interval, unit, decimals)}</td>"
    return cells


def _interval(interval: Interval | None, unit: units.Unit, decimals: int) -> str:
    if interval is None:
        return "&ndash;"
    low = units.format_in(interval.low_ps, unit, decimals)
    high = units.format_in(interval.high_ps, unit, decimals)
    note = f" <abbr title='{text(interval.note)}'>*</abbr>" if interval.note else ""
    return f"[{low}, {high}]{note}"


def statistics_table(view: CaptureView) -> str:
    """All statistics of one capture in a row, and what its intervals rest on."""
    statistics: Mapping[str, float] = view.statistics
    if not statistics or not view.latency_ps:
        return ""
    unit = units.unit_of(view.median_ps)
    decimals = units.decimals_of(view.median_ps, unit)
    names = [name for name in _QUANTILES if name in statistics]
    head = "".join(f"<th scope='col' class='n'>{_heading(name)}</th>" for name in names)
    cells = "".join(
        f"<td class='n'>{units.format_in(statistics[name], unit, decimals)}</td>" for name in names
    )
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
