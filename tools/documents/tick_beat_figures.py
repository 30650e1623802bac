"""The pictures of ``docs/explanation/tick-beat.md``, as plain Vega-Lite specifications. ``tick_beat.py`` renders them.

Colours and type are the report's. Times are drawn in milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airwire.report.theme import LIGHT, config, resolve
from airwire.report.units import LABEL_EXPRESSION
from tick_beat_data import ACKED, BLIND, MS, TCP, TICK_PS, WEBSOCKET, Row, Story, Subject, TickRun

Spec = dict[str, Any]

PICTURES = ("tick-beat-runs", "tick-beat-phases", "tick-beat-ranking-12", "tick-beat-ranking-1024")
KINDS = ("captured", "phase-free", "woken by an interrupt")
_KIND_COLOURS = ("var(--series2)", "var(--series1)", "var(--series3)")
_RUN_COLOURS = ("var(--series1)", "var(--series2)")
_BOARDS = {"ESP32": "var(--series1)", "ESP32-C6": "var(--series2)"}
_ROW_PX = 30
_TICK_MS = TICK_PS / MS


def pictures(story: Story) -> Mapping[str, Spec]:
    """Every picture by the name of its file."""
    drawn = (runs(story), phases(story), *(ranking(story.rows[size], size) for size in (12, 1024)))
    return {name: _finished(spec) for name, spec in zip(PICTURES, drawn, strict=True)}


def _finished(spec: Spec) -> Spec:
    finished: Spec = resolve({**spec, "config": config(for_page=False), "padding": 12}, LIGHT)
    return {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **finished}


def runs(story: Story) -> Spec:
    """Latency over time in three pairs of runs, the model with the run's own tick phase over it."""
    panels = [
        _panel(story, "802.15.4, 12 B", (_Shown(ACKED, 12, "acknowledged", 7.0), _Shown(BLIND, 12, "blind", 3.4)), 13),
        _panel(story, "WebSocket", (_Shown(WEBSOCKET, 12, "12 B", 22.0), _Shown(WEBSOCKET, 1024, "1024 B", 4.6)), 28),
        _panel(story, "TCP without power save, 12 B", (_Shown(TCP, 12, "the run crosses the tick", 26.5),), 28),
    ]
    return {"hconcat": panels, "spacing": 26}


@dataclass(frozen=True)
class _Shown:
    """A run in a panel, and where its name stands."""

    subject: Subject
    payload_bytes: int
    name: str
    name_at_ms: float


def _panel(story: Story, title: str, shown: Sequence[_Shown], top_ms: float) -> Spec:
    last_s = max(story.tick_run(one.subject, one.payload_bytes).trigger_ps[-1] for one in shown) / 1e12
    x: Spec = {"field": "t", "type": "quantitative", "title": "time (s)"}
    x |= {"scale": {"domain": [0, last_s * 1.16], "nice": False}, "axis": {"grid": False, "tickCount": 4}}
    y: Spec = {"field": "y", "type": "quantitative", "title": "latency (ms)", "scale": {"domain": [0, top_ms]}}
    layers: list[Spec] = []
    for place, one in enumerate(shown):
        row = story.row(one.subject, one.payload_bytes)
        colour = _RUN_COLOURS[place]
        layers += _run_layers(story, one, colour, x, y, top_ms)
        layers += _aside(row, colour, x, y, last_s * (1.055 + 0.06 * place))
        words = {"type": "text", "align": "left", "color": colour, "fontWeight": 600, "text": one.name}
        layers.append(_at(last_s * 0.12, one.name_at_ms, words, x, y))
    aside = {"type": "text", "align": "right", "baseline": "top", "text": "any phase"}
    layers.append(_at(last_s * 1.16, top_ms, aside, x, y))
    return {"title": title, "width": 235, "height": 240, "layer": layers}


def _at(t: float, ms: float, mark: Spec, x: Spec, y: Spec) -> Spec:
    return {"data": {"values": [{"t": t, "y": ms}]}, "mark": mark, "encoding": {"x": x, "y": y}}


