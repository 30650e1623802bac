"""The picture of a frozen phase that shows as a creep: latency moves along a ramp and never comes round.

Drawn on an axis of its own that is close enough to see the ramp. Where the run crosses a tick, the ramp is
broken, and ``annotations`` draws it over the whole run instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airwire.report import density, units
from airwire.report.evidence import number, numbers, period_of
from airwire.report.latency_scale import seconds
from airwire.report.samples import CaptureView
from airwire.report.spec import Columns, Panel, Spec, tooltip

if TYPE_CHECKING:
    from airwire.model import Finding

MARGIN_SHARE = (0.15, 1.0)
"""How far the axis reaches beyond the ramp at either end: at least and at most, in heights of the ramp."""


def ramp_panels(view: CaptureView, kept: list[int]) -> list[Panel]:
    """Latency over time along the ramp of the first frozen phase that creeps, if there is one."""
    findings = view.capture.findings
    if len(view.latency_ps) < 2 or any("crossing_at_ps" in finding.evidence for finding in findings):
        return []
    for finding in findings:
        drift = number(finding.evidence, "drift_per_trigger_ps")
        interval = number(finding.evidence, "trigger_interval_ps")
        if finding.kind == "frozen_phase" and drift and interval and interval > 0:
            return [_ramp_panel(view, kept, finding, drift / interval)]
    return []


def _ramp_panel(view: CaptureView, kept: list[int], finding: Finding, slope: float) -> Panel:
    start, length = view.trigger_ps[0], view.trigger_ps[-1] - view.trigger_ps[0]
    beside = sorted(
        latency - slope * (trigger - start) for trigger, latency in zip(view.trigger_ps, view.latency_ps, strict=True)
    )
    base = density.percentile(beside, 0.5)
    ends = (base, base + slope * length)
    unit = units.unit_of(view.median_ps)
    low, high = _domain(ends, base - density.percentile(beside, 0.02), density.percentile(beside, 0.98) - base)
    inside = [place for place in kept if low <= view.latency_ps[place] <= high]
    covered = number(finding.evidence, "covered_ps") or abs(ends[1] - ends[0])
    data: dict[str, Columns] = {
        "s": {
            "t": [seconds(view.trigger_ps[place] - start) for place in inside],
            "y": [units.significant(view.latency_ps[place] / unit.ps, 9) for place in inside],
        },
        "ramp": {"t": [0.0, seconds(length)], "y": [units.significant(end / unit.ps, 9) for end in ends]},
        "covered": {
            "a": [units.significant(min(ends) / unit.ps, 9)],
            "b": [units.significant(max(ends) / unit.ps, 9)],
        },
    }
    spec = _spec(unit, (low / unit.ps, high / unit.ps), f"{units.format_duration(covered)} covered", rising=slope > 0)
    outside = sum(not low <= latency <= high for latency in view.latency_ps)
    caption = _caption(finding, covered)
    if outside:
        caption += f" Outside the axis: {outside:,} of {len(view.latency_ps):,} samples."
    description = f"Latency over time with a ramp that covers {units.format_duration(covered)}."
    return Panel("Frozen phase: the ramp", spec, data, description, caption)


def _domain(ends: tuple[float, float], below: float, above: float) -> tuple[float, float]:
    height = abs(ends[1] - ends[0])
    least, most = (share * height for share in MARGIN_SHARE)
    return min(ends) - min(max(below, least), most), max(ends) + min(max(above, least), most)


def _caption(finding: Finding, covered: float) -> str:
    drift = number(finding.evidence, "drift_per_trigger_ps") or 0.0
    sign = "-" if drift < 0 else "+"
    line = f"Line: creep of {sign}{units.format_duration(abs(drift))} per trigger."
    known = period_of(finding)
    if known is not None:
        share = units.format_share(covered / known)
        return f"{line} Band: {share} of the gate's {units.format_duration(known)}, which the run covered."
    periods = sorted(period for period in numbers(finding.evidence, "candidate_periods_ps") if period > 0)
    if not periods:
        return f"{line} Band: what the run covered of the gate."
    shares = [f"{units.format_share(covered / period)} of a {units.format_duration(period)} gate" for period in periods]
    fits = "the only common period that fits"
    if len(periods) > 1:
        shares[0] += f" or {shares[-1]}"
        fits = "the shortest and the longest common period that fit"
    return f"{line} Band: what the run covered, {shares[0]} ({fits})."


def _spec(unit: units.Unit, domain: tuple[float, float], label: str, *, rising: bool) -> Spec:
    """The chart; its label stands in the corner of the band that the line leaves free."""
    align = "left" if rising else "right"
    time: Spec = {"field": "t", "type": "quantitative", "title": "time since the first pair (s)"}
    time |= {"scale": {"nice": False, "zero": False}, "axis": {"grid": False, "tickCount": 5}}
    scale = {"domain": [units.significant(end, 9) for end in domain], "nice": False, "zero": False}
    latency: Spec = {"type": "quantitative", "title": f"latency ({unit.symbol})", "scale": scale}
    latency |= {"axis": {"tickCount": 5}}
    dot = {"type": "point", "filled": True, "size": 9, "opacity": 0.5, "color": "var(--mark)"}
    tip = tooltip(("t", "time (s)"), ("y", f"latency ({unit.symbol})"))
    words = {"type": "text", "text": label, "align": align, "baseline": "top", "dx": 5 if rising else -5, "dy": 5}
    layers: list[Spec] = [
        {
            "data": {"name": "covered"},
            "mark": {"type": "rect", "color": "var(--hot)", "opacity": 0.16, "stroke": "var(--hot)"},
            "encoding": {"y": {**latency, "field": "a"}, "y2": {"field": "b"}},
        },
        {
            "data": {"name": "s"},
            "mark": dot,
            "encoding": {"x": time, "y": {**latency, "field": "y"}, "tooltip": tip},
        },
        {
            "data": {"name": "ramp"},
            "mark": {"type": "line", "color": "var(--hot)", "strokeWidth": 1.8},
            "encoding": {"x": time, "y": {**latency, "field": "y"}},
        },
        {
            "data": {"name": "covered"},
            "mark": words | {"color": "var(--ink)", "fontWeight": 600},
            "encoding": {"x": {"value": 0 if rising else "width"}, "y": {**latency, "field": "b"}},
        },
    ]
    return {"width": "container", "height": 170, "layer": layers}
