"""From samples to curves: percentiles, kernel densities, ECDFs, histograms and thinned scatter plots.

Plain Python on lists, because a figure needs a few hundred points and numpy is no dependency. What a
capture's own statistics say comes from the analysis; only what exists for the sake of a drawing is computed
here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from random import Random

GRID_POINTS = 130
MAX_SCATTER_POINTS = 2000
MAX_POINTS_OF_PAGE = 40_000
"""Of all scatter plots together."""
FEWEST_SCATTER_POINTS = 200
MAX_BINS = 80
MAX_COMB_BINS = 240


def points_of_each(plots: int) -> int:
    """How many points a scatter plot may have where so many plots share a page."""
    return min(MAX_SCATTER_POINTS, max(FEWEST_SCATTER_POINTS, MAX_POINTS_OF_PAGE // max(1, plots)))


def percentile(ordered: Sequence[float], fraction: float) -> float:
    """Percentile of type 7: linear between the order statistics of an ascending sequence."""
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def log_density(values: Sequence[float], floor_decades: float) -> tuple[list[float], list[float]]:
    """Gaussian kernel density over log10 of positive ``values``, scaled to a peak of 1.

    The bandwidth is half of Silverman's rule, so that the steps of a comb stay apart, and never below
    ``floor_decades`` or one step of the grid.
    """
    logs = sorted(math.log10(value) for value in values)
    bandwidth = max(0.5 * _silverman(logs), floor_decades)
    low, high = logs[0] - 3 * bandwidth, logs[-1] + 3 * bandwidth
    step = (high - low) / (GRID_POINTS - 1)
    weights = _linear_binning(logs, low, step)
    density = _smooth(weights, max(bandwidth / step, 1.0))
    peak = max(density)
    return [10 ** (low + index * step) for index in range(GRID_POINTS)], [value / peak for value in density]


def _silverman(ordered: Sequence[float]) -> float:
    count = len(ordered)
    mean = math.fsum(ordered) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / max(count - 1, 1))
    quartiles = (percentile(ordered, 0.75) - percentile(ordered, 0.25)) / 1.34
    spread = min(deviation, quartiles) if quartiles > 0 else deviation
    return float(0.9 * spread * count**-0.2)


def _linear_binning(values: Sequence[float], low: float, step: float) -> list[float]:
    weights = [0.0] * (GRID_POINTS + 1)
    for value in values:
        position = (value - low) / step
        index = min(int(position), GRID_POINTS - 1)
        share = position - index
        weights[index] += 1 - share
        weights[index + 1] += share
    return weights[:GRID_POINTS]


def _smooth(weights: Sequence[float], bandwidth_steps: float) -> list[float]:
    reach = min(math.ceil(3 * bandwidth_steps), GRID_POINTS)
    kernel = [math.exp(-0.5 * (offset / bandwidth_steps) ** 2) for offset in range(-reach, reach + 1)]
    density = [0.0] * GRID_POINTS
    for index, weight in enumerate(weights):
        if weight == 0:
            continue
        first = max(0, index - reach)
        for target in range(first, min(GRID_POINTS, index + reach + 1)):
            density[target] += weight * kernel[target - index + reach]
    return density


def ecdf(ordered: Sequence[float]) -> tuple[list[float], list[float]]:
    """Points of the empirical distribution function from 0 to 1: all of them, or a grid of quantiles."""
    count = len(ordered)
    points = min(count, GRID_POINTS - 1)
    ranks = [round((index + 1) * count / points) for index in range(points)]
    ranks[0] = 1
    return [ordered[0], *(ordered[rank - 1] for rank in ranks)], [0.0, *(rank / count for rank in ranks)]


def thin(values: Sequence[float], limit: int = MAX_SCATTER_POINTS) -> list[int]:
    """Indices of at most ``limit`` values: one at a seeded random place of each stretch, and the extremes.

    An even stride would beat with periodic data, and the extremes alone would show an envelope instead of a
    cloud: hence four fifths of one and a tenth of each end of the other.
    """
    count = len(values)
    if count <= limit:
        return list(range(count))
    extremes = limit // 10
    stretches = limit - 2 * extremes
    random = Random(count)
    chosen = {int((stretch + random.random()) * count / stretches) for stretch in range(stretches)}
    by_value = sorted(range(count), key=values.__getitem__)
    chosen.update(by_value[:extremes])
    chosen.update(by_value[-extremes:])
    return sorted(index for index in chosen if index < count)


def bin_edges(ordered: Sequence[float], *, logarithmic: bool, quantum: float | None = None) -> list[float]:
    """Edges of a histogram by Freedman and Diaconis, finer where clusters or teeth must be told apart."""
    scale = [math.log10(value) for value in ordered] if logarithmic else list(ordered)
    low, high = scale[0], scale[-1]
    if high <= low:
        margin = 0.01 if logarithmic else max(abs(low) * 0.01, 1e-9)
        return _from_scale([low - margin, low + margin], logarithmic=logarithmic)
    width = 2 * (percentile(scale, 0.75) - percentile(scale, 0.25)) / len(scale) ** (1 / 3)
    bins = min(MAX_BINS, max(8, math.ceil((high - low) / width))) if width > 0 else MAX_BINS
    if _widest_gap(scale) > width / 2:
        bins = max(bins, min(MAX_BINS, math.isqrt(len(scale))))
    if quantum and not logarithmic:
        bins = min(MAX_COMB_BINS, max(bins, math.ceil((high - low) / (quantum / 6))))
    step = (high - low) / bins
    return _from_scale([low + index * step for index in range(bins)] + [high], logarithmic=logarithmic)


def _widest_gap(ordered: Sequence[float]) -> float:
    """The widest empty stretch among the middle nine tenths of ascending values."""
    outer = len(ordered) // 20
    return max((after - before for before, after in pairwise(ordered[outer : len(ordered) - outer])), default=0.0)


def _from_scale(edges: list[float], *, logarithmic: bool) -> list[float]:
    return [10**edge for edge in edges] if logarithmic else edges


def counts_between(ordered: Sequence[float], edges: Sequence[float]) -> list[int]:
    """How many of the ascending values fall between neighbouring edges; the outermost bins take the rest."""
    counts = [0] * (len(edges) - 1)
    index = 0
    for value in ordered:
        while index < len(counts) - 1 and value >= edges[index + 1]:
            index += 1
        counts[index] += 1
    return counts


def covered_arc(phases: Sequence[float], period: float) -> tuple[float, float]:
    """Start and length of the shortest arc of a circle of length ``period`` that holds all ``phases``."""
    ordered = sorted(phases)
    gaps = [after - before for before, after in pairwise(ordered)]
    gaps.append(ordered[0] + period - ordered[-1])
    widest = max(range(len(gaps)), key=gaps.__getitem__)
    return ordered[(widest + 1) % len(ordered)], period - gaps[widest]