def _run_layers(story: Story, one: _Shown, colour: str, x: Spec, y: Spec, top_ms: float) -> list[Spec]:
    """The messages of a run, and over them the model: the wait for the tick as it stood, and the rest's median."""
    run, row = story.tick_run(one.subject, one.payload_bytes), story.row(one.subject, one.payload_bytes)
    samples = story.captures[one.subject.captures[one.payload_bytes]].samples
    paired = samples.filter(samples["outcome"] == "paired")
    dots = [
        {"t": trigger / 1e12, "y": latency / MS}
        for trigger, latency in zip(paired["trigger_ps"].to_list(), paired["latency_ps"].to_list(), strict=True)
        if latency <= top_ms * MS
    ]
    model = [
        {"t": trigger / 1e12, "y": (wait + row.woken["p50"]) / MS, "part": part}
        for trigger, wait, part in zip(run.trigger_ps, run.wait_ps, _parts(run), strict=True)
    ]
    line = {"type": "line", "color": "var(--ink)", "strokeWidth": 1.4}
    return [
        {
            "data": {"values": dots},
            "mark": {"type": "point", "filled": True, "size": 7, "opacity": 0.45, "color": colour},
            "encoding": {"x": x, "y": y},
        },
        {"data": {"values": model}, "mark": line, "encoding": {"x": x, "y": y, "detail": {"field": "part"}}},
    ]


def _aside(row: Row, colour: str, x: Spec, y: Spec, at_s: float) -> list[Spec]:
    """A bar beside a run, from p5 to p95 of all phases, with the median."""
    bar = {"type": "rule", "color": colour, "strokeWidth": 5, "opacity": 0.55}
    span = {"x": x, "y": {**y, "field": "a"}, "y2": {"field": "b"}}
    ends = {"t": at_s, "a": row.phase_free["p5"] / MS, "b": row.phase_free["p95"] / MS}
    median = {"type": "point", "shape": "stroke", "color": "var(--ink)", "size": 60, "strokeWidth": 2, "opacity": 1}
    return [
        {"data": {"values": [ends]}, "mark": bar, "encoding": span},
        _at(at_s, row.phase_free["p50"] / MS, median, x, y),
    ]


def _parts(run: TickRun) -> list[int]:
    """A number for each message that grows where the run crosses a tick, so that no line is drawn over the fall."""
    parts = [0]
    for before, after in zip(run.wait_ps, run.wait_ps[1:], strict=False):
        parts.append(parts[-1] + (abs(after - before) > TICK_PS / 2))
    return parts


def phases(story: Story) -> Spec:
    """Which part of the tick every run met."""
    ordered = sorted(story.tick_runs, key=lambda run: (run.subject.board, run.wait_ps[0]))
    bars: list[Spec] = []
    words: list[Spec] = []
    for run in ordered:
        texts = {"covered": f"{run.covered_ps / MS:.2f} ms", "ppm": f"{run.ppm:+.1f} ppm"}
        words.append({"row": run.label, **texts})
        parts = _parts(run)
        for part in range(parts[-1] + 1):
            waits = [wait / MS for wait, number in zip(run.wait_ps, parts, strict=True) if number == part]
            bars.append({"row": run.label, "a": min(waits), "b": max(waits), "board": run.subject.board})
    y: Spec = {"field": "row", "type": "nominal", "title": None, "scale": {"domain": [run.label for run in ordered]}}
    y |= {"axis": {"ticks": False, "domain": False, "grid": True, "labelColor": "var(--ink)"}}
    x: Spec = {"type": "quantitative", "title": "wait for the next tick, from the trigger (ms)"}
    x |= {"scale": {"domain": [0, _TICK_MS], "nice": False}}
    boards: Spec = {"field": "board", "type": "nominal", "title": "sent by"}
    boards |= {"scale": {"domain": list(_BOARDS), "range": list(_BOARDS.values())}}
    text = {"type": "text", "align": "right", "color": "var(--ink)"}
    heads = [("covered", 590, "met"), ("ppm", 660, "clocks")]
    return {
        "width": 520,
        "height": 22 * len(ordered),
        "layer": [
            {
                "data": {"values": bars},
                "mark": {"type": "bar", "height": 11, "stroke": None, "minBandSize": 2},
                "encoding": {"y": y, "x": {**x, "field": "a"}, "x2": {"field": "b"}, "color": boards},
            },
            *(
                {
                    "data": {"values": words},
                    "mark": text,
                    "encoding": {"y": y, "x": {"value": right}, "text": {"field": name}},
                }
                for name, right, _ in heads
            ),
            *(
                {
                    "data": {"values": [{}]},
                    "mark": {**text, "text": head, "color": "var(--muted)", "baseline": "bottom"},
                    "encoding": {"x": {"value": right}, "y": {"value": -5}},
                }
                for _, right, head in heads
            ),
        ],
    }


