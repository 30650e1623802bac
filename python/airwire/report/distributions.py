"""Distributions group by group: ridgeline densities and empirical distribution functions."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from airwire.report import density, theme, units
from airwire.report.payloads import Payloads, by_payload, payload_legend
from airwire.report.samples import CaptureView, by_group
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec, log_x, row_axis, tooltip

RIDGE_PX = 24
RIDGE_OVERLAP = 1.35


def _group_domain(members: Sequence[CaptureView]) -> tuple[float, float]:
    ends = [units.to_ms(view.ordered_ps[place]) for view in members for place in (0, -1)]
    return units.padded_log_domain(ends)


def ridgelines(views: Sequence[CaptureView], payloads: Payloads) -> Figure:
    """Densities of all captures, one panel for each group, one ridge for each capture."""
    panels = [_ridge_panel(group, members, payloads) for group, members in by_group(views)]
    caption = "Kernel density of the logarithm of latency (Gaussian, half of Silverman's bandwidth), each capture "
    caption += "scaled to the same height. Each group has its own logarithmic axis."
    return Figure("densities", "Densities by group", caption, panels, payload_legend(payloads))


def _ridge_panel(group: str, members: Sequence[CaptureView], payloads: Payloads) -> Panel:
    domain = _group_domain(members)
    floor = _decades(domain) / 250
    columns: Columns = {"name": [], "payload": [], "x": [], "base": [], "y": []}
    for place, view in enumerate(members):
        base = len(members) - 1 - place
        grid, heights = density.log_density(
            [max(units.SMALLEST_MS, ps / units.PS_PER_MS) for ps in view.ordered_ps], floor
        )
        kept = [(x, h) for x, h in zip(grid, heights, strict=True) if domain[0] <= x <= domain[1]]
        columns["name"] += [view.label] * len(kept)
        columns["payload"] += [view.payload] * len(kept)
        columns["base"] += [base] * len(kept)
        columns["x"] += [units.significant(x, 5) for x, _ in kept]
        columns["y"] += [round(base + RIDGE_OVERLAP * h, 3) for _, h in kept]
    names = [view.short_label for view in reversed(members)]
    spec = _ridge_spec(names, payloads, domain)
    description = f"Density of latency for {len(members)} captures of {group}."
    return Panel(group, spec, {"d": columns}, description)


def _decades(domain: tuple[float, float]) -> float:
    return math.log10(domain[1] / domain[0])


def _ridge_spec(names: Sequence[str], payloads: Payloads, domain: tuple[float, float]) -> Spec:
    rows = len(names)
    axis = row_axis() | {
        "values": list(range(rows)),
        "labelExpr": f"{json.dumps(list(names))}[datum.value]",
        "labelOverlap": False,
    }
    y_scale = {"domain": [0, rows + 0.4], "nice": False, "zero": False}
    colour = by_payload(payloads, "color")
    return {
        "data": {"name": "d"},
        "height": RIDGE_PX * rows + 12,
        "width": "container",
        "mark": {"type": "area", "fillOpacity": 0.35, "line": {"strokeWidth": 1.1}, "clip": True},
        "encoding": {
            "x": log_x("x", domain),
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": None,
                "stack": None,
                "scale": y_scale,
                "axis": axis,
            },
            "y2": {"field": "base"},
            "detail": {"field": "name", "type": "nominal", "sort": None},
            "color": colour,
            "tooltip": tooltip(("name", "capture"), ("payload", "payload")),
        },
    }


def ecdfs(views: Sequence[CaptureView]) -> Figure:
    """Distribution functions of all captures, overlaid in one panel for each group, a colour and dash for each."""
    panels = [_ecdf_panel(group, members) for group, members in by_group(views)]
    caption = "Share of samples at or below a latency. Each group has its own logarithmic axis."
    return Figure("ecdf", "Empirical distribution functions by group", caption, panels)


def _line_styles(count: int) -> list[tuple[str, list[int]]]:
    """A colour and a dash for each of several lines; the dash changes where colours begin again."""
    colours, dashes = theme.SERIES, theme.DASHES
    return [(colours[place % len(colours)], dashes[place // len(colours) % len(dashes)]) for place in range(count)]


def _ecdf_panel(group: str, members: Sequence[CaptureView]) -> Panel:
    columns: Columns = {"name": [], "x": [], "y": []}
    for view in members:
        values, shares = density.ecdf(view.ordered_ps)
        columns["name"] += [view.label] * len(values)
        columns["x"] += [units.significant(units.to_ms(ps), 5) for ps in values]
        columns["y"] += [round(share, 3) for share in shares]
    names = [view.label for view in members]
    styles = _line_styles(len(members))
    y = {"field": "y", "type": "quantitative", "title": "share of samples", "scale": {"domain": [0, 1]}}

    def by_name(values: Sequence[object]) -> Spec:
        return {"field": "name", "type": "nominal", "title": None, "scale": {"domain": names, "range": list(values)}}

    spec = {
        "data": {"name": "e"},
        "height": 170,
        "width": "container",
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.6},
        "encoding": {
            "x": log_x("x", _group_domain(members)),
            "y": {**y, "axis": {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}},
            "color": by_name([colour for colour, _ in styles]),
            "strokeDash": by_name([dash for _, dash in styles]),
            "tooltip": tooltip(("name", "capture")),
        },
    }
    legend = [
        LegendEntry(view.short_label, colour, dash=dash) for view, (colour, dash) in zip(members, styles, strict=True)
    ]
    description = f"Distribution functions of {len(members)} captures of {group}."
    return Panel(group, spec, {"e": columns}, description, legend=legend)
