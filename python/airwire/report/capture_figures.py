"""The charts of one capture: latency over time, its histogram, and what its findings claim.

A finding's evidence is drawn where it belongs: levels, drift and bursts over time, the teeth of a comb over
the histogram, gates and frozen phases over the phase of their period, or along a
ramp where latency creeps. Evidence that is missing is not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.report import density, theme, units
from airwire.report.annotations import annotate
from airwire.report.evidence import number, period_of
from airwire.report.latency_scale import LatencyScale, scale_of, seconds
from airwire.report.phase_figures import phase_panels, speaks_of_phases
from airwire.report.ramp_figure import ramp_panels
from airwire.report.samples import CaptureView
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec, tooltip

if TYPE_CHECKING:
    from airwire.model import Finding

MAX_PHASE_PERIODS = 3
MAX_RUGS = 500
MAX_TEETH = 60


def capture_figure(view: CaptureView, points: int = density.MAX_SCATTER_POINTS) -> Figure:
    """All charts of one capture, with so many points at most; without panels where nothing was paired."""
    panels: list[Panel] = []
    if view.latency_ps:
        scale = scale_of(view)
        kept = density.thin(view.latency_ps, points)
        panels = [_time_panel(view, scale, kept), _histogram_panel(view, scale)]
        for findings in _by_period(view.capture.findings)[:MAX_PHASE_PERIODS]:
            panels += phase_panels(view, scale, kept, findings)
        panels += ramp_panels(view, kept)
    legend = [
        LegendEntry(outcome, theme.OUTCOME_COLOURS[outcome], theme.OUTCOME_SHAPES[outcome])
        for outcome in dict.fromkeys(outcome for _, outcome in view.unpaired)
        if outcome in theme.OUTCOME_SHAPES
    ]
    return Figure(view.anchor, view.label, "", panels, legend if panels else ())


def _by_period(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings that speak of phases, those of one period together, the most confident period first."""
    periods: dict[float, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: -finding.confidence):
        period = period_of(finding)
        if speaks_of_phases(finding) and period:
            periods.setdefault(period, []).append(finding)
    return list(periods.values())


def _time_panel(view: CaptureView, scale: LatencyScale, kept: list[int]) -> Panel:
    start = min(view.trigger_ps[0], view.unpaired[0][0]) if view.unpaired else view.trigger_ps[0]
    data: dict[str, Columns] = {
        "s": {
            "i": [view.index[place] for place in kept],
            "t": [seconds(view.trigger_ps[place] - start) for place in kept],
            "y": [scale.value(view.latency_ps[place]) for place in kept],
        }
    }
    time: Spec = {"field": "t", "type": "quantitative", "title": "time since the first trigger (s)"}
    time |= {"scale": {"nice": False, "zero": False}, "axis": {"grid": False, "tickCount": 10}}
    point: Spec = {
        "data": {"name": "s"},
        "mark": {"type": "point", "filled": True, "size": 9, "opacity": 0.6, "color": "var(--mark)"},
        "encoding": {
            "x": time,
            "y": scale.channel("y"),
            "tooltip": tooltip(("i", "index"), ("t", "time (s)"), ("y", scale.title)),
        },
    }
    marked = annotate(view, scale, start, time)
    data |= marked.data
    notes = marked.notes
    layers = [*marked.under, point, *marked.over, *_rug(view, start, time, data)]
    if len(kept) < len(view.latency_ps):
        notes.insert(0, f"{len(kept):,} of {len(view.latency_ps):,} samples, extremes kept.")
    spec = {"width": "container", "height": 190, "layer": layers}
    description = f"Scatter plot of {len(view.latency_ps)} latencies over time, median "
    description += f"{units.format_duration(view.median_ps)}."
    return Panel("Latency over time", spec, data, description, " ".join(notes), wide=True)


