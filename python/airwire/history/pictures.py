"""Trends as a page: of one row, or of every row of a history."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.explain.quantities import count
from airwire.history.bisection import name_of
from airwire.history.store import History
from airwire.history.trends import Trend, trend
from airwire.history.words import change_words, figure_words, interval_words
from airwire.report.document import figure_block, page_of_sections
from airwire.report.trend_figure import TrendPoint, trend_figure

MOST_ROWS = 60
"""Of a page of all rows; those that changed last come first."""


def trends_page(heading: str, trends: Sequence[Trend]) -> str:
    """A page of trends."""
    sections = {f"row-{number}": (found.row, _section(found, number)) for number, found in enumerate(trends, start=1)}
    runs = len({step.run.id for found in trends for step in found.steps})
    facts = [count(len(trends), "row"), count(runs, "run")]
    return page_of_sections(heading, facts, _result(trends), sections)


def page_of_history(history: History, title: str) -> str:
    """All rows of a history, those first whose last run changed them most."""
    found = [trend(history, row) for row in history.rows()]
    found.sort(key=_last_change, reverse=True)
    return trends_page(title, found[:MOST_ROWS])


def _last_change(found: Trend) -> float:
    change = found.steps[-1].change
    if change is None or change.shift not in ("slower", "faster", "no_figure"):
        return 0.0
    return float("inf") if change.worse is None else abs(change.worse)


def _result(trends: Sequence[Trend]) -> str:
    """How many rows the last run made worse."""
    if len(trends) == 1:
        return _last_sure_change(trends[0])
    worse = [found for found in trends if (last := found.steps[-1].change) and last.shift in ("slower", "no_figure")]
    if not trends:
        return "There is no run yet"
    if not worse:
        return f"None of {len(trends)} rows became worse with its last run"
    first = worse[0]
    told = f"{first.row} became worse with its last run: {change_words(first.steps[-1].change)}"
    return told if len(worse) == 1 else f"{len(worse)} of {len(trends)} rows became worse with their last runs; {told}"


def _last_sure_change(found: Trend) -> str:
    """The last run that surely changed a row."""
    changed = [step for step in found.steps if step.change and step.change.shift in ("slower", "faster", "no_figure")]
    if not changed:
        return f"No run surely changed {found.row}"
    return f"{found.row} last changed with {name_of(changed[-1].run)}: {change_words(changed[-1].change)}"


def _section(found: Trend, number: int) -> str:
    points = [
        TrendPoint(
            name_of(step.run),
            step.figure.value,
            step.figure.low,
            step.figure.high,
            step.change.shift if step.change else "same",
            ", ".join(
                filter(None, (figure_words(step.figure), interval_words(step.figure), change_words(step.change)))
            ),
        )
        for step in found.steps
        if step.figure.value is not None
    ]
    return figure_block(trend_figure(f"trend-{number}", found.row, found.metric, found.unit, points)) if points else ""
