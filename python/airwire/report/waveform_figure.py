"""The wires of a capture over an interval, one below the other as a logic analyser shows them, with the bytes of a bus.

Above the wires each byte is a box over its clock pulses, and below it stands how long it is to the next one; likewise
from one transaction to the next. Words come from whoever draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airwire.report import units
from airwire.report.spec import Columns, Figure, Panel, Spec

LANE_PX = 44
_HIGH = 0.62
"""How much of its lane a wire's high level takes."""
_NARROWEST_SHARE = 0.03
"""A byte that takes less of the width has no room for words."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A wire: its level at the interval's start, and the times at which it changes."""

    name: str
    level: bool
    changes_ps: Sequence[int]


@dataclass(frozen=True, slots=True)
class Mark:
    """A byte: its box, its words, and the span to the next one."""

    start_ps: int
    end_ps: int
    text: str
    span_ps: int | None
    span_text: str


@dataclass(frozen=True, slots=True)
class Span:
    """From one time to another, with its words."""

    start_ps: int
    end_ps: int
    text: str


def waveform_figure(
    title: str,
    caption: str,
    ends_ps: tuple[int, int],
    traces: Sequence[Trace],
    *,
    marks: Sequence[Mark] = (),
    spans: Sequence[Span] = (),
) -> Figure:
    """The wires from one time to another, below the bytes of a bus and the spans of its transactions."""
    start_ps, end_ps = ends_ps
    unit = units.unit_of(end_ps - start_ps)

    def place(time_ps: int) -> float:
        return units.significant((time_ps - start_ps) / unit.ps, 9)

    domain = [0, place(end_ps)]
    names = [*(["bytes"] if marks else []), *(["transactions"] if spans else []), *(trace.name for trace in traces)]
    lanes = len(names)
    layers = [_wires()]
    data = {"w": _wire_columns(traces, ends_ps, place)}
    if marks:
        data["b"] = _mark_columns(marks, ends_ps, lanes - 1, place)
        layers += [*_boxes(), *_spans("b")]
    if spans:
        data["s"] = _span_columns(spans, len(traces), place)
        layers += _spans("s")
    x: Spec = {"type": "quantitative", "scale": {"domain": domain, "nice": False}}
    x |= {"title": f"time ({unit.symbol})", "axis": {"tickCount": 10, "grid": False}}
    spec: Spec = {
        "height": LANE_PX * lanes,
        "width": "container",
        "layer": [_with_axes(one, x, names) for one in layers],
    }
    words = f"{len(traces)} wires over {units.format_duration(end_ps - start_ps)}, {len(marks)} bytes."
    return Figure("waveform", title, caption, [Panel("", spec, data, f"Waveform. {words}")])


def _with_axes(layer: Spec, x: Spec, names: Sequence[str]) -> Spec:
    lanes = len(names)
    middles = [lanes - 1 - lane + _HIGH / 2 for lane in range(lanes)]
    label = " : ".join(
        f"abs(datum.value - {at:.3f}) < 0.01 ? {_quoted(name)}" for at, name in zip(middles, names, strict=True)
    )
    y: Spec = {"type": "quantitative", "title": None, "scale": {"domain": [-0.2, lanes], "nice": False}}
    y["axis"] = {"values": [round(at, 3) for at in middles], "labelExpr": f"{label} : ''", "grid": False}
    y["axis"] |= {"ticks": False, "domain": False, "labelColor": "var(--ink)", "labelPadding": 8}
    encoding = dict(layer["encoding"])
    encoding["x"] = x | encoding["x"]
    encoding["y"] = y | encoding["y"]
    return {**layer, "encoding": encoding}


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _wire_columns(traces: Sequence[Trace], ends_ps: tuple[int, int], place: Callable[[int], float]) -> Columns:
    """A point for each change, and one at each end; a line steps from each to the next."""
    start_ps, end_ps = ends_ps
    columns: Columns = {"t": [], "y": [], "wire": []}
    for lane, trace in enumerate(traces):
        base = len(traces) - 1 - lane
        level = trace.level
        for time in (start_ps, *trace.changes_ps, end_ps):
            level = level if time in (start_ps, end_ps) else not level
            columns["t"].append(place(time))
            columns["y"].append(round(base + _HIGH * level, 3))
            columns["wire"].append(trace.name)
    return columns


