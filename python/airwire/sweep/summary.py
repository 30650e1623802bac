"""The combinations of a sweep over their seeds: a figure each, with the interval that the seeds or the point give.

Over seeds it is the mean with its 95 % interval by Student's distribution; of a single seed, the point's own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airwire.explain.quantities import table_time
from airwire.sweep.columns import axis_column

if TYPE_CHECKING:
    import polars as pl

LATENCY = "ps"
# Student's t at 97.5 % by degrees of freedom (NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2).
_T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_HUNDRED = {40: 2.021, 50: 2.009, 60: 2.000, 80: 1.990, 100: 1.984}
"""The same beyond 30, at the next smaller number of the table."""


@dataclass(frozen=True, slots=True)
class Combination:
    """An entry with values, over all seeds."""

    entry: str
    values: Mapping[str, Any]
    seeds: int
    figure: float | None
    low: float | None
    high: float | None
    unit: str
    lost: float
    p95_ps: float | None


def combinations_of(points: pl.DataFrame, axes: Sequence[str]) -> list[Combination]:
    """All combinations, the best first: the shortest latency, or the highest rate."""
    import polars as pl

    names = {name: axis_column(name) for name in axes}
    grouped = points.group_by("entry", *names.values(), maintain_order=True).agg(
        pl.col("figure").drop_nulls().alias("figures"),
        pl.col("figure_low").mean(),
        pl.col("figure_high").mean(),
        pl.col("figure_unit").drop_nulls().first().alias("unit"),
        pl.col("messages").sum(),
        pl.col("lost").sum(),
        pl.col("p95_ps").mean(),
        pl.len().alias("seeds"),
    )
    found = [_combination(line, names) for line in grouped.iter_rows(named=True)]
    return sorted(found, key=_rank)


def _combination(line: Mapping[str, Any], names: Mapping[str, str]) -> Combination:
    figure, low, high = mean_of(line["figures"])
    if low is None and line["seeds"] == 1:
        low, high = line["figure_low"], line["figure_high"]
    values = {name: line[column] for name, column in names.items() if line[column] is not None}
    lost = line["lost"] / line["messages"] if line["messages"] else 0.0
    unit = line["unit"] or LATENCY
    return Combination(line["entry"], values, line["seeds"], figure, low, high, unit, lost, line["p95_ps"])


def mean_of(figures: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """The mean of independent figures with its 95 % interval; no interval of fewer than two."""
    count = len(figures)
    if count == 0:
        return None, None, None
    mean = math.fsum(figures) / count
    if count < 2:
        return mean, None, None
    deviation = math.sqrt(math.fsum((figure - mean) ** 2 for figure in figures) / (count - 1))
    reach = student(count - 1) * deviation / math.sqrt(count)
    return mean, mean - reach, mean + reach


def student(freedom: int) -> float:
    """Student's t at 97.5 %; between the numbers of the table that of the smaller one, which is on the safe side."""
    if freedom <= len(_T_975):
        return _T_975[freedom - 1]
    return next((t for least, t in sorted(_HUNDRED.items(), reverse=True) if freedom >= least), _T_975[-1])


def figure_text(value: float, unit: str) -> str:
    """A figure with its unit, in few digits."""
    return table_time(value) if unit == LATENCY else f"{value:,.4g} {unit}"


def _rank(one: Combination) -> tuple[bool, str, float]:
    if one.figure is None:
        return True, one.unit, 0.0
    return False, one.unit, one.figure if one.unit == LATENCY else -one.figure
