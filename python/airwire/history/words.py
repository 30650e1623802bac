"""Figures of a history and their changes in words."""

from __future__ import annotations

from airwire.explain.quantities import percent, table_time
from airwire.history.bisection import FirstBad
from airwire.history.records import LATENCY, FigureRecord
from airwire.history.trends import Change


def value_words(value: float, unit: str) -> str:
    """A value with its unit."""
    if unit == LATENCY:
        return table_time(value)
    return percent(value) if unit == "1" else f"{value:,.5g} {unit}"


def figure_words(figure: FigureRecord) -> str:
    """A figure with its unit."""
    return "none" if figure.value is None else value_words(figure.value, figure.unit)


def interval_words(figure: FigureRecord) -> str:
    """Its interval, where it has one."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{value_words(figure.low, figure.unit)} to {value_words(figure.high, figure.unit)}"


def change_words(change: Change | None) -> str:
    """What a run changed from the one before."""
    if change is None:
        return "the first"
    if change.shift == "no_figure":
        return "no figure any more"
    if change.worse is None:
        return "not comparable"
    if change.shift == "same":
        return "the same" if change.worse == 0 else "no sure change"
    how = "worse" if change.worse > 0 else "better"
    reach = ""
    if change.interval is not None:
        low, high = sorted(abs(end) for end in change.interval)
        reach = f" ({percent(low)} to {percent(high)})"
    return f"{percent(abs(change.worse))} {how}{reach}"


def first_bad_sentence(found: FirstBad) -> str:
    """Which one was the first bad one, by how much, and what it cost to know."""
    probe, run = found.first_bad, sum(one.was_run for one in found.probes)
    ran = f"; {run} of {found.candidates} images were run" if run else ""
    return (
        f"{probe.name} is the first bad one: {found.row} has {figure_words(probe.figure)} there and "
        f"{figure_words(found.last_good.figure)} at {found.last_good.name} ({change_words(probe.change)}){ran}"
    )
