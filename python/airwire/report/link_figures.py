"""The overview of a run of links: their ranking, and which kinds of stages take the time.

The ranking is by median; single rows are drawn in ``waterfall_figure``.
"""

from __future__ import annotations

from collections.abc import Sequence

from airwire.explain.link.published import published_text
from airwire.kinds import Cause
from airwire.model import published_median
from airwire.report import units
from airwire.report.payloads import Payloads
from airwire.report.published_figure import PUBLISHED, published_mark
from airwire.report.quantiles import quantile_columns, quantiles_of
from airwire.report.samples import CaptureView
from airwire.report.spec import Columns, Figure, Panel, Spec, log_x, row_axis, tooltip
from airwire.report.stage_colours import KINDS, by_kind, kind_legend, kinds_of

RANK_PX = 20
PAIR_PX = 30


def ranking_by_median(views: Sequence[CaptureView], payloads: Payloads) -> Figure:
    """A dot at the median with a line to p95 for every row, a panel for each payload."""
    ends = [units.to_ms(quantiles_of(view)[name]) for view in views for name in ("p50", "p95")]
    ends += filter(None, map(_published_ms, views))
    domain = units.padded_log_domain(ends)
    panels = [
        _ranking_panel(payload, [view for view in views if view.payload == payload], domain) for payload in payloads
    ]
    caption = "Dot at the median, line to p95, the fastest link first; logarithmic axis. Triggers as the suite "
    caption += "has them; where they are dithered, every phase of every gate is met."
    legend = [PUBLISHED] if any(_published_ms(view) for view in views) else []
    if legend:
        caption += " Diamond: the published median."
    return Figure("ranking", "Ranking by median", caption, panels, legend, columns=min(2, len(panels)))


def _published_ms(view: CaptureView) -> float | None:
    published = published_median(view.capture)
    return None if published is None else units.to_ms(published.median_ps)


def _ranking_panel(payload: str, views: Sequence[CaptureView], domain: tuple[float, float]) -> Panel:
    ranked = sorted(views, key=lambda view: (quantiles_of(view)["p50"], view.capture.group))
    rows = [(quantiles_of(view), view.capture.group) for view in ranked]
    names = [name for _, name in rows]
    data: Columns = {"name": names} | quantile_columns([quantiles for quantiles, _ in rows])
    data["label"] = [
        f"{units.format_duration(quantiles['p50'])}, p95 {units.format_duration(quantiles['p95'])}"
        for quantiles, _ in rows
    ]
    # Words that stand beside the dots would need an axis beyond the data: they follow the names.
    data["name"] = [f"{name}\u2003{label}" for name, label in zip(names, data.pop("label"), strict=True)]
    y: Spec = {"field": "name", "type": "nominal", "title": None, "scale": {"domain": data["name"]}, "axis": row_axis()}
    tip = tooltip(("name", "link"), ("text", "latency"))
    dot: Spec = {"x": log_x("p50", domain), "y": y, "tooltip": tip}
    whisker: Spec = {"x": log_x("p50", domain), "x2": {"field": "p95"}, "y": y, "tooltip": tip}
    layers: list[Spec] = [
        {"mark": {"type": "rule", "color": "var(--mark)", "strokeWidth": 1.6, "opacity": 0.7}, "encoding": whisker},
        {"mark": {"type": "point", "filled": True, "size": 55, "color": "var(--mark)", "opacity": 1}, "encoding": dot},
    ]
    published = _published_columns(ranked, data["name"])
    if published["name"]:
        layers.append(_published_layer(domain, y))
    spec = {"data": {"name": "r"}, "height": RANK_PX * len(rows), "width": "container", "layer": layers}
    (fast, first), (slow, last) = rows[0], rows[-1]
    description = f"{len(rows)} links, median from {units.format_duration(fast['p50'])} ({first}) to "
    description += f"{units.format_duration(slow['p50'])} ({last})."
    drawn = {"r": data} | ({"p": published} if published["name"] else {})
    return Panel(f"{payload} payload", spec, drawn, description)