def places(rows: Sequence[Row], row: Row) -> tuple[int, int, int]:
    """The place of a link by captured, phase-free and woken median."""
    captured, free, woken = zip(*(each.medians() for each in rows), strict=True)
    own = row.medians()
    return (
        1 + sum(median < own[0] for median in captured),
        1 + sum(median < own[1] for median in free),
        1 + sum(median < own[2] for median in woken),
    )


def ranking(rows: Sequence[Row], size: int) -> Spec:
    """Medians, quartiles and p5 to p95 of every link, captured, phase-free and woken by an interrupt."""
    lines: list[Spec] = []
    words: list[Spec] = []
    for row in rows:
        found = places(rows, row)
        moved = max(found) - min(found) > 1
        words.append({"row": row.subject.label, "text": " \u2192 ".join(map(str, found)), "moved": moved})
        for kind, of in zip(KINDS, (row.captured, row.phase_free, row.woken), strict=True):
            if kind != KINDS[2] or row.subject.has_tick:
                values = {name: of[name] / MS for name in ("p5", "p25", "p50", "p75", "p95")}
                lines.append({"row": row.subject.label, "kind": kind, **values})
    low, high = min(line["p5"] for line in lines), max(line["p95"] for line in lines)
    x: Spec = {"type": "quantitative", "title": f"latency of {size} B, logarithmic"}
    x |= {"scale": {"type": "log", "domain": [low / 1.3, high * 1.1], "nice": False}}
    x |= {"axis": {"labelExpr": LABEL_EXPRESSION, "values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]}}
    y: Spec = {"field": "row", "type": "nominal", "title": None}
    y |= {"scale": {"domain": [row.subject.label for row in rows], "paddingInner": 0.45}}
    y |= {"axis": {"ticks": False, "domain": False, "labelColor": "var(--ink)"}}
    offset = {"field": "kind", "type": "nominal", "scale": {"domain": list(KINDS)}}
    colour: Spec = {"field": "kind", "type": "nominal", "title": None}
    colour |= {"scale": {"domain": list(KINDS), "range": list(_KIND_COLOURS)}, "legend": None}
    place = {"y": y, "yOffset": offset, "color": colour}
    keyed = {**place, "color": {**colour, "legend": {"symbolType": "square", "symbolStrokeWidth": 0}}}
    width = 520
    return {
        "width": width,
        "height": _ROW_PX * len(rows),
        "layer": [
            _span(lines, ("p5", "p95"), {"type": "rule", "strokeWidth": 1.2}, x, place),
            _span(lines, ("p25", "p75"), {"type": "rule", "strokeWidth": 5, "opacity": 0.5}, x, place),
            {
                "data": {"values": lines},
                "mark": {"type": "tick", "thickness": 2.4, "height": 8, "orient": "vertical"},
                "encoding": {**keyed, "x": {**x, "field": "p50"}},
            },
            {
                "data": {"values": words},
                "mark": {"type": "text", "align": "left", "dx": 14, "fontSize": 11},
                "encoding": {
                    "y": y,
                    "x": {"value": width},
                    "text": {"field": "text"},
                    "color": {"condition": {"test": "datum.moved", "value": "var(--hot)"}, "value": "var(--muted)"},
                },
            },
            {
                "data": {"values": [{}]},
                "mark": {"type": "text", "align": "left", "dx": 14, "baseline": "bottom", "text": "place"},
                "encoding": {"x": {"value": width}, "y": {"value": -5}},
            },
        ],
        "resolve": {"scale": {"color": "independent"}},
    }


def _span(lines: Sequence[Spec], ends: tuple[str, str], mark: Spec, x: Spec, place: Spec) -> Spec:
    encoding = {**place, "x": {**x, "field": ends[0]}, "x2": {"field": ends[1]}}
    return {"data": {"values": list(lines)}, "mark": mark, "encoding": encoding}
