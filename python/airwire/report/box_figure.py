"""Box plots of latency by group and payload, one row for each pair of them.

Captures of one row become one box where they agree. Where their medians lie far apart, a common box would
show a latency that none of them has; each keeps a box of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airwire.report import units
from airwire.report.payloads import Payloads, by_payload, payload_legend
from airwire.report.quantiles import pooled_quantiles, quantile_columns, quantiles_of
from airwire.report.samples import CaptureView, by_group
from airwire.report.spec import (
    ROW_PX,
    Columns,
    Figure,
    Panel,
    Spec,
    log_x,
    quantile_span,
    row_axis,
    tooltip,
)

POOLED_UP_TO_RATIO = 2.0
"""Captures are pooled where the longest of their medians is at most this many times the shortest."""
MOST_IN_A_ROW = 3
"""More boxes than these smear: each then has a row of its own."""


@dataclass(frozen=True, slots=True)
class _Box:
    group: str
    payload: str
    captures: str
    quantiles: dict[str, float]
    alone: bool = False
    """Whether no other box is in its row."""

    @property
    def row(self) -> str:
        return f"{self.group}\u2003{self.captures if self.alone else self.payload}"


def boxes(views: Sequence[CaptureView], payloads: Payloads) -> Figure:
    """Boxes of all captures, groups from the shortest median to the longest."""
    drawn: list[_Box] = []
    for group, members in by_group(views):
        for payload in payloads:
            drawn += _boxes_of_row(group, payload, [view for view in members if view.payload == payload])
    ends = [units.to_ms(box.quantiles[name]) for box in drawn for name in ("p5", "p95")]
    groups = _groups_by_median(drawn)
    drawn.sort(key=lambda box: groups.index(box.group))
    panel = _panel(drawn, payloads, units.padded_log_domain(ends))
    caption = (
        "Box from p25 to p75 with the median, whiskers to p5 and p95, logarithmic axis. Captures of the same "
        "group and payload share a row: one box of all their samples where their medians agree "
        f"within a factor of {POOLED_UP_TO_RATIO:g}, else a box each, and of many a row each. "
        "Groups from the fastest to the slowest."
    )
    return Figure("boxes", "Latency by group and payload", caption, [panel], payload_legend(payloads))


def _boxes_of_row(group: str, payload: str, views: Sequence[CaptureView]) -> Iterator[_Box]:
    medians = [view.median_ps for view in views]
    if len(views) > 1 and max(medians) <= POOLED_UP_TO_RATIO * min(medians):
        yield _Box(group, payload, f"{len(views)} pooled", pooled_quantiles(views))
        return
    for view in views:
        yield _Box(group, payload, view.short_label, quantiles_of(view), len(views) > MOST_IN_A_ROW)


def _groups_by_median(drawn: Sequence[_Box]) -> list[str]:
    medians: dict[str, float] = {}
    for box in drawn:
        median = box.quantiles["p50"]
        medians[box.group] = min(medians.get(box.group, median), median)
    return sorted(medians, key=lambda group: (medians[group], group))


def _columns(drawn: Sequence[_Box]) -> Columns:
    columns: Columns = {
        "row": [box.row for box in drawn],
        "group": [box.group for box in drawn],
        "payload": [box.payload for box in drawn],
        "captures": [box.captures for box in drawn],
    }
    return columns | quantile_columns([box.quantiles for box in drawn])


def _panel(drawn: Sequence[_Box], payloads: Payloads, domain: tuple[float, float]) -> Panel:
    rows = list(dict.fromkeys(box.row for box in drawn))
    first_of_group: dict[str, str] = {}
    for box in drawn:
        first_of_group.setdefault(box.group, box.row)
    y = {
        "field": "row",
        "type": "nominal",
        "title": None,
        "scale": {"domain": rows},
        "axis": row_axis() | {"labelLimit": 340},
    }
    layers = [_separators(y), *_box_layers(payloads, domain, y)]
    data: dict[str, Columns] = {"b": _columns(drawn), "groups": {"row": list(first_of_group.values())[1:]}}
    spec = {"data": {"name": "b"}, "height": ROW_PX * len(rows), "width": "container", "layer": layers}
    description = f"Box plots of {len(rows)} combinations of group and payload."
    return Panel("", spec, data, description, wide=True)


def _separators(y: Spec) -> Spec:
    """Lines above the first row of every group but the first."""
    return {
        "data": {"name": "groups"},
        "mark": {"type": "rule", "color": "var(--line)", "yOffset": -ROW_PX / 2},
        "encoding": {"y": y},
    }


def _box_layers(payloads: Payloads, domain: tuple[float, float], y: Spec) -> list[Spec]:
    colour = by_payload(payloads, "color")
    tip = tooltip(("group", "group"), ("payload", "payload"), ("captures", "captures"), ("text", "latency"))
    box = {"x": log_x("p25", domain), "x2": {"field": "p75"}, "y": y, "color": colour, "tooltip": tip}
    median = {"x": log_x("p50", domain), "y": y, "tooltip": tip}
    return [
        quantile_span("p5", "p95", domain, y, colour, width=1.2),
        {"mark": {"type": "bar", "height": 10, "opacity": 0.4}, "encoding": box},
        {
            "mark": {"type": "tick", "color": "var(--ink)", "thickness": 2, "bandSize": 12, "height": 12},
            "encoding": median,
        },
    ]
