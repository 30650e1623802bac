"""Where the time of a message goes as a waterfall: one row per stage, each bar beginning where the one before ends.

The largest stages come first and those that take next to nothing share a row: it is a sum by stage, not a sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airwire.kinds import Cause
from airwire.link.model import Waterfall
from airwire.report import units
from airwire.report.spec import Columns, Figure, Panel, Spec, row_axis, tooltip
from airwire.report.stage_colours import by_kind, kind_legend

STAGE_PX = 22
SMALL_SHARE = 0.01
"""Stages that take less of every waterfall stand together."""
# Room beyond the last bar for its label.
_HEADROOM = 1.3
_LAST_WORDS = 0.6


@dataclass(frozen=True, slots=True)
class WaterfallRow:
    """A bar: a stage, or several small ones together."""

    name: str
    kind: Cause
    before_ps: float
    """Where it begins: the sum of the bars before it."""
    ps: float


def waterfall_rows(waterfall: Waterfall, found: Sequence[Waterfall]) -> list[WaterfallRow]:
    """The bars of a waterfall; ``found`` are all that it stands beside, whose bars are the same in the same order."""
    large, small = _large_and_small(found)
    sums = {stage.name: 0.0 for stage in waterfall.stages}
    kinds: dict[str, Cause] = {stage.name: stage.cause for one in found for stage in one.stages}
    for stage in waterfall.stages:
        sums[stage.name] += stage.ps
    rows: list[WaterfallRow] = []
    before = 0.0
    for name in large:
        rows.append(WaterfallRow(name, kinds[name], before, sums.get(name, 0.0)))
        before += rows[-1].ps
    if small:
        rest = sum(sums.get(name, 0.0) for name in small)
        most = max(small, key=lambda name: max(_of(one, name) for one in found))
        rows.append(WaterfallRow(_others(small), kinds[most], before, rest))
    return rows


def _others(small: Sequence[str]) -> str:
    return small[0] if len(small) == 1 else f"{len(small)} others"


def _large_and_small(found: Sequence[Waterfall]) -> tuple[list[str], list[str]]:
    """The names of stages by their largest time in any of the waterfalls, and those that are small in all."""
    names = dict.fromkeys(stage.name for waterfall in found for stage in waterfall.stages)
    most = {name: max(_of(waterfall, name) for waterfall in found) for name in names}
    small = [
        name
        for name in names
        if all(_of(waterfall, name) < SMALL_SHARE * waterfall.total_ps for waterfall in found if waterfall.total_ps > 0)
    ]
    return sorted((name for name in names if name not in small), key=lambda name: -most[name]), small


def _of(waterfall: Waterfall, name: str) -> float:
    return sum(stage.ps for stage in waterfall.stages if stage.name == name)


def waterfalls_figure(name: str, title: str, caption: str, found: Sequence[tuple[str, Sequence[Waterfall]]]) -> Figure:
    """The waterfalls of several rows, each with its name, as one figure; without panels where there are none."""
    kinds = list(dict.fromkeys(row.kind for _, own in found for one in own for row in waterfall_rows(one, own)))
    panels = [panel for row, own in found for panel in _panels(row, own, kinds)]
    return Figure(name, title, caption, panels, kind_legend(kinds), columns=min(2, max(1, len(panels))))


def _panels(row: str, found: Sequence[Waterfall], kinds: Sequence[Cause]) -> list[Panel]:
    """A panel per percentile, all on one scale and with the same stages, so that they can be compared."""
    longest = max((waterfall.total_ps for waterfall in found), default=0.0)
    if longest <= 0:
        return []
    before = f"{row}: " if row else ""
    return [
        _panel(waterfall, waterfall_rows(waterfall, found), longest, kinds, f"{before}{title_of(waterfall)}")
        for waterfall in found
    ]


def title_of(waterfall: Waterfall) -> str:
    """What a waterfall shows: ``Where the median goes: 61 ms``."""
    at = "the median" if waterfall.percentile == 50 else f"p{waterfall.percentile}"
    return f"Where {at} goes: {units.format_duration(waterfall.latency_ps)}"


def _caption(waterfall: Waterfall) -> str:
    if waterfall.messages == 0:
        return "Mean times in closed form."
    return f"Mean of the {waterfall.messages} traced messages nearest to it."


def _panel(
    waterfall: Waterfall, rows: Sequence[WaterfallRow], longest_ps: float, kinds: Sequence[Cause], title: str
) -> Panel:
    unit = units.unit_of(longest_ps)
    total = waterfall.total_ps
    names = [row.name for row in rows]
    data: Columns = {
        "stage": names,
        "kind": [row.kind for row in rows],
        "a": [units.significant(row.before_ps / unit.ps) for row in rows],
        "b": [units.significant((row.before_ps + row.ps) / unit.ps) for row in rows],
        "text": [f"{units.format_duration(row.ps)} ({percent_of(row.ps, total)})" for row in rows],
        # Words stand behind a bar, but before one that begins so far right that they would be cut off.
        "before": [row.before_ps > longest_ps * _LAST_WORDS for row in rows],
    }
    domain = [0, units.significant(longest_ps * _HEADROOM / unit.ps, 4)]
    spec = _spec(names, kinds, domain, f"sum by stage ({unit.symbol})")
    words = ", ".join(f"{name} {text}" for name, text in zip(names, data["text"], strict=True))
    return Panel(title, spec, {"w": data}, f"Waterfall of {len(rows)} stages: {words}.", _caption(waterfall))


def percent_of(ps: float, total: float) -> str:
    """A share of a sum in whole percent."""
    percent = 100 * ps / total if total else 0.0
    return "under 1 %" if 0 < percent < 1 else f"{percent:.0f} %"


def _spec(names: Sequence[str], kinds: Sequence[Cause], domain: Sequence[float], title: str) -> Spec:
    y: Spec = {"field": "stage", "type": "nominal", "title": None, "scale": {"domain": list(names)}, "axis": row_axis()}
    x: Spec = {"type": "quantitative", "title": title, "scale": {"domain": list(domain), "nice": False}}
    x["axis"] = {"tickCount": 5}
    tip = tooltip(("stage", "stage"), ("kind", "kind"), ("text", "time"))
    bars = {
        "mark": {"type": "bar", "height": 13},
        "encoding": {"x": {**x, "field": "a"}, "x2": {"field": "b"}, "y": y, "color": by_kind(kinds), "tooltip": tip},
    }
    words = [
        {
            "transform": [{"filter": test}],
            "mark": {"type": "text", "align": align, "dx": dx, "fontSize": 10, "color": "var(--ink)"},
            "encoding": {"x": {**x, "field": end}, "y": y, "text": {"field": "text"}},
        }
        for test, align, dx, end in (("!datum.before", "left", 4, "b"), ("datum.before", "right", -4, "a"))
    ]
    return {"data": {"name": "w"}, "height": STAGE_PX * len(names), "width": "container", "layer": [bars, *words]}
