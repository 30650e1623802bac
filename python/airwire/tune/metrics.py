"""What a search may be for, and what it may be bound by: figures of a row, with their units and better ends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from airwire import _core
from airwire.explain.quantities import energy, percent, rough_time, scaled

Better = Literal["max", "min"]
Unit = Literal["bit/s", "/s", "ps", "share", "B", "J"]
Figures = Mapping[str, float]
"""Figures of a candidate by the name of their metric, in the unit of it."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure that a search may look at."""

    name: str
    unit: Unit
    better: Better
    meaning: str


_ALL = (
    Metric("throughput", "bit/s", "max", "payload per second"),
    Metric("rate", "/s", "max", "messages or requests per second"),
    Metric("p50", "ps", "min", "the median latency"),
    Metric("p95", "ps", "min", "the latency that 95 % of the messages keep"),
    Metric("mean", "ps", "min", "the mean latency"),
    Metric("loss", "share", "min", "the share of messages that are lost"),
    Metric("ram", "B", "min", "static RAM of the image: its variables, buffers and pools"),
    Metric("flash", "B", "min", "flash of the image"),
    Metric("airtime", "ps", "min", "the time on the air for a message"),
    Metric(
        "energy",
        "J",
        "min",
        "what a message takes of the supply, with the time until the next one",
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}


@dataclass(frozen=True, slots=True)
class Goal:
    """What a search is for."""

    metric: Metric
    better: Better

    def gain(self, value: float, other: float) -> float:
        """By what share ``value`` is better than ``other``; below 0 where it is worse."""
        if other == 0:
            return 0.0 if value == 0 else (1.0 if (value > 0) == (self.better == "max") else -1.0)
        change = (value - other) / abs(other)
        return change if self.better == "max" else -change

    def __str__(self) -> str:
        return f"{self.better} {self.metric.name}"


@dataclass(frozen=True, slots=True)
class Limit:
    """What every answer must keep."""

    metric: Metric
    is_most: bool
    limit: float
    text: str

    def excess(self, value: float) -> float:
        """By what share of the limit it is missed; 0 or less where it is kept."""
        over = value - self.limit if self.is_most else self.limit - value
        return over / abs(self.limit) if self.limit else over

    def keeps(self, value: float) -> bool:
        """Whether a value keeps it."""
        return value <= self.limit if self.is_most else value >= self.limit


_GOAL = re.compile(r"\s*(?:(max|min)\s+)?([A-Za-z0-9_-]+)\s*")
_LIMIT = re.compile(r"\s*+([A-Za-z0-9_-]++)\s*+(<=|>=|<|>|=)\s*+(\S.*)")
_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kMG]?)(bit/s|B/s|/s)")
_ENERGY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([unm]?)J")
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(%?)")
_PREFIX = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_SMALL = {"": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}


def parse_goal(text: str) -> Goal:
    """A goal as people write it: ``max throughput``, or ``p95`` alone.

    Raises ``AirwireError`` for a figure that there is not, and for a direction that nobody wants.
    """
    match = _GOAL.fullmatch(text)
    if match is None:
        raise _core.AirwireError(f"the goal `{text}` is no goal; write one such as `max throughput` or `min p95`")
    metric = _metric(match[2], f"goal `{text}`")
    better: Better = "max" if match[1] == "max" else "min" if match[1] == "min" else metric.better
    if better != metric.better:
        raise _core.AirwireError(
            f"the goal `{text}` asks for the worst {metric.name}; write `{metric.better} {metric.name}`"
        )
    return Goal(metric, better)


def parse_limit(text: str) -> Limit:
    """A bound as people write it: ``ram<=48KiB``, ``p95<=5ms``, ``throughput>=40Mbit/s``.

    Raises ``AirwireError`` with what was written for anything else.
    """
    match = _LIMIT.fullmatch(text)
    if match is None or match[2] == "=":
        raise _core.AirwireError(
            f"the bound `{text}` is none; write a figure, <= or >=, and a limit, such as ram<=48KiB"
        )
    metric = _metric(match[1], f"bound `{text}`")
    return Limit(metric, match[2].startswith("<"), _value(metric, match[3].rstrip(), text), text.replace(" ", ""))


def _metric(name: str, where: str) -> Metric:
    if name not in METRICS:
        raise _core.AirwireError(f"{where}: there is no figure {name}; {_core.name_hint(name, list(METRICS))}")
    return METRICS[name]


def _value(metric: Metric, text: str, whole: str) -> float:
    try:
        if metric.unit == "ps":
            return float(_core.parse_time_ps(text))
        if metric.unit == "B":
            return float(_core.parse_bytes(text))
    except _core.AirwireError as error:
        raise _core.AirwireError(f"bound `{whole}`: {error}") from None
    if metric.unit == "share" and (match := _PERCENT.fullmatch(text)):
        return float(match[1]) / (100 if match[2] else 1)
    if metric.unit == "J" and (match := _ENERGY.fullmatch(text)):
        return float(match[1]) * _SMALL[match[2]]
    if metric.unit in ("bit/s", "/s") and (match := _RATE.fullmatch(text)):
        is_right = (match[3] == "/s") == (metric.unit == "/s")
        if is_right:
            return float(match[1]) * _PREFIX[match[2]] * (8 if match[3] == "B/s" else 1)
    examples = {"bit/s": "40Mbit/s or 5MB/s", "/s": "700/s", "share": "1%", "J": "50uJ"}
    raise _core.AirwireError(f"bound `{whole}`: {text} is no {metric.name}; write it such as {examples[metric.unit]}")


def words(metric: Metric, value: float) -> str:
    """A figure as people read it."""
    match metric.unit:
        case "ps":
            return rough_time(value)
        case "share":
            return percent(value)
        case "B":
            return f"{value / 1024:.1f} KiB" if value >= 10240 else f"{value:.0f} B"
        case "J":
            return energy(value)
        case "bit/s":
            return scaled(value, {1e9: "Gbit/s", 1e6: "Mbit/s", 1e3: "kbit/s", 1: "bit/s"})
        case _:
            return f"{value:.4g}/s"


def refuse_missing(wanted: Sequence[Metric], there: Sequence[str], what: str) -> None:
    """Refuse a goal or a bound on a figure that the target does not have, with those that it has."""
    for metric in wanted:
        if metric.name not in there:
            raise _core.AirwireError(f"{what} has no {metric.name}; it has {', '.join(there)}")
