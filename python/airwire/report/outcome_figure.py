"""The overview of what was not paired: bars of triggers by outcome, with the counts in words."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.report import theme, units
from airwire.report.samples import CaptureView
from airwire.report.spec import ROW_PX, Columns, Figure, LegendEntry, Panel, Spec, row_axis, tooltip

OUTCOME_ROWS = 30
_NOT_PAIRED = (*theme.TRIGGER_OUTCOMES, *theme.DONE_OUTCOMES)


def outcomes(views: Sequence[CaptureView]) -> Figure | None:
    """What was not paired, or nothing where every trigger was."""
    shown = [view for view in views if any(view.capture.outcomes.get(kind, 0) for kind in _NOT_PAIRED)]
    silent = [view for view in shown if not view.latency_ps]
    shown = sorted((view for view in shown if view.latency_ps), key=lambda view: -_unpaired_share(view))
    if not shown and not silent:
        return None
    caption = "Share of triggers without a pair, the largest first. The text gives the counts, and those of done "
    caption += "edges that belong to no trigger in time (late, duplicate, spurious), which have no bar."
    if silent:
        caption += f" Nothing at all was paired in {', '.join(view.label for view in silent)}."
    chunks = max(1, -(-len(shown) // OUTCOME_ROWS))
    size = -(-len(shown) // chunks)
    top = max((_unpaired_share(view) for view in shown), default=0.0)
    panels = [
        _outcome_panel(shown[start : start + size], max(top, 0.001)) for start in range(0, len(shown), max(size, 1))
    ]
    legend = [LegendEntry(kind, theme.OUTCOME_COLOURS[kind], "square") for kind in theme.TRIGGER_OUTCOMES]
    return Figure("outcomes", "What was not paired", caption, panels, legend, columns=max(chunks, 1))


def _unpaired_share(view: CaptureView) -> float:
    count = sum(view.capture.outcomes.get(kind, 0) for kind in theme.TRIGGER_OUTCOMES)
    return units.significant(count / max(view.capture.triggers, 1), 4)


def _outcome_panel(views: Sequence[CaptureView], top: float) -> Panel:
    bars: Columns = {"name": [], "outcome": [], "order": [], "share": [], "count": []}
    totals: Columns = {
        "name": [view.label for view in views],
        "total": [_unpaired_share(view) for view in views],
    }
    totals["text"] = []
    for view in views:
        counted, triggers = view.capture.outcomes, max(view.capture.triggers, 1)
        for order, kind in enumerate(theme.TRIGGER_OUTCOMES):
            count = counted.get(kind, 0)
            row = (view.label, kind, order, units.significant(count / triggers, 4), count)
            for column, value in zip(bars.values(), row, strict=True):
                column.append(value)
        counts = (f"{counted[kind]} {kind}" for kind in _NOT_PAIRED if counted.get(kind, 0))
        totals["text"].append(", ".join(counts))
    spec = _outcome_spec(totals["name"], top)
    return Panel("", spec, {"o": bars, "t": totals}, f"Triggers without a pair in {len(views)} captures.")


def _outcome_spec(labels: Sequence[str], top: float) -> Spec:
    y = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(labels)},
        "axis": row_axis(),
    }
    colours = [theme.OUTCOME_COLOURS[kind] for kind in theme.TRIGGER_OUTCOMES]
    x: Spec = {"type": "quantitative", "title": "triggers not paired"}
    x |= {"scale": {"domain": [0, top * 2.2], "nice": False}}
    x |= {"axis": {"format": "~%", "values": units.even_ticks(0, top)}}
    colour = {"field": "outcome", "type": "nominal", "title": "outcome"}
    bars = {
        "data": {"name": "o"},
        "mark": {"type": "bar", "height": 10},
        "encoding": {
            "x": {**x, "field": "share"},
            "y": y,
            "color": {**colour, "scale": {"domain": list(theme.TRIGGER_OUTCOMES), "range": colours}},
            "order": {"field": "order"},
            "tooltip": tooltip(("name", "capture"), ("outcome", "outcome"), ("count", "triggers")),
        },
    }
    words = {
        "data": {"name": "t"},
        "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 10},
        "encoding": {"x": {**x, "field": "total"}, "y": y, "text": {"field": "text"}},
    }
    return {"height": ROW_PX * len(labels), "width": "container", "layer": [bars, words]}
