"""Heat maps: the figure at each pair of values of the two axes that matter most, the rest as in the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from airwire.report import units
from airwire.report.spec import Columns, Figure, Panel, Spec, tooltip
from airwire.report.sweep.data import Axis, Combination, SweepData

CELL_PX = 30
_MOST_CELLS = 24
_WITH_TEXT = 7
"""Beyond so many columns a cell has no room for its figure."""


def heat_map(data: SweepData, name: str) -> Figure | None:
    """The heat map of an entry with two axes or more, of which every combination was run."""
    axes = [axis for axis in data.by_effect() if len(axis.values) <= _MOST_CELLS]
    if len(axes) < 2 or not data.has_all:
        return None
    # The axis with more values lies along the page.
    across, down = sorted(axes[:2], key=lambda axis: len(axis.values), reverse=True)
    best = data.combinations[0].values
    kept = [
        one
        for one in data.combinations
        if all(one.values.get(other) == best.get(other) for other in best if other not in (across.name, down.name))
    ]
    rest = ", ".join(f"{other} {best[other]}" for other in best if other not in (across.name, down.name))
    where = f" at {rest}, as in the best combination" if rest else ""
    better = "shorter" if data.unit == "ps" else "higher"
    caption = f"{down.name} over {across.name}{where}. The stronger the colour, the {better} and better the figure."
    panel = _panel(data, across, down, kept)
    return Figure(name, f"Heat map of {data.entry}", caption, [panel])


def _panel(data: SweepData, across: Axis, down: Axis, kept: Sequence[Combination]) -> Panel:
    columns = [str(value) for value in across.values]
    rows = [str(value) for value in down.values]
    table: Columns = {
        "x": [str(one.values[across.name]) for one in kept],
        "y": [str(one.values[down.name]) for one in kept],
        "strength": [units.significant(strength, 3) for strength in _strengths(data, kept)],
        "figure": [data.words(one.figure) for one in kept],
    }
    x: Spec = {"field": "x", "type": "ordinal", "sort": columns, "title": across.name}
    x["axis"] = {"labelAngle": 0, "labelOverlap": True, "grid": False, "domain": False, "ticks": False}
    y: Spec = {"field": "y", "type": "ordinal", "sort": rows, "title": down.name}
    # Not an axis of rows, whose names a narrow page puts above their marks: there is no room in a cell.
    y["axis"] = {"grid": False, "domainOpacity": 0, "ticks": False}
    opacity: Spec = {"field": "strength", "type": "quantitative", "legend": None}
    opacity["scale"] = {"domain": [0, 1], "range": [0.06, 0.8]}
    tip = tooltip(("x", across.name), ("y", down.name), ("figure", "figure"))
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "color": "var(--mark)", "stroke": "var(--paper)", "strokeWidth": 1},
            "encoding": {"x": x, "y": y, "fillOpacity": opacity, "tooltip": tip},
        }
    ]
    if len(columns) <= _WITH_TEXT:
        words = {"type": "text", "color": "var(--ink)", "fontSize": 11}
        layers.append({"mark": words, "encoding": {"x": x, "y": y, "text": {"field": "figure"}, "tooltip": tip}})
    spec = {"data": {"name": "r"}, "width": "container", "height": CELL_PX * len(rows), "layer": layers}
    best, worst = data.words(data.combinations[0].figure), data.words(data.combinations[-1].figure)
    description = f"{len(rows)} values of {down.name} over {len(columns)} of {across.name}, from {best} to {worst}."
    return Panel("", spec, {"r": table}, description)


def _strengths(data: SweepData, kept: Sequence[Combination]) -> list[float]:
    """From 0 of the worst to 1 of the best, in logarithms where all are above 0."""
    figures = [one.figure for one in kept]
    scaled = [math.log(figure) for figure in figures] if min(figures) > 0 else figures
    low, high = min(scaled), max(scaled)
    shares = [(value - low) / (high - low) if high > low else 1.0 for value in scaled]
    return [1 - share for share in shares] if data.unit == "ps" else shares
