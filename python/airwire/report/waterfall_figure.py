"""A message's way through a link as a waterfall: one row per stage, each bar beginning where the one before ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from airwire.kinds import Cause
from airwire.link.model import Waterfall
from airwire.report import units
from airwire.report.spec import Columns, Figure, Panel, Spec, row_axis, tooltip
from airwire.report.stage_colours import by_kind, kind_legend, kinds_of

STAGE_PX = 22
# Room beyond the last bar for its label.
_HEADROOM = 1.3
_LAST_WORDS = 0.6


def waterfalls_figure(name: str, title: str, caption: str, found: Sequence[tuple[str, Sequence[Waterfall]]]) -> Figure:
    """The waterfalls of several rows, each with its name, as one figure; without panels where there are none."""
    kinds = kinds_of(waterfall for _, own in found for waterfall in own)
    panels = [panel for row, own in found for panel in _panels(row, own, kinds)]
    return Figure(name, title, caption, panels, kind_legend(kinds), columns=min(2, max(1, len(panels))))


def _panels(row: str, found: Sequence[Waterfall], kinds: Sequence[Cause]) -> list[Panel]:
    """A panel per percentile, all on one scale and with the same stages, so that they can be compared."""
    names = _merged(found)
    longest = max((waterfall.total_ps for waterfall in found), default=0.0)
    if longest <= 0:
        return []
    before = f"{row}: " if row else ""
    return [_panel(waterfall, names, longest, kinds, f"{before}{_title(waterfall)}") for waterfall in found]


def _merged(found: Sequence[Waterfall]) -> list[str]:
    """The stages of all, each behind the one that it follows."""
    names: list[str] = []
    for waterfall in found:
        place = 0
        for stage in waterfall.stages:
            if stage.name not in names:
                names.insert(place, stage.name)
            place = names.index(stage.name) + 1
    return names


def _title(waterfall: Waterfall) -> str:
    at = "the median" if waterfall.percentile == 50 else f"p{waterfall.percentile}"
    return f"Where {at} goes: {units.format_duration(waterfall.latency_ps)}"


def _caption(waterfall: Waterfall) -> str:
    if waterfall.messages == 0:
        return "Mean times in closed form."
    return f"Mean of the {waterfall.messages} traced messages nearest to it."


def _panel(waterfall: Waterfall, names: Sequence[str], longest_ps: float, kinds: Sequence[Cause], title: str) -> Panel:
    unit = units.unit_of(longest_ps)
    ordered = sorted(waterfall.stages, key=lambda stage: names.index(stage.name))
    ends = list(accumulate(stage.ps for stage in ordered))
    total = ends[-1] if ends else 0.0
    data: Columns = {
        "stage": [stage.name for stage in ordered],
        "kind": [stage.cause for stage in ordered],
        "a": [units.significant((end - stage.ps) / unit.ps) for end, stage in zip(ends, ordered, strict=True)],
        "b": [units.significant(end / unit.ps) for end in ends],
        "text": [f"{units.format_duration(stage.ps)} ({_share(stage.ps, total)})" for stage in ordered],
        # Words stand behind a bar, but before one that begins so far right that they would be cut off.
        "before": [end - stage.ps > longest_ps * _LAST_WORDS for end, stage in zip(ends, ordered, strict=True)],
    }
    domain = [0, units.significant(longest_ps * _HEADROOM / unit.ps, 4)]
    spec = _spec(names, kinds, domain, f"time since the trigger ({unit.symbol})")
    words = ", ".join(f"{name} {text}" for name, text in zip(data["stage"], data["text"], strict=True))
    return Panel(title, spec, {"w": data}, f"Waterfall of {len(ordered)} stages: {words}.", _caption(waterfall))


def _share(ps: float, total: float) -> str:
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
