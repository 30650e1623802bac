"""What findings say of latency over time, as layers over its scatter plot.

Levels, drift, bursts, crossings of a tick and late samples: each kind is drawn once, from the first finding of
that kind whose evidence suffices. The other kinds of finding are drawn over a histogram, over a phase or along a
ramp, in ``capture_figures``, ``phase_figures`` and ``ramp_figure``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from airwire.report import density, units
from airwire.report.evidence import number, numbers
from airwire.report.latency_scale import LatencyScale, seconds
from airwire.report.samples import CaptureView
from airwire.report.spec import Columns, Spec

if TYPE_CHECKING:
    from airwire.model import Finding

MAX_BANDS = 200
MAX_LEVELS = 60
LATE_TOLERANCE = 0.1
"""How far from a whole number of periods a latency may lie and still be ringed, in periods."""


@dataclass(slots=True)
class Annotations:
    """Layers below and above the points, their data, and a sentence for each.

    Evidence counts time from the first paired trigger, the axis from ``start_ps``.
    """

    view: CaptureView
    scale: LatencyScale
    start_ps: int
    time: Spec
    under: list[Spec] = field(default_factory=list)
    over: list[Spec] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    data: dict[str, Columns] = field(default_factory=dict)

    def seconds_of(self, evidence_ps: float) -> float:
        """A time of the evidence on the axis."""
        return seconds(self.view.trigger_ps[0] - self.start_ps + int(evidence_ps))


def annotate(view: CaptureView, scale: LatencyScale, start_ps: int, time: Spec) -> Annotations:
    """The layers for all findings of a capture; ``time`` is the x channel of the scatter plot."""
    marked = Annotations(view, scale, start_ps, time)
    draw = {"gate": _crossing, "bursts": _bursts, "steps": _levels, "drift": _drift, "loss_as_latency": _late}
    for finding in view.capture.findings:
        if finding.kind in draw and finding.kind not in marked.data:
            draw[finding.kind](finding, marked)
    return marked


def _crossing(finding: Finding, marked: Annotations) -> None:
    at = number(finding.evidence, "crossing_at_ps")
    if at is None:
        return
    marked.data["gate"] = {"t": [marked.seconds_of(at)]}
    marked.notes.append("Dash-dotted: where the run crosses a tick.")
    rule = {"type": "rule", "color": "var(--hot)", "strokeDash": [8, 3, 2, 3], "strokeWidth": 1.4}
    marked.over.append({"data": {"name": "gate"}, "mark": rule, "encoding": {"x": marked.time}})
    drift = number(finding.evidence, "drift_per_trigger_ps")
    if drift is not None:
        _creep(drift, marked.view.trigger_ps[0] + int(at), marked)


def _creep(drift_per_trigger_ps: float, crossing_ps: int, marked: Annotations) -> None:
    """The ramps on both sides of a crossing, each through the middle of its samples."""
    view = marked.view
    triggers = view.index[-1] - view.index[0]
    if triggers < 1:
        return
    slope = drift_per_trigger_ps * triggers / (view.trigger_ps[-1] - view.trigger_ps[0])
    before = sum(trigger < crossing_ps for trigger in view.trigger_ps)
    columns: Columns = {"t": [], "y": [], "side": []}
    for name, side in (("before", slice(0, before)), ("after", slice(before, None))):
        times, latencies = view.trigger_ps[side], view.latency_ps[side]
        if not times:
            continue
        level = median(ps - slope * (time - times[0]) for time, ps in zip(times, latencies, strict=True))
        for time in (times[0], times[-1]):
            columns["t"].append(seconds(time - marked.start_ps))
            columns["y"].append(marked.scale.value(level + slope * (time - times[0])))
            columns["side"].append(name)
    marked.data["creep"] = columns
    sign = "-" if drift_per_trigger_ps < 0 else "+"
    marked.notes.append(f"Solid lines: creep of {sign}{units.format_duration(abs(drift_per_trigger_ps))} per trigger.")
    line = {"type": "line", "color": "var(--hot)", "strokeWidth": 1.8, "clip": True}
    encoding = {"x": marked.time, "y": marked.scale.channel("y"), "detail": {"field": "side"}}
    marked.over.append({"data": {"name": "creep"}, "mark": line, "encoding": encoding})


def _bursts(finding: Finding, marked: Annotations) -> None:
    starts = numbers(finding.evidence, "starts_ps")[:MAX_BANDS]
    if not starts:
        return
    durations = numbers(finding.evidence, "durations_ps")
    longest = number(finding.evidence, "duration_ps") or 0.0
    durations += [longest] * (len(starts) - len(durations))
    ends = [start + length for start, length in zip(starts, durations, strict=False)]
    marked.data["bursts"] = {
        "a": [marked.seconds_of(ps) for ps in starts],
        "b": [marked.seconds_of(ps) for ps in ends],
    }
    marked.notes.append("Bands: bursts.")
    marked.under.append(
        {
            "data": {"name": "bursts"},
            "mark": {"type": "rect", "color": "var(--hot)", "opacity": 0.16, "stroke": "var(--hot)"},
            "encoding": {"x": {**marked.time, "field": "a"}, "x2": {"field": "b"}},
        }
    )


def _levels(finding: Finding, marked: Annotations) -> None:
    scale = marked.scale
    levels = sorted(numbers(finding.evidence, "levels_ps"))[:MAX_LEVELS]
    levels = [level for level in levels if scale.low <= level / scale.unit.ps <= scale.high]
    if not levels:
        return
    marked.data["steps"] = {"y": [scale.value(level) for level in levels]}
    shown = ", ".join(units.format_duration(level) for level in levels[:6]) + (" …" if len(levels) > 6 else "")
    marked.notes.append(f"Dashed: levels at {shown}.")
    rule = {"type": "rule", "color": "var(--hot)", "strokeDash": [6, 3], "strokeWidth": 1.2}
    marked.over.append({"data": {"name": "steps"}, "mark": rule, "encoding": {"y": scale.channel("y")}})


def _drift(finding: Finding, marked: Annotations) -> None:
    medians = numbers(finding.evidence, "block_medians_ps")[:MAX_LEVELS]
    slope = number(finding.evidence, "slope_ps_per_s")
    count = len(marked.view.trigger_ps)
    if 1 < len(medians) <= count:
        middles = [(2 * block + 1) * count // (2 * len(medians)) for block in range(len(medians))]
        points = [
            (seconds(marked.view.trigger_ps[place] - marked.start_ps), median)
            for place, median in zip(middles, medians, strict=True)
        ]
        marked.notes.append(f"Solid line: medians of {len(medians)} equal parts of the run.")
    elif slope is not None:
        points = _sloped(slope, marked)
        sign = "-" if slope < 0 else "+"
        marked.notes.append(f"Solid line: drift of {sign}{units.format_duration(abs(slope))} per second.")
    else:
        return
    marked.data["drift"] = {
        "t": [time for time, _ in points],
        "y": [marked.scale.value(latency) for _, latency in points],
    }
    line = {"type": "line", "color": "var(--hot)", "strokeWidth": 1.8, "clip": True}
    encoding = {"x": marked.time, "y": marked.scale.channel("y")}
    marked.over.append({"data": {"name": "drift"}, "mark": line, "encoding": encoding})


def _sloped(slope_ps_per_s: float, marked: Annotations) -> list[tuple[float, float]]:
    view = marked.view
    ends = [seconds(view.trigger_ps[place] - marked.start_ps) for place in (0, -1)]
    middle = sum(ends) / 2
    return [(end, view.median_ps + slope_ps_per_s * (end - middle)) for end in ends]


def _late(finding: Finding, marked: Annotations) -> None:
    offset = number(finding.evidence, "late_offset_ps")
    if offset is None or offset <= 0:
        return
    view = marked.view
    typical = number(finding.evidence, "typical_ps")
    base = view.median_ps if typical is None else typical
    late = [
        (trigger, latency)
        for trigger, latency in zip(view.trigger_ps, view.latency_ps, strict=True)
        if _whole_periods_late((latency - base) / offset)
    ]
    if not late:
        return
    kept = [late[place] for place in density.thin([latency for _, latency in late], density.MAX_SCATTER_POINTS // 4)]
    marked.data["loss_as_latency"] = {
        "t": [seconds(trigger - marked.start_ps) for trigger, _ in kept],
        "y": [marked.scale.value(latency) for _, latency in kept],
    }
    marked.notes.append(f"Ringed: {len(late)} samples late by about {units.format_duration(offset)} or a multiple.")
    ring = {"type": "point", "filled": False, "shape": "diamond", "size": 60, "color": "var(--hot)"}
    encoding = {"x": marked.time, "y": marked.scale.channel("y")}
    marked.over.append({"data": {"name": "loss_as_latency"}, "mark": ring, "encoding": encoding})


def _whole_periods_late(periods: float) -> bool:
    return round(periods) >= 1 and abs(periods - round(periods)) <= LATE_TOLERANCE
