"""The overview figures over all captures of an analysis; the page and the figure files both start here.

The ranking by upper quartile and the boxes by payload are here, the rest in ``distributions`` and
``outcome_figure``. Single captures are drawn in ``capture_figures``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from heapq import merge

from airwire.report import density, units
from airwire.report.distributions import ecdfs, ridgelines
from airwire.report.outcome_figure import outcomes
from airwire.report.payloads import Payloads, by_payload, payload_legend, payloads_of
from airwire.report.samples import CaptureView, by_group, drawable
from airwire.report.spec import ROW_PX, Columns, Figure, Panel, Spec, log_x, row_axis, rule_at, tooltip

ROWS_PER_PANEL = 60


_QUANTILES = ("p5", "p25", "p50", "p75", "p95")
_FRAME_LABEL = f"{units.FRAME_MS} ms, one frame at 60 Hz"


def overview_figures(views: Sequence[CaptureView]) -> list[Figure]:
    """Every overview figure that has something to show, in reading order."""
    figures: list[Figure] = []
    shown = drawable(views)
    if shown:
        payloads = payloads_of(shown)
        figures += [_ranking(shown, payloads), _boxes(shown, payloads)]
        figures += [ridgelines(shown, payloads), ecdfs(shown, payloads)]
    not_paired = outcomes(views)
    return [*figures, not_paired] if not_paired else figures


def _quantile_columns(statistics: Sequence[dict[str, float]]) -> Columns:
    columns: Columns = {name: [units.to_ms(row[name]) for row in statistics] for name in _QUANTILES}
    columns["text"] = [
        ", ".join(f"{name} {units.format_duration(row[name])}" for name in _QUANTILES) for row in statistics
    ]
    return columns


def quantiles_of(view: CaptureView) -> dict[str, float]:
    """The quantiles that figures draw: the capture's statistics or, where one is missing, the samples'."""
    known = view.statistics
    return {
        name: known.get(name, density.percentile(view.ordered_ps, int(name[1:]) / 100)) for name in _QUANTILES
    }


def _frame_domain(values: Sequence[float]) -> tuple[tuple[float, float], bool]:
    low, high = min(values), max(values)
    near = low / 10 <= units.FRAME_MS <= high * 10
    return units.padded_log_domain([low, high, units.FRAME_MS] if near else [low, high]), near


def _ranking(views: Sequence[CaptureView], payloads: Payloads) -> Figure:
    rows = sorted(
        ((quantiles_of(view), view) for view in views), key=lambda row: (row[0]["p75"], row[1].label)
    )
    ends = [units.to_ms(q[name]) for q, _ in rows for name in ("p50", "p95")]
    domain, framed = _frame_domain(ends)
    chunks = -(-len(rows) // ROWS_PER_PANEL)
    size = -(-len(rows) // chunks)
    panels = []
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        title = f"Ranks {start + 1} to {start + len(part)}" if chunks > 1 else ""
        panels.append(_ranking_panel(part, payloads, domain, framed=framed, title=title))
    caption = (
        "Captures from the shortest upper quartile to the longest: symbol at the median, thick bar to p75, "
    )
    caption += "thin line to p95, logarithmic axis."
    if not framed:
        side = "below" if max(ends) < units.FRAME_MS else "above"
        caption += f" Everything is far {side} the {units.FRAME_MS} ms of a frame at 60 Hz."
    return Figure(
        "ranking", "Ranking by upper quartile", caption, panels, payload_legend(payloads), columns=len(panels)
    )


def _ranking_panel(
    rows: Sequence[tuple[dict[str, float], CaptureView]],
    payloads: Payloads,
    domain: tuple[float, float],
    *,
    framed: bool,
    title: str,
) -> Panel:
    labels = [view.label for _, view in rows]
    data = {
        "r": {"name": labels, "payload": [v.payload for _, v in rows]}
        | _quantile_columns([q for q, _ in rows])
    }
    y = {"field": "name", "type": "nominal", "title": None, "scale": {"domain": labels}, "axis": row_axis()}
    colour = by_payload(payloads, "color")
    tip = tooltip(("name", "capture"), ("payload", "payload"), ("text", "latency"))
    shape = by_payload(payloads, "shape")
    layers: list[Spec] = (
        rule_at(units.FRAME_MS, _FRAME_LABEL, domain, colour="var(--hot)", dash=[5, 3]) if framed else []
    )
    layers += [
        _span("p50", "p95", domain, y, colour, width=1.2),
        _span("p50", "p75", domain, y, colour, width=5),
        {
            "mark": {"type": "point", "filled": True, "size": 42, "opacity": 1, "stroke": "var(--paper)"}
            | {"strokeWidth": 0.5},
            "encoding": {"x": log_x("p50", domain), "y": y, "color": colour, "shape": shape, "tooltip": tip},
        },
    ]
    spec = {"data": {"name": "r"}, "height": ROW_PX * len(rows), "width": "container", "layer": layers}
    best, worst = rows[0], rows[-1]
    description = f"{len(rows)} captures, upper quartile from {units.format_duration(best[0]['p75'])} "
    description += f"({best[1].label}) to {units.format_duration(worst[0]['p75'])} ({worst[1].label})."
    return Panel(title, spec, data, f"Ranking chart. {description}")


def _span(start: str, end: str, domain: tuple[float, float], y: Spec, colour: Spec, *, width: float) -> Spec:
    return {
        "mark": {"type": "rule", "strokeWidth": width, "opacity": 1 if width < 2 else 0.55},
        "encoding": {"x": log_x(start, domain), "x2": {"field": end}, "y": y, "color": colour},
    }


def _boxes(views: Sequence[CaptureView], payloads: Payloads) -> Figure:
    rows: list[tuple[str, str, int, dict[str, float]]] = []
    for group, members in by_group(views):
        for payload in payloads:
            same = [view for view in members if view.payload == payload]
            if same:
                rows.append((group, payload, len(same), _pooled_quantiles(same)))
    domain = units.padded_log_domain([units.to_ms(row[3][name]) for row in rows for name in ("p5", "p95")])
    groups = _groups_by_median(rows)
    rows.sort(key=lambda row: groups.index(row[0]))
    data: dict[str, Columns] = {"b": _box_columns(rows)}
    caption = (
        "Box from p25 to p75 with the median, whiskers to p5 and p95; captures of the same group and payload "
    )
    caption += "are pooled; groups from the shortest median to the longest; logarithmic axis."
    panel = _box_panel(rows, data, payloads, domain)
    return Figure("boxes", "Latency by group and payload", caption, [panel], payload_legend(payloads))


def _pooled_quantiles(views: Sequence[CaptureView]) -> dict[str, float]:
    if len(views) == 1:
        return quantiles_of(views[0])
    ordered = list(merge(*(view.ordered_ps for view in views)))
    return {name: density.percentile(ordered, int(name[1:]) / 100) for name in _QUANTILES}


def _groups_by_median(rows: Sequence[tuple[str, str, int, dict[str, float]]]) -> list[str]:
    medians: dict[str, float] = {}
    for group, _, _, quantiles in rows:
        medians[group] = min(medians.get(group, quantiles["p50"]), quantiles["p50"])
    return sorted(medians, key=lambda group: (medians[group], group))


def _box_columns(rows: Sequence[tuple[str, str, int, dict[str, float]]]) -> Columns:
    lines: list[str] = [f"{group}\u2003{payload}" for group, payload, _, _ in rows]
    first = [place == 0 or rows[place - 1][0] != row[0] for place, row in enumerate(rows)]
    columns: Columns = {
        "row": lines,
        "group": [row[0] for row in rows],
        "payload": [row[1] for row in rows],
        "captures": [row[2] for row in rows],
        "first": [1 if is_first else 0 for is_first in first],
    }
    return columns | _quantile_columns([row[3] for row in rows])


def _box_panel(
    rows: Sequence[tuple[str, str, int, dict[str, float]]],
    data: dict[str, Columns],
    payloads: Payloads,
    domain: tuple[float, float],
) -> Panel:
    y = {
        "field": "row",
        "type": "nominal",
        "title": None,
        "scale": {"domain": data["b"]["row"]},
        "axis": row_axis(),
    }
    colour = by_payload(payloads, "color")
    tip = tooltip(("group", "group"), ("payload", "payload"), ("captures", "captures"), ("text", "latency"))
    layers: list[Spec] = [
        {
            "transform": [{"filter": "datum.first && datum.row !== " + _first_row(data)}],
            "mark": {"type": "rule", "color": "var(--line)", "yOffset": -ROW_PX / 2},
            "encoding": {"y": y},
        },
        _span("p5", "p95", domain, y, colour, width=1.2),
        {
            "mark": {"type": "bar", "height": 10, "opacity": 0.55},
            "encoding": {
                "x": log_x("p25", domain),
                "x2": {"field": "p75"},
                "y": y,
                "color": colour,
                "tooltip": tip,
            },
        },
        {
            "mark": {"type": "tick", "color": "var(--ink)", "thickness": 2, "bandSize": 12, "height": 12},
            "encoding": {"x": log_x("p50", domain), "y": y, "tooltip": tip},
        },
    ]
    spec = {"data": {"name": "b"}, "height": ROW_PX * len(rows), "width": "container", "layer": layers}
    return Panel("", spec, data, f"Box plots of {len(rows)} combinations of group and payload.", wide=True)


def _first_row(data: dict[str, Columns]) -> str:
    return json.dumps(data["b"]["row"][0])
