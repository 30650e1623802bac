"""Parallel coordinates: each combination is a line through its values to its figure; the best tenth stands out."""

from __future__ import annotations

import math

from airwire.report import units
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec
from airwire.report.sweep.data import Axis, Combination, SweepData

HEIGHT_PX = 260
MOST_LINES = 400
_MOST_LABELS = 8
_BEST, _REST = "best tenth", "others"


def parallel_figure(data: SweepData, name: str) -> Figure | None:
    """The picture of an entry with two axes or more."""
    axes = [axis for axis in data.axes if len(axis.values) > 1]
    if len(axes) < 2 or len(data.combinations) < 3:
        return None
    count = len(data.combinations)
    step = max(1, math.ceil(count / MOST_LINES))
    shown = list(data.combinations[::step])
    caption = "Each combination is a line through its values to its figure, which is best at the top."
    if step > 1:
        caption += f" Of {count:,} combinations, ranked, each {step}th is drawn."
    legend = [LegendEntry(_BEST, "var(--mark)", dash=[1, 0]), LegendEntry(_REST, "var(--muted)", dash=[1, 0])]
    figure_axis = "latency" if data.unit == "ps" else data.unit
    names = [*(axis.name for axis in axes), figure_axis]
    drawn = {"l": _lines(data, axes, shown, names), "t": _labels(data, axes, names)}
    description = f"{len(shown)} combinations over {', '.join(names[:-1])}."
    panel = Panel("", _spec(names), drawn, description, wide=True)
    return Figure(name, f"Combinations of {data.entry}", caption, [panel], legend)


def _lines(data: SweepData, axes: list[Axis], shown: list[Combination], names: list[str]) -> Columns:
    columns: Columns = {"line": [], "axis": [], "at": [], "is": []}
    best = max(1, round(len(shown) / 10))
    for number, one in enumerate(shown):
        places = [_place(axis, one) for axis in axes]
        ends = [*places, _height(data, one)]
        for name, at in zip(names, ends, strict=True):
            if at is not None:
                row = (number, name, units.significant(at, 4), _BEST if number < best else _REST)
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
    return columns


def _place(axis: Axis, one: Combination) -> float | None:
    """How high a value stands on its axis, by its rank."""
    if axis.name not in one.values:
        return None
    return axis.values.index(one.values[axis.name]) / (len(axis.values) - 1)


def _height(data: SweepData, one: Combination) -> float:
    """How high a figure stands: 1 is the best."""
    best, worst = data.combinations[0].figure, data.combinations[-1].figure
    if best == worst:
        return 1.0
    if min(best, worst) > 0:
        return (math.log(one.figure) - math.log(worst)) / (math.log(best) - math.log(worst))
    return (one.figure - worst) / (best - worst)


def _labels(data: SweepData, axes: list[Axis], names: list[str]) -> Columns:
    """The values beside their axes; of many the ends and some between."""
    columns: Columns = {"axis": [], "at": [], "label": []}
    for axis in axes:
        last = len(axis.values) - 1
        step = max(1, math.ceil(len(axis.values) / _MOST_LABELS))
        for place in {*range(0, last + 1, step), last}:
            for column, value in zip(columns.values(), (axis.name, place / last, str(axis.values[place])), strict=True):
                column.append(value)
    for at, one in ((1.0, data.combinations[0]), (0.0, data.combinations[-1])):
        for column, value in zip(columns.values(), (names[-1], at, data.words(one.figure)), strict=True):
            column.append(value)
    return columns


def _spec(names: list[str]) -> Spec:
    x: Spec = {
        "field": "axis",
        "type": "ordinal",
        "sort": names,
        "title": None,
        "scale": {"type": "point", "padding": 0.4},
    }
    x["axis"] = {
        "labelAngle": 0,
        "grid": True,
        "domain": False,
        "ticks": False,
        "orient": "top",
        "labelColor": "var(--ink)",
    }
    y: Spec = {"field": "at", "type": "quantitative", "axis": None, "scale": {"domain": [-0.04, 1.04], "nice": False}}

    def line(which: str, colour: str, opacity: float, width: float) -> Spec:
        mark = {"type": "line", "color": colour, "opacity": opacity, "strokeWidth": width, "interpolate": "monotone"}
        encoding = {"x": x, "y": y, "detail": {"field": "line", "type": "nominal"}}
        return {"transform": [{"filter": f"datum.is === '{which}'"}], "mark": mark, "encoding": encoding}

    words = {"type": "text", "align": "left", "dx": 5, "fontSize": 10, "color": "var(--ink)"}
    label = {"x": x, "y": y, "text": {"field": "label"}}
    # Lines pass behind the values, which would not be read on them.
    behind = {**words, "stroke": "var(--paper)", "strokeWidth": 4, "strokeJoin": "round"}
    texts = [{"data": {"name": "t"}, "mark": mark, "encoding": label} for mark in (behind, words)]
    layers = [line(_REST, "var(--muted)", 0.3, 1), line(_BEST, "var(--mark)", 0.9, 1.8), *texts]
    return {"data": {"name": "l"}, "width": "container", "height": HEIGHT_PX, "layer": layers}
