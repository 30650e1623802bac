"""The overview figures over all captures of an analysis; the page and the figure files both start here.

The ranking by upper quartile is here, the rest in ``link_figures``, ``box_figure``, ``distributions`` and
``outcome_figure``.
Single captures are drawn in ``capture_figures``.
"""

from __future__ import annotations

from collections.abc import Sequence

from airwire.report import units
from airwire.report.box_figure import boxes
from airwire.report.distributions import ecdfs, ridgelines
from airwire.report.link_figures import ranking_by_median, shares_figure
from airwire.report.outcome_figure import outcomes
from airwire.report.payloads import Payloads, by_payload, payload_legend, payloads_of
from airwire.report.published_figure import published_figure
from airwire.report.quantiles import quantile_columns, quantiles_of
from airwire.report.samples import CaptureView, drawable, views_of_boards, views_of_links, views_without_boards
from airwire.report.spec import ROW_PX, Figure, Panel, Spec, log_x, quantile_span, row_axis, tooltip

ROWS_PER_PANEL = 60


def overview_figures(views: Sequence[CaptureView]) -> list[Figure]:
    """Every overview figure that has something to show, in reading order: as files."""
    shown = drawable(views)
    figures = [published_figure(views)]
    links = views_of_links(shown)
    if links:
        payloads = payloads_of(links)
        figures += [ranking_by_median(links, payloads), shares_figure(links, payloads)]
    elif shown and not views_of_boards(shown):
        figures.append(_ranking(shown, payloads_of(shown)))
    return [*filter(None, figures), *further_figures(views)]


def further_figures(views: Sequence[CaptureView]) -> list[Figure]:
    """Those that the page folds, because its first picture and its rows say the main things."""
    views = views_without_boards(views)
    shown = drawable(views)
    figures: list[Figure] = []
    if shown:
        payloads = payloads_of(shown)
        figures = [boxes(shown, payloads), ridgelines(shown, payloads), ecdfs(shown)]
    not_paired = outcomes(views)
    return [*figures, not_paired] if not_paired else figures


def _ranking(views: Sequence[CaptureView], payloads: Payloads) -> Figure:
    rows = sorted(((quantiles_of(view), view) for view in views), key=lambda row: (row[0]["p75"], row[1].label))
    ends = [units.to_ms(q[name]) for q, _ in rows for name in ("p50", "p95")]
    domain = units.padded_log_domain(ends)
    chunks = -(-len(rows) // ROWS_PER_PANEL)
    size = -(-len(rows) // chunks)
    panels = []
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        title = f"Ranks {start + 1} to {start + len(part)}" if chunks > 1 else ""
        panels.append(_ranking_panel(part, payloads, domain, title=title))
    caption = "Captures from the shortest upper quartile to the longest: symbol at the median, thick bar to p75, "
    caption += "thin line to p95, logarithmic axis."
    return Figure(
        "ranking", "Ranking by upper quartile", caption, panels, payload_legend(payloads), columns=len(panels)
    )


def _ranking_panel(
    rows: Sequence[tuple[dict[str, float], CaptureView]],
    payloads: Payloads,
    domain: tuple[float, float],
    *,
    title: str,
) -> Panel:
    labels = [view.label for _, view in rows]
    data = {"r": {"name": labels, "payload": [v.payload for _, v in rows]} | quantile_columns([q for q, _ in rows])}
    y = {"field": "name", "type": "nominal", "title": None, "scale": {"domain": labels}, "axis": row_axis()}
    colour = by_payload(payloads, "color")
    tip = tooltip(("name", "capture"), ("payload", "payload"), ("text", "latency"))
    shape = by_payload(payloads, "shape")
    layers: list[Spec] = [
        quantile_span("p50", "p95", domain, y, colour, width=1.2),
        quantile_span("p50", "p75", domain, y, colour, width=5),
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
