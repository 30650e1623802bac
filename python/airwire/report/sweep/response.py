"""Response curves: the figure over each axis, with its interval, everything else as in the best combination."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.report import theme
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec, tooltip
from airwire.report.sweep.data import Axis, Combination, SweepData

HEIGHT_PX = 220
_MOST_CURVES = 6
_MOST_LABELS = 12


def response_figure(data: SweepData, name: str) -> Figure | None:
    """A panel for each axis: its curve, and one for each value of the other axis that matters most."""
    axes = data.by_effect()
    panels = [_panel(data, axis, _other(axes, axis) if data.has_all else None) for axis in axes]
    if not panels:
        return None
    if data.has_all:
        caption = (
            "The figure over each axis, its 95 % interval as a bar; everything else is as in the best combination."
        )
    else:
        caption = "Every combination that was run over each axis, its 95 % interval as a bar."
    return Figure(name, f"Response of {data.entry}", caption, panels, columns=2)


def _other(axes: Sequence[Axis], axis: Axis) -> Axis | None:
    """The axis that the curves of a panel are told apart by."""
    return next((one for one in axes if one is not axis and len(one.values) <= _MOST_CURVES), None)


def _panel(data: SweepData, axis: Axis, other: Axis | None) -> Panel:
    best = data.combinations[0].values
    free = {axis.name, *([other.name] if other else [])}
    kept = [
        one
        for one in data.combinations
        if not data.has_all or all(one.values.get(name) == best.get(name) for name in best if name not in free)
    ]
    kept.sort(key=lambda one: axis.values.index(one.values[axis.name]) if axis.name in one.values else 0)
    kept = [one for one in kept if axis.name in one.values]
    columns = _columns(data, axis, other, kept)
    names = [str(value) for value in other.values] if other else [""]
    spec = _spec(axis, data.channel("y", kept), names, is_curve=data.has_all)
    told = f" and {other.name}" if other else ""
    description = f"{data.entry} over {axis.name}{told}: best {data.words(data.combinations[0].figure)}."
    return Panel(f"{axis.name}{f', by {other.name}' if other else ''}", spec, {"r": columns}, description,
                 legend=_legend(other, names))  # fmt: skip


def _legend(other: Axis | None, names: Sequence[str]) -> list[LegendEntry]:
    if other is None:
        return []
    return [
        LegendEntry(f"{other.name} {value}", theme.SERIES[place], theme.SHAPES[place])
        for place, value in enumerate(names)
    ]


def _columns(data: SweepData, axis: Axis, other: Axis | None, kept: Sequence[Combination]) -> Columns:
    return {
        "x": [one.values[axis.name] if axis.is_a_scale else str(one.values[axis.name]) for one in kept],
        "y": [data.shown(one.figure) for one in kept],
        "low": [data.shown(one.figure if one.low is None else one.low) for one in kept],
        "high": [data.shown(one.figure if one.high is None else one.high) for one in kept],
        "by": [str(one.values.get(other.name, "")) if other else "" for one in kept],
        "text": [_words(data, one) for one in kept],
    }


def _words(data: SweepData, one: Combination) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in one.values.items())
    interval = "" if one.low is None or one.high is None else f" ({data.words(one.low)} to {data.words(one.high)})"
    return f"{settings}: {data.words(one.figure)}{interval}"


def _spec(axis: Axis, y: Spec, names: Sequence[str], *, is_curve: bool) -> Spec:
    x: Spec = {"field": "x", "title": axis.name}
    if axis.is_a_scale:
        numbers = [value for value in axis.values if isinstance(value, int | float)]
        wide = min(numbers) > 0 and max(numbers) / min(numbers) >= 20
        # A logarithmic scale has no zero that could be left out.
        scale: Spec = {"type": "log"} if wide else {"type": "linear", "zero": False}
        scale |= {"nice": False, "padding": 12}
        labels = {"values": numbers} if len(numbers) <= _MOST_LABELS else {}
        x |= {"type": "quantitative", "scale": scale, "axis": {"grid": False, "labelOverlap": True, **labels}}
    else:
        order = [str(value) for value in axis.values]
        x |= {"type": "ordinal", "sort": order, "axis": {"labelAngle": 0, "labelOverlap": True, "labelLimit": 90}}
    colour: Spec = {"field": "by", "type": "nominal", "legend": None}
    colour["scale"] = {"domain": list(names), "range": list(theme.SERIES[: len(names)])}
    shape = {**colour, "scale": {"domain": list(names), "range": list(theme.SHAPES[: len(names)])}}
    bar = {"mark": {"type": "rule", "strokeWidth": 1.4, "opacity": 0.75}, "encoding": {
        "x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}}  # fmt: skip
    dot = {"mark": {"type": "point", "filled": True, "size": 46, "opacity": 1}, "encoding": {
        "x": x, "y": y, "color": colour, "shape": shape, "tooltip": tooltip(("text", "combination"))}}  # fmt: skip
    line = {"mark": {"type": "line", "strokeWidth": 1.6, "opacity": 0.8}, "encoding": {"x": x, "y": y, "color": colour}}
    layers = [line, bar, dot] if is_curve else [bar, dot]
    return {"data": {"name": "r"}, "width": "container", "height": HEIGHT_PX, "layer": layers}