def _rug(view: CaptureView, start: int, time: Spec, data: dict[str, Columns]) -> list[Spec]:
    if not view.unpaired:
        return []
    stride = -(-len(view.unpaired) // MAX_RUGS)
    marks = view.unpaired[::stride]
    data["u"] = {"t": [seconds(ps - start) for ps, _ in marks], "o": [outcome for _, outcome in marks]}
    kinds = list(dict.fromkeys(data["u"]["o"]))
    colours = [theme.OUTCOME_COLOURS.get(kind, "var(--muted)") for kind in kinds]
    shapes = [theme.OUTCOME_SHAPES.get(kind, "stroke") for kind in kinds]
    outcome = {"field": "o", "type": "nominal", "title": "outcome"}
    return [
        {
            "data": {"name": "u"},
            "mark": {"type": "point", "filled": True, "size": 34, "opacity": 0.9},
            "encoding": {
                "x": time,
                "y": {"value": -7},
                "color": {**outcome, "scale": {"domain": kinds, "range": colours}},
                "shape": {**outcome, "scale": {"domain": kinds, "range": shapes}},
                "tooltip": tooltip(("o", "outcome"), ("t", "time (s)")),
            },
        }
    ]


def _histogram_panel(view: CaptureView, scale: LatencyScale) -> Panel:
    comb = next((finding for finding in view.capture.findings if finding.kind == "comb"), None)
    quantum = (number(comb.evidence, "quantum_ps") or period_of(comb)) if comb else None
    ordered = [ps / scale.unit.ps for ps in view.ordered_ps]
    edges = density.bin_edges(
        ordered, logarithmic=scale.logarithmic, quantum=quantum / scale.unit.ps if quantum else None
    )
    counts = density.counts_between(ordered, edges)
    # Of identical latencies a bin is wider than the axis, and what reaches beyond it would shrink the chart to nothing.
    rounded = [min(max(units.significant(edge), scale.low), scale.high) for edge in edges]
    data: dict[str, Columns] = {"h": {"a": rounded[:-1], "b": rounded[1:], "n": list(counts)}}
    x = scale.channel("a")
    layers: list[Spec] = [
        {
            "data": {"name": "h"},
            "mark": {"type": "rect", "color": "var(--mark)", "opacity": 0.8},
            "encoding": {
                "x": x,
                "x2": {"field": "b"},
                "y": {"field": "n", "type": "quantitative", "title": "samples", "axis": {"tickCount": 4}},
                "y2": {"datum": 0},
                "tooltip": tooltip(("a", "from"), ("b", "to"), ("n", "samples")),
            },
        }
    ]
    caption = "Lines: median (solid) and p95 (dotted)."
    if comb and quantum:
        apart = units.format_duration(quantum)
        if scale.logarithmic or quantum / scale.unit.ps * MAX_TEETH >= scale.high - scale.low:
            layers = [*_teeth(view, scale, comb, quantum, data), *layers]
            caption += f" Dashed: teeth every {apart}."
        else:
            caption += f" Its teeth, {apart} apart, are too close to be drawn."
    layers += _quantile_rules(view, scale, data)
    spec = {"width": "container", "height": 190, "layer": layers}
    return Panel("Histogram", spec, data, f"Histogram of {len(ordered)} latencies.", caption)


def _teeth(
    view: CaptureView, scale: LatencyScale, comb: Finding, quantum: float, data: dict[str, Columns]
) -> list[Spec]:
    offset = number(comb.evidence, "offset_ps") or 0.0
    first = max(0, int((view.ordered_ps[0] - offset) // quantum))
    teeth = [offset + (first + step) * quantum for step in range(MAX_TEETH)]
    inside = [tooth for tooth in teeth if scale.low <= tooth / scale.unit.ps <= scale.high]
    data["teeth"] = {"a": [scale.value(tooth) for tooth in inside]}
    rule = {"type": "rule", "color": "var(--hot)", "strokeDash": [4, 3], "strokeWidth": 1}
    return [{"data": {"name": "teeth"}, "mark": rule, "encoding": {"x": scale.channel("a")}}]


def _quantile_rules(view: CaptureView, scale: LatencyScale, data: dict[str, Columns]) -> list[Spec]:
    p95 = view.statistics.get("p95", density.percentile(view.ordered_ps, 0.95))
    data["q"] = {"a": [scale.value(view.median_ps)]}
    data["q95"] = {"a": [scale.value(p95)]}
    rule: Spec = {"type": "rule", "color": "var(--ink)", "strokeWidth": 1.2}
    x = scale.channel("a")
    return [
        {"data": {"name": "q"}, "mark": rule, "encoding": {"x": x}},
        {"data": {"name": "q95"}, "mark": {**rule, "strokeDash": [2, 2]}, "encoding": {"x": x}},
    ]
