"""What pictures of a sweep are drawn from: combinations of values with a figure each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airwire.report import units
from airwire.report.spec import LOG_TITLE, Spec

LATENCY = "ps"
Value = str | int | float


@dataclass(frozen=True, slots=True)
class Axis:
    """What was varied, with its values from the least to the most, or in their order where they are no numbers."""

    name: str
    values: Sequence[Value]

    @property
    def is_a_scale(self) -> bool:
        """Whether its values are numbers of which there are enough for a scale."""
        return len(self.values) > 2 and all(isinstance(value, int | float) for value in self.values)


@dataclass(frozen=True, slots=True)
class Combination:
    """Values of the axes with their figure and its 95 % interval."""

    values: Mapping[str, Value]
    figure: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class SweepData:
    """The combinations of one entry, the best first."""

    entry: str
    unit: str
    axes: Sequence[Axis]
    combinations: Sequence[Combination]
    has_all: bool
    """Whether every combination of the values was run."""

    def shown(self, value: float) -> float:
        """A figure as it is drawn: a latency in milliseconds."""
        return units.to_ms(value) if self.unit == LATENCY else units.significant(value)

    def words(self, value: float) -> str:
        """A figure with its unit."""
        return units.format_duration(value) if self.unit == LATENCY else f"{value:,.4g} {self.unit}"

    def channel(self, field: str, of: Sequence[Combination]) -> Spec:
        """The channel of these figures: logarithmic where they are latencies, whose ticks carry their own unit."""
        ends = [self.shown(end) for one in of for end in (one.figure, one.low, one.high) if end]
        name = LOG_TITLE if self.unit == LATENCY else self.unit
        channel: Spec = {"field": field, "type": "quantitative", "title": name}
        if self.unit != LATENCY:
            return channel | {"scale": {"zero": False}, "axis": {"tickCount": 5}}
        domain = units.padded_log_domain(ends)
        scale = {"type": "log", "domain": list(domain), "nice": False}
        ticks = {"values": units.log_ticks(*domain), "labelExpr": units.LABEL_EXPRESSION, "labelOverlap": True}
        return channel | {"scale": scale, "axis": ticks}

    def effect(self, axis: Axis) -> float:
        """How far the means of an axis's values lie apart, in logarithms where they are all above 0."""
        means = []
        for value in axis.values:
            own = [one.figure for one in self.combinations if one.values.get(axis.name) == value]
            if own:
                means.append(math.fsum(own) / len(own))
        if not means:
            return 0.0
        if min(means) > 0:
            return math.log(max(means)) - math.log(min(means))
        return max(means) - min(means)

    def by_effect(self) -> list[Axis]:
        """The axes that vary, the one with the largest effect first."""
        varied = [axis for axis in self.axes if len(axis.values) > 1]
        return sorted(varied, key=self.effect, reverse=True)