def _mark_columns(marks: Sequence[Mark], ends_ps: tuple[int, int], base: int, place: Callable[[int], float]) -> Columns:
    start_ps, end_ps = ends_ps
    narrowest = _NARROWEST_SHARE * (end_ps - start_ps)
    ends = [min(mark.end_ps, end_ps) for mark in marks]
    spans = [None if mark.span_ps is None else mark.start_ps + mark.span_ps for mark in marks]
    spans = [None if end is None or end > end_ps else end for end in spans]
    has_room = [end - mark.start_ps > narrowest for mark, end in zip(marks, ends, strict=True)]
    return {
        "a": [place(mark.start_ps) for mark in marks],
        "b": [place(end) for end in ends],
        "middle": [place((mark.start_ps + end) // 2) for mark, end in zip(marks, ends, strict=True)],
        "text": [mark.text if room else "" for mark, room in zip(marks, has_room, strict=True)],
        "next": [place(mark.start_ps if end is None else end) for mark, end in zip(marks, spans, strict=True)],
        "between": [
            place((mark.start_ps + (mark.start_ps if end is None else end)) // 2)
            for mark, end in zip(marks, spans, strict=True)
        ],
        "span": [
            mark.span_text if end is not None and room else ""
            for mark, end, room in zip(marks, spans, has_room, strict=True)
        ],
        "low": [base + 0.34] * len(marks),
        "high": [base + 0.84] * len(marks),
        "word": [base + 0.59] * len(marks),
        "arrow": [base + 0.18] * len(marks),
        "count": [base - 0.02] * len(marks),
    }


def _span_columns(spans: Sequence[Span], base: int, place: Callable[[int], float]) -> Columns:
    return {
        "a": [place(span.start_ps) for span in spans],
        "next": [place(span.end_ps) for span in spans],
        "between": [place((span.start_ps + span.end_ps) // 2) for span in spans],
        "span": [span.text for span in spans],
        "arrow": [base + 0.5] * len(spans),
        "count": [base + 0.28] * len(spans),
    }


def _wires() -> Spec:
    return {
        "data": {"name": "w"},
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.2, "strokeJoin": "miter"},
        "encoding": {
            "x": {"field": "t"},
            "y": {"field": "y"},
            "detail": {"field": "wire", "type": "nominal"},
            "order": {"field": "t", "type": "quantitative"},
            "color": {"value": "var(--series1)"},
        },
    }


def _boxes() -> list[Spec]:
    """Bytes with their values."""
    data: Spec = {"name": "b"}
    return [
        {
            "data": data,
            "mark": {"type": "rect", "fill": "var(--panel)", "stroke": "var(--muted)"},
            "encoding": {"x": {"field": "a"}, "x2": {"field": "b"}, "y": {"field": "low"}, "y2": {"field": "high"}},
        },
        {
            "data": data,
            "mark": {"type": "text", "fontSize": 10, "color": "var(--ink)"},
            "encoding": {"x": {"field": "middle"}, "y": {"field": "word"}, "text": {"field": "text"}},
        },
    ]


def _spans(table: str) -> list[Spec]:
    """Spans with an end at each side, and their words below them."""
    data: Spec = {"name": table}
    colour = {"color": {"value": "var(--hot)"}}
    return [
        {
            "data": data,
            "transform": [{"filter": "datum.next > datum.a"}],
            "mark": {"type": "rule", "strokeWidth": 1},
            "encoding": {"x": {"field": "a"}, "x2": {"field": "next"}, "y": {"field": "arrow"}, **colour},
        },
        {
            "data": data,
            "transform": [{"filter": "datum.next > datum.a"}, {"fold": ["a", "next"], "as": ["which", "end"]}],
            "mark": {"type": "tick", "thickness": 1, "size": 9, "orient": "vertical"},
            "encoding": {"x": {"field": "end"}, "y": {"field": "arrow"}, **colour},
        },
        {
            "data": data,
            "mark": {"type": "text", "fontSize": 10, "color": "var(--hot)"},
            "encoding": {"x": {"field": "between"}, "y": {"field": "count"}, "text": {"field": "span"}},
        },
    ]
