"""The quantiles that overview figures and table strips draw: from the statistics, else from the samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import merge

from airwire.report import density, units
from airwire.report.samples import CaptureView
from airwire.report.spec import Columns

QUANTILES = ("p5", "p25", "p50", "p75", "p95")


def quantiles_of(view: CaptureView) -> dict[str, float]:
    """The quantiles of one capture: its statistics or, where one is missing, the samples'."""
    known = view.statistics
    return {name: known.get(name, density.percentile(view.ordered_ps, int(name[1:]) / 100)) for name in QUANTILES}


def pooled_quantiles(views: Sequence[CaptureView]) -> dict[str, float]:
    """The quantiles of all samples of several captures together."""
    if len(views) == 1:
        return quantiles_of(views[0])
    ordered = list(merge(*(view.ordered_ps for view in views)))
    return {name: density.percentile(ordered, int(name[1:]) / 100) for name in QUANTILES}


def quantile_columns(rows: Sequence[Mapping[str, float]]) -> Columns:
    """A column for each quantile in milliseconds, and ``text`` with all of them for a tooltip."""
    columns: Columns = {name: [units.to_ms(row[name]) for row in rows] for name in QUANTILES}
    columns["text"] = [", ".join(f"{name} {units.format_duration(row[name])}" for name in QUANTILES) for row in rows]
    return columns