def _published_columns(views: Sequence[CaptureView], names: Sequence[str]) -> Columns:
    columns: Columns = {"name": [], "value": [], "text": []}
    for view, name in zip(views, names, strict=True):
        published = published_median(view.capture)
        if published is not None:
            words = f"{published_text(published)}, {published.source}"
            row = (name, units.significant(units.to_ms(published.median_ps)), words)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    return columns


def _published_layer(domain: tuple[float, float], y: Spec) -> Spec:
    tip = tooltip(("name", "link"), ("text", "published"))
    encoding: Spec = {"x": log_x("value", domain), "y": y, "fill": {"value": "var(--paper)"}, "tooltip": tip}
    return {"data": {"name": "p"}, "mark": published_mark(45), "encoding": encoding}


def shares_figure(views: Sequence[CaptureView], payloads: Payloads) -> Figure | None:
    """Stacked bars of each row's stages by kind, at the median and at p95; nothing where no stages were kept."""
    shown = sorted((view for view in views if view.waterfalls), key=lambda view: (view.median_ps, view.capture.group))
    if not shown:
        return None
    kinds = kinds_of(waterfall for view in shown for waterfall in view.waterfalls)
    panels = [
        _shares_panel(payload, own, kinds)
        for payload in payloads
        if (own := [view for view in shown if view.payload == payload])
    ]
    caption = "Each bar is a message near the median (above) or near p95 (below), split into what it spent its time "
    caption += "on; the figure beside it is its latency."
    return Figure("stages", "Where the time goes", caption, panels, kind_legend(kinds), columns=min(2, len(panels)))


def _shares_panel(payload: str, views: Sequence[CaptureView], kinds: Sequence[Cause]) -> Panel:
    bars: Columns = {"name": [], "at": [], "kind": [], "order": [], "share": [], "stages": []}
    totals: Columns = {"name": [], "at": [], "text": []}
    order = list(KINDS)
    for view in views:
        for waterfall in view.waterfalls:
            name, at = view.capture.group, "median" if waterfall.percentile == 50 else f"p{waterfall.percentile}"
            totals["name"].append(name)
            totals["at"].append(at)
            totals["text"].append(f"{at} {units.format_duration(waterfall.latency_ps)}")
            for kind in dict.fromkeys(stage.cause for stage in waterfall.stages):
                stages = [stage for stage in waterfall.stages if stage.cause == kind]
                share = sum(stage.ps for stage in stages) / waterfall.total_ps
                words = ", ".join(f"{stage.name} {units.format_duration(stage.ps)}" for stage in stages)
                row = (name, at, kind, order.index(kind), units.significant(share, 4), words)
                for column, value in zip(bars.values(), row, strict=True):
                    column.append(value)
    spec = _shares_spec([view.capture.group for view in views], kinds)
    description = f"Stacked bars of what {len(views)} links spend their time on at {payload}."
    return Panel(f"{payload} payload", spec, {"b": bars, "t": totals}, description)


def _shares_spec(names: Sequence[str], kinds: Sequence[Cause]) -> Spec:
    y: Spec = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(names), "paddingInner": 0.25},
    }
    y["axis"] = row_axis() | {"grid": False}
    offset: Spec = {"field": "at", "type": "nominal", "scale": {"domain": ["median", "p95"], "paddingInner": 0.12}}
    x: Spec = {"type": "quantitative", "title": "share of the latency", "scale": {"domain": [0, 1.32], "nice": False}}
    x["axis"] = {"format": "~%", "values": [0, 0.25, 0.5, 0.75, 1]}
    tip = tooltip(("name", "link"), ("at", "at"), ("stages", "stages"))
    bars = {
        "data": {"name": "b"},
        "mark": {"type": "bar", "stroke": "var(--paper)", "strokeWidth": 0.5},
        "encoding": {"x": {**x, "field": "share"}, "y": y, "yOffset": offset, "color": by_kind(kinds)}
        | {"order": {"field": "order"}, "tooltip": tip},
    }
    words = {
        "data": {"name": "t"},
        "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 9, "baseline": "middle"},
        "encoding": {"x": {**x, "datum": 1}, "y": y, "yOffset": offset, "text": {"field": "text"}},
    }
    return {"height": PAIR_PX * len(names), "width": "container", "layer": [bars, words]}
