"""Curves from samples, held against oracles of another kind."""

from __future__ import annotations

import math
from random import Random

import polars as pl
import pytest

from airwire.report import density, units


def test_percentiles_agree_with_polars_linear_quantiles() -> None:
    random = Random(3)
    values = sorted(random.expovariate(1) for _ in range(101))
    series = pl.Series(values)
    for fraction in (0.0, 0.05, 0.25, 0.5, 0.333, 0.99, 1.0):
        assert density.percentile(values, fraction) == pytest.approx(series.quantile(fraction, "linear"))


def test_the_density_of_one_lognormal_peaks_at_its_median_and_agrees_with_the_direct_sum() -> None:
    random = Random(5)
    values = [random.lognormvariate(0, 0.3) for _ in range(2000)]
    grid, heights = density.log_density(values, 0.02)
    assert max(heights) == 1
    assert grid[heights.index(1.0)] == pytest.approx(1, rel=0.15)
    logs = sorted(math.log10(value) for value in values)
    deviation = math.sqrt(sum((x - sum(logs) / 2000) ** 2 for x in logs) / 1999)
    spread = min(deviation, (density.percentile(logs, 0.75) - density.percentile(logs, 0.25)) / 1.34)
    bandwidth = max(0.45 * spread * 2000**-0.2, 0.02)
    direct = [sum(math.exp(-0.5 * ((math.log10(x) - log) / bandwidth) ** 2) for log in logs) for x in grid]
    for ours, exact in zip(heights, direct, strict=True):
        assert ours == pytest.approx(exact / max(direct), abs=0.03)


def test_a_density_of_identical_values_is_one_narrow_peak() -> None:
    grid, heights = density.log_density([4.0] * 50, 0.01)
    assert max(heights) == 1
    assert 3.5 < min(grid) < 4 < max(grid) < 4.5


def test_an_ecdf_keeps_both_extremes_and_rises_to_one() -> None:
    random = Random(1)
    values = sorted(random.random() for _ in range(5000))
    points, shares = density.ecdf(values)
    assert len(points) <= density.GRID_POINTS
    assert (points[0], points[-1]) == (values[0], values[-1])
    assert (shares[0], shares[-1]) == (0, 1)
    for point, share in zip(points[1:], shares[1:], strict=True):
        assert sum(value <= point for value in values) / 5000 == pytest.approx(share)


def test_a_thinned_cloud_keeps_the_share_of_the_bulk() -> None:
    random = Random(2)
    values = [random.gauss(0, 1) for _ in range(50_000)]
    kept = [values[place] for place in density.thin(values, 2000)]
    assert len(kept) <= 2000
    inside = sum(abs(value) < 1 for value in kept) / len(kept)
    assert inside == pytest.approx(0.683 * 0.8, abs=0.05)


def test_a_histogram_counts_every_value_once() -> None:
    random = Random(4)
    values = sorted(random.lognormvariate(0, 1) for _ in range(777))
    for logarithmic in (False, True):
        edges = density.bin_edges(values, logarithmic=logarithmic)
        assert edges == sorted(edges)
        assert sum(density.counts_between(values, edges)) == 777


def test_clusters_far_apart_get_bins_of_their_own_and_an_even_lattice_shows_no_beat() -> None:
    clusters = sorted(base + step / 100 for base in (0, 10, 20) for step in range(200))
    counts = density.counts_between(clusters, density.bin_edges(clusters, logarithmic=False))
    assert counts.count(0) >= len(counts) / 2
    lattice = sorted(float(place) for place in range(25) for _ in range(40))
    even = density.counts_between(lattice, density.bin_edges(lattice, logarithmic=False))
    assert max(even) <= 2 * min(even)


def test_the_arc_of_phases_goes_round_the_end_of_the_period() -> None:
    start, length = density.covered_arc([95.0, 99.0, 2.0, 5.0], 100.0)
    assert (start, length) == (95.0, 10.0)


@pytest.mark.parametrize(
    ("ps", "text"),
    [
        (0, "0 ns"),
        (12_345_678_901, "12.35 ms"),
        (250_000_000, "250 us"),
        (1.5e12, "1.5 s"),
        (999_999, "1000 ns"),
    ],
)
def test_durations_read_with_their_unit(ps: float, text: str) -> None:
    assert units.format_duration(ps) == text


@pytest.mark.parametrize("ratio", [1.01, 1.3, 3, 5, 20, 300, 5000, 1e7])
def test_logarithmic_axes_have_a_readable_number_of_ticks(ratio: float) -> None:
    ticks = units.log_ticks(0.37, 0.37 * ratio)
    assert 2 <= len(ticks) <= 8
    assert all(0.37 <= tick <= 0.37 * ratio for tick in ticks)
