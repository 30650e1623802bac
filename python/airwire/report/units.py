"""Durations as people read them: units by magnitude, decimals that fit, ticks for logarithmic axes.

Every table cell, sentence and axis of the report takes its numbers from here. Statistics are elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

PS_PER_MS = 1_000_000_000
SMALLEST_MS = 1e-6
"""A logarithmic axis has no zero: shorter latencies are drawn at one nanosecond."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of time for a table row or a linear axis."""

    symbol: str
    ps: int


NANOSECONDS = Unit("ns", 1_000)
MICROSECONDS = Unit("us", 1_000_000)
MILLISECONDS = Unit("ms", PS_PER_MS)
SECONDS = Unit("s", 1_000_000_000_000)
UNITS = (SECONDS, MILLISECONDS, MICROSECONDS, NANOSECONDS)
"""The longest first."""


def unit_of(ps: float) -> Unit:
    """The unit in which ``ps`` reads best: at least one of it, nanoseconds at the least."""
    return next((unit for unit in UNITS if abs(ps) >= unit.ps), NANOSECONDS)


def decimals_of(ps: float, unit: Unit) -> int:
    """How many decimals show four significant digits of ``ps``."""
    value = abs(ps) / unit.ps
    if value == 0:
        return 1
    return max(0, min(3, 3 - math.floor(math.log10(value))))


def format_in(ps: float, unit: Unit, decimals: int) -> str:
    """``ps`` in ``unit`` without its symbol, for cells of a column that names the unit."""
    return f"{ps / unit.ps:.{decimals}f}"


def format_duration(ps: float) -> str:
    """``ps`` with its unit in at most four significant digits: ``12.35 ms``."""
    unit = unit_of(ps)
    text = format_in(ps, unit, decimals_of(ps, unit))
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {unit.symbol}"


def format_share(share: float) -> str:
    """A share as a percentage in at most three significant digits: ``0.39 %``."""
    return f"{significant(share * 100, 3):g} %"


def significant(value: float, digits: int = 6) -> float:
    """``value`` rounded to ``digits`` significant digits, which keeps the page small."""
    return float(f"{value:.{digits}g}")


def to_ms(ps: float) -> float:
    """Picoseconds as milliseconds for a logarithmic axis."""
    return max(SMALLEST_MS, significant(ps / PS_PER_MS))


LABEL_EXPRESSION = (
    "datum.value < 0.001 ? format(datum.value * 1e6, '.6~r') + ' ns'"
    " : datum.value < 1 ? format(datum.value * 1e3, '.6~r') + ' us'"
    " : datum.value < 1000 ? format(datum.value, '.6~r') + ' ms'"
    " : format(datum.value / 1000, '.6~r') + ' s'"
)
"""Vega expression that prints a tick in milliseconds with its own unit."""


def padded_log_domain(values_ms: Sequence[float], padding: float = 0.04) -> tuple[float, float]:
    """A domain around positive values with a margin on both sides, never of zero width."""
    low, high = math.log10(min(values_ms)), math.log10(max(values_ms))
    margin = max((high - low) * padding, 0.01)
    return significant(10 ** (low - margin), 4), significant(10 ** (high + margin), 4)


_MANTISSAS = ((2000, (1,)), (100, (1, 3)), (12, (1, 2, 5)), (0, (1, 1.5, 2, 3, 5, 7)))


def log_ticks(low: float, high: float) -> list[float]:
    """Round tick values inside a positive domain: decades, 1-2-5, or even steps where it is narrow."""
    ratio = high / low
    if ratio < 4:
        return even_ticks(low, high)
    mantissas = next(marks for bound, marks in _MANTISSAS if ratio >= bound)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [significant(mantissa * 10.0**exponent) for exponent in exponents for mantissa in mantissas]
    return [tick for tick in ticks if low <= tick <= high]


def even_ticks(low: float, high: float) -> list[float]:
    """Round values at even steps, about five of them."""
    rough = (high - low) / 5
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [significant(index * step, 9) for index in range(first, last + 1)]
