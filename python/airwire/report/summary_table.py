"""The summary of all captures: one row each under their group's name, sortable, with a box plot on one axis.

The page's script flattens the groups when the reader sorts by a column, and restores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.report import theme, units
from airwire.report.html import DASH_CELL, STRIP_PX, strip, strip_axis, strip_x, text
from airwire.report.quantiles import quantiles_of
from airwire.report.samples import CaptureView, by_group, drawable, each_is_a_group, shows_rows

if TYPE_CHECKING:
    from airwire.model import Interval

LABEL_PX = 38
_STATISTICS = ("min", "p50", "p75", "p95", "p99", "max")
_NOT_PAIRED = (*theme.TRIGGER_OUTCOMES, *theme.DONE_OUTCOMES)
_FOOTNOTE = (
    "Percentiles interpolate linearly between order statistics (type 7). Intervals come from a seeded "
    "moving-block bootstrap, which keeps the dependence of neighbouring samples; the effective n is in each "
    "capture's section. An asterisk marks an interval that holds for one phase of a gate only."
)


def summary_section(views: Sequence[CaptureView]) -> str:
    """The table of all captures with its heading and footnote."""
    rows = shows_rows(views)
    views = [view for view in views if not view.is_bulk]
    if not views:
        return ""
    axis = _axis_of(views)
    marks = _marks(axis) if axis else []
    head, columns = _head(axis, marks, rows=rows)
    groups = list(by_group(views))
    alone = len(groups) == 1 or each_is_a_group(views)
    bodies = "".join(
        f"<tbody>{'' if alone else _group_row(group, len(members), columns)}"
        f"{''.join(_row(view, axis, marks, alone=alone) for view in members)}</tbody>"
        for group, members in groups
    )
    table = (
        "<div class='scroll' tabindex='0' role='region' aria-label='Percentiles of latency'>"
        f"<table class='summary sortable'><thead>{head}</thead>{bodies}</table></div>"
        f"<p class='note'>{_FOOTNOTE}</p>"
    )
    if rows:
        return f"<details class='more' id='summary'><summary><h2>Percentiles</h2></summary>{table}</details>"
    return f"<section id='summary'><h2>Percentiles</h2>{table}</section>"


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


def _head(axis: tuple[float, float] | None, marks: Sequence[float], *, rows: bool) -> tuple[str, int]:
    """The row of headings and how many columns it has."""

    def column(label: str, extra: str = "") -> str:
        return f"<th scope='col' class='{extra}' aria-sort='none'><button type='button'>{label}</button></th>"

    cells = [
        column("Row" if rows else "Capture"),
        column("Payload", "n"),
        column("Paired", "n"),
        column("Not&nbsp;paired", "words"),
    ]
    if axis:
        labels = "".join(
            f"<text x='{strip_x(mark, axis):.1f}' y='10'>{label}</text>"
            for mark, label in ((mark, units.format_duration(mark * units.PS_PER_MS)) for mark in marks)
        )
        drawing = f"<svg class='strip' width='{STRIP_PX}' height='13' aria-hidden='true'>{labels}</svg>"
        cells.append(f"<th scope='col' class='axis'><span class='visually-hidden'>Distribution</span>{drawing}</th>")
    cells.append("<th scope='col'>Unit</th>")
    for name in _STATISTICS:
        cells.append(column("median" if name == "p50" else name, "n"))
        if name == "p50":
            cells.append("<th scope='col'>95 % interval</th>")
    return f"<tr>{''.join(cells)}</tr>", len(cells)


def _group_row(group: str, captures: int, columns: int) -> str:
    counted = f"{captures} capture{'' if captures == 1 else 's'}"
    name = f"{text(group)} <span class='meaning'>{counted}</span>"
    return f"<tr class='group'><th scope='rowgroup' colspan='{columns}'>{name}</th></tr>"


def _row(view: CaptureView, axis: tuple[float, float] | None, marks: Sequence[float], *, alone: bool) -> str:
    capture = view.capture
    payload = capture.payload_bytes
    link = f"<a href='#{view.anchor}'>{text(view.label if alone else view.short_label)}</a>"
    cells = [
        f"<th scope='row'>{link}</th>" if alone else f"<th scope='row' data-group='{text(capture.group)}'>{link}</th>",
        DASH_CELL if payload is None else f"<td class='n' data-v='{payload}'>{payload} B</td>",
        _paired_cell(view),
        _not_paired_cell(view),
    ]
    if axis:
        cells.append(f"<td>{_strip(view, axis, marks)}</td>")
    return f"<tr>{''.join(cells)}{_latency_cells(view)}</tr>"


def _paired_cell(view: CaptureView) -> str:
    triggers, paired = view.capture.triggers, view.capture.outcomes.get("paired", 0)
    of = "" if paired == triggers else f" <span class='meaning'>of {triggers}</span>"
    return f"<td class='n' data-v='{paired}'>{paired}{of}</td>"


def _not_paired_cell(view: CaptureView) -> str:
    counted = {kind: view.capture.outcomes.get(kind, 0) for kind in _NOT_PAIRED}
    words = ", ".join(f"{count}&nbsp;{kind}" for kind, count in counted.items() if count)
    return f"<td class='words' data-v='{sum(counted.values())}'>{words}</td>"


def _strip(view: CaptureView, axis: tuple[float, float], marks: Sequence[float]) -> str:
    if not view.latency_ps:
        return ""
    return strip({name: units.to_ms(value) for name, value in quantiles_of(view).items()}, axis, marks)


def _latency_cells(view: CaptureView) -> str:
    statistics = view.statistics
    if not statistics or not view.latency_ps:
        return "<td>&ndash;</td>" + DASH_CELL * (len(_STATISTICS) + 1)
    unit = units.unit_of(view.median_ps)
    decimals = units.decimals_of(view.median_ps, unit)
    cells = f"<td>{unit.symbol}</td>"
    for name in _STATISTICS:
        value = statistics.get(name)
        cells += (
            DASH_CELL
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
    note = f"<abbr title='{text(interval.note)}'>*</abbr>" if interval.note else ""
    return f"[{low}, {high}]{note}"
