"""Rows of links beside what others published of them: the figures, their ratio, and both in a sentence."""

from __future__ import annotations

from airwire.board.row import Figure
from airwire.explain.board.figures import share_text
from airwire.explain.quantities import table_time
from airwire.link.model import LinkRow, PublishedMedian
from airwire.model import Capture

# Medians nearer than this are the same to three digits.
_SAME = 5e-3


def is_compared(row: Capture[LinkRow]) -> bool:
    """Whether others published a median of this row."""
    return row.target.published is not None


def median_figure(row: Capture) -> Figure | None:
    """The median of a row with its interval; nothing where every message was lost."""
    if row.latency_ps is None:
        return None
    interval = row.median_interval
    bounds = None if interval is None else (interval.low_ps, interval.high_ps)
    return Figure(row.latency_ps["p50"], bounds, "ps", row.outcomes["paired"])


def published_text(published: PublishedMedian | None) -> str:
    """The published median; nothing where there is none."""
    return "" if published is None else table_time(published.median_ps)


def ratio(row: Capture[LinkRow]) -> float | None:
    """The median of a row divided by the published one; nothing where one of both is missing."""
    published = row.target.published
    if published is None or row.latency_ps is None:
        return None
    return row.latency_ps["p50"] / published.median_ps


def ratio_text(row: Capture[LinkRow]) -> str:
    """The ratio as tables show it."""
    found = ratio(row)
    return "" if found is None else share_text(found)


def published_sentence(row: Capture[LinkRow]) -> str | None:
    """``Published median 63.7 ms, here 67.2 ms: 1.05 times; <note>.``"""
    published = row.target.published
    found = ratio(row)
    if published is None or row.latency_ps is None or found is None:
        return None
    same = abs(found - 1) < _SAME
    times = f"the same within {100 * _SAME:.2g} %" if same else f"{share_text(found)} times"
    note = f"; {published.note}" if published.note else ""
    here = table_time(row.latency_ps["p50"])
    return f"Published median {table_time(published.median_ps)}, here {here}: {times}{note}."
