"""Phase plots of a periodic finding: where in the gate's period triggers fall, and when done edges come out.

Latencies behind a gate fall along a diagonal over the trigger's phase, and done edges gather at one phase. A
frozen phase shows as a sliver of the period.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.report import density, units
from airwire.report.evidence import number, period_of
from airwire.report.latency_scale import LatencyScale
from airwire.report.samples import CaptureView
from airwire.report.spec import Columns, Panel, Spec, tooltip

if TYPE_CHECKING:
    from airwire.model import Finding

PHASE_BINS = 60
PHASE_KINDS = ("gate", "frozen_phase", "phase_coverage")
_TITLES = {"gate": "Gate", "frozen_phase": "Frozen phase", "phase_coverage": "Phase coverage"}
_CAPTIONS = {
    "gate": "Along a falling diagonal, latency is the wait for the gate to open.",
    "phase_coverage": "Where there are no points, no trigger met that phase.",
}


def speaks_of_phases(finding: Finding) -> bool:
    """Whether a finding is told by the phases of its period.

    Not where its evidence is a creep: the triggers are then whole periods apart, and by their own clock all of
    them have one phase.
    """
    return finding.kind in PHASE_KINDS and number(finding.evidence, "drift_per_trigger_ps") is None


def phase_panels(view: CaptureView, scale: LatencyScale, kept: list[int], findings: Sequence[Finding]) -> list[Panel]:
    """Latency over the trigger's phase and, for a gate, the histogram of the done edges' phase.

    All ``findings`` speak of one period.
    """
    period = period_of(findings[0])
    if period is None:
        return []
    kinds = [kind for kind in PHASE_KINDS if any(finding.kind == kind for finding in findings)]
    scatter = _scatter(view, scale, kept, kinds, period)
    return [scatter, _done_phases(view, period)] if "gate" in kinds else [scatter]


def _phase_x(field: str, title: str, unit: units.Unit, period: float) -> Spec:
    domain = [0, units.significant(period / unit.ps)]
    return {
        "field": field,
        "type": "quantitative",
        "title": f"{title} ({unit.symbol}, period {units.format_duration(period)})",
        "scale": {"domain": domain, "nice": False},
        "axis": {"tickCount": 5, "grid": False},
    }


def _scatter(view: CaptureView, scale: LatencyScale, kept: list[int], kinds: Sequence[str], period: float) -> Panel:
    unit = units.unit_of(period)
    phases = [_phase(view.trigger_ps[place], period) / unit.ps for place in kept]
    data: dict[str, Columns] = {
        "p": {
            "x": [units.significant(phase, 5) for phase in phases],
            "y": [scale.value(view.latency_ps[place]) for place in kept],
        }
    }
    name = units.format_duration(period)
    x = _phase_x("x", "trigger phase", unit, period)
    points: Spec = {
        "data": {"name": "p"},
        "mark": {"type": "point", "filled": True, "size": 9, "opacity": 0.55, "color": "var(--mark)"},
        "encoding": {
            "x": x,
            "y": scale.channel("y"),
            "tooltip": tooltip(("x", f"phase ({unit.symbol})"), ("y", scale.title)),
        },
    }
    layers = [points]
    captions = [_CAPTIONS[kind] for kind in kinds if kind in _CAPTIONS]
    if "frozen_phase" in kinds:
        begin, length = density.covered_arc(phases, period / unit.ps)
        layers.insert(0, _sliver(begin, length, period / unit.ps, x, data))
        share = units.format_share(length * unit.ps / period)
        captions.append(f"Band: the {share} of the period that the triggers met.")
    spec = {"width": "container", "height": 170, "layer": layers}
    title = f"{_TITLES[kinds[0]]}: latency over trigger phase"
    caption = " ".join(captions)
    return Panel(title, spec, data, f"Scatter plot of latency over the phase of a period of {name}.", caption)


def _phase(ps: int, period: float) -> float:
    return ps % period if isinstance(period, int) else float(ps) % period


def _sliver(begin: float, length: float, period: float, x: Spec, data: dict[str, Columns]) -> Spec:
    end = begin + length
    bands = [(begin, end)] if end <= period else [(begin, period), (0.0, end - period)]
    data["arc"] = {
        "a": [units.significant(a) for a, _ in bands],
        "b": [units.significant(b) for _, b in bands],
    }
    return {
        "data": {"name": "arc"},
        "mark": {"type": "rect", "color": "var(--hot)", "opacity": 0.16, "stroke": "var(--hot)"},
        "encoding": {"x": {**x, "field": "a"}, "x2": {"field": "b"}},
    }


def _done_phases(view: CaptureView, period: float) -> Panel:
    unit = units.unit_of(period)
    width = period / PHASE_BINS
    counts = [0] * PHASE_BINS
    for done in view.done_ps:
        if done is not None:
            counts[min(int(_phase(done, period) / width), PHASE_BINS - 1)] += 1
    edges = [units.significant(place * width / unit.ps, 5) for place in range(PHASE_BINS + 1)]
    data: dict[str, Columns] = {"g": {"a": edges[:-1], "b": edges[1:], "n": list(counts)}}
    name = units.format_duration(period)
    spec = {
        "data": {"name": "g"},
        "width": "container",
        "height": 170,
        "mark": {"type": "rect", "color": "var(--mark)", "opacity": 0.8},
        "encoding": {
            "x": _phase_x("a", "done phase", unit, period),
            "x2": {"field": "b"},
            "y": {"field": "n", "type": "quantitative", "title": "done edges", "axis": {"tickCount": 4}},
            "y2": {"datum": 0},
            "tooltip": tooltip(("a", "from"), ("b", "to"), ("n", "done edges")),
        },
    }
    caption = "One narrow peak is a gate; a flat floor is none."
    return Panel("Gate: phase of done edges", spec, data, f"Histogram of done edges over {name}.", caption)
