"""The axes of one capture's charts: its latencies in one unit, linear or logarithmic, and time in seconds."""

from __future__ import annotations

from dataclasses import dataclass

from airwire.report import units
from airwire.report.samples import CaptureView
from airwire.report.spec import Spec

LOG_FROM_RATIO = 30
"""Where the longest latency is this many times the shortest, a linear axis hides most of the samples."""


@dataclass(frozen=True, slots=True)
class LatencyScale:
    """How the latencies of one capture are put on an axis: the unit, the domain, linear or logarithmic."""

    unit: units.Unit
    low: float
    high: float
    logarithmic: bool

    @property
    def title(self) -> str:
        """The title of the axis."""
        return f"latency ({self.unit.symbol}{', log' if self.logarithmic else ''})"

    def value(self, ps: float) -> float:
        """A latency on the axis."""
        value = units.significant(ps / self.unit.ps)
        return max(value, self.low) if self.logarithmic else value

    def channel(self, field: str) -> Spec:
        """The encoding of a position on this axis."""
        scale: Spec = {"domain": [self.low, self.high], "nice": False}
        axis: Spec = {"tickCount": 5}
        if self.logarithmic:
            scale["type"] = "log"
            axis = {"values": units.log_ticks(self.low, self.high), "format": ".6~r", "labelOverlap": True}
        return {"field": field, "type": "quantitative", "title": self.title, "scale": scale, "axis": axis}


def scale_of(view: CaptureView) -> LatencyScale:
    """The axis that shows all latencies of a capture, of which there is at least one."""
    ordered = view.ordered_ps
    unit = units.unit_of(view.median_ps)
    low, high = ordered[0] / unit.ps, ordered[-1] / unit.ps
    positive = ordered[0] > 0
    if positive and high / low >= LOG_FROM_RATIO:
        bottom, top = units.padded_log_domain([low, high])
        return LatencyScale(unit, bottom, top, logarithmic=True)
    margin = max((high - low) * 0.05, abs(high) * 0.0005, 1e-6)
    bottom = 0.0 if positive and low < 0.25 * high else low - margin
    return LatencyScale(unit, units.significant(bottom), units.significant(high + margin), logarithmic=False)


def seconds(ps: int) -> float:
    """A point in time on the axis of time."""
    return round(ps / units.SECONDS.ps, 6)
