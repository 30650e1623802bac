"""A figure of a row over runs: a line through its values with their intervals, and marks where it changed for sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airwire.report import units
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec, tooltip

LATENCY = "ps"
HEIGHT_PX = 190
_KINDS: Mapping[str, tuple[str, str]] = {
    "slower": ("surely worse than the run before", "var(--hot)"),
    "faster": ("surely better", "var(--series3)"),
    "no_figure": ("lost its figure", "var(--hot)"),
}
_PLAIN = ("no sure change", "var(--mark)")


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run of a trend."""

    name: str
    value: float
    low: float | None
    high: float | None
    shift: str
    """How it differs from the run before (``kinds.Shift``)."""
    text: str
    """What is said of it where the pointer stands on it."""


def trend_figure(name: str, row: str, metric: str, unit: str, points: Sequence[TrendPoint]) -> Figure:
    """The picture of one row."""
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    scale = units.unit_of(max(map(abs, ends))) if unit == LATENCY and ends else None
    factor = scale.ps if scale else 1

    def shown(value: float | None, otherwise: float) -> float:
        return units.significant((otherwise if value is None else value) / factor, 9)

    columns: Columns = {
        "at": list(range(1, len(points) + 1)),
        "name": [point.name for point in points],
        "y": [shown(point.value, 0) for point in points],
        "low": [shown(point.low, point.value) for point in points],
        "high": [shown(point.high, point.value) for point in points],
        "change": [_KINDS.get(point.shift, _PLAIN)[0] for point in points],
        "text": [point.text for point in points],
    }
    title = f"{metric} ({scale.symbol if scale else unit})"
    panel = Panel("", _spec(title, [point.name for point in points]), {"r": columns}, f"{row} over {len(points)} runs.")
    kinds = [*_KINDS.values(), _PLAIN]
    used = {label: colour for label, colour in kinds if label in columns["change"]}
    legend = [LegendEntry(label, colour) for label, colour in used.items()]
    caption = f"{metric} of {row} over {len(points)} runs, the earliest first, each with its 95 % interval."
    return Figure(name, row, caption, [panel], legend)


def _spec(title: str, names: Sequence[str]) -> Spec:
    # Runs are told apart by their places: two may have one name.
    places = f"[{', '.join(repr(name) for name in map(_plain, names))}][datum.value - 1]"
    x: Spec = {"field": "at", "type": "ordinal", "title": None}
    x["axis"] = {"labelExpr": places, "labelAngle": -40, "labelOverlap": True, "labelLimit": 90, "grid": False}
    y: Spec = {"type": "quantitative", "title": title, "scale": {"zero": False}, "axis": {"tickCount": 5}}
    labels = dict([*_KINDS.values(), _PLAIN])
    colour: Spec = {"field": "change", "type": "nominal", "legend": None}
    colour["scale"] = {"domain": list(labels), "range": list(labels.values())}
    line = {"type": "line", "color": "var(--muted)", "strokeWidth": 1.2, "opacity": 0.7}
    layers: list[Spec] = [
        {"mark": line, "encoding": {"x": x, "y": {**y, "field": "y"}}},
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {"x": x, "y": {**y, "field": "y"}, "color": colour, "tooltip": tooltip(("text", "run"))},
        },
    ]
    return {"data": {"name": "r"}, "width": "container", "height": HEIGHT_PX, "layer": layers}


def _plain(name: str) -> str:
    """A name that a Vega expression may hold between quotes."""
    return "".join(sign for sign in name if sign.isalnum() or sign in " ._-+/:=")
