"""A figure of a row over the runs of a history: what each run changed, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from airwire import _core
from airwire.history.records import FIGURE, FigureRecord, RunRecord
from airwire.history.store import History
from airwire.kinds import Shift
from airwire.values import check_kind

_RATES = ("messages/s", "requests/s", "bit/s")
"""Units of figures that are better when they are higher."""


@dataclass(frozen=True, slots=True)
class Change:
    """How a figure differs from another: by which share it is worse, below 0 better, and how surely."""

    worse: float | None
    interval: tuple[float, float] | None
    """95 %, of the same share; ``None`` where one of both has none."""
    shift: Shift

    def is_worse_than(self, share: float) -> bool:
        """Whether it is worse by more than a share, and surely so; of figures without intervals, the figures decide."""
        if self.shift == "no_figure":
            return True
        if self.worse is None or self.worse <= share:
            return False
        return self.interval is None or self.interval[0] > 0


@dataclass(frozen=True, slots=True)
class Step:
    """A run of a trend."""

    run: RunRecord
    figure: FigureRecord
    change: Change | None
    """From the run before; ``None`` of the first."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure of a row over runs."""

    row: str
    metric: str
    unit: str
    steps: Sequence[Step]


def trend(history: History, row: str, metric: str = FIGURE) -> Trend:
    """The trend of a row. Raises ``AirwireError`` for a row or metric that no run has."""
    check_kind("the history", history, History, "airwire.History")
    check_row(history, str(row), str(metric))
    runs = {run.id: run for run in history.runs(row)}
    steps: list[Step] = []
    for run, figure in history.figures(row, metric):
        before = steps[-1].figure if steps else None
        steps.append(Step(runs[run], figure, None if before is None else change_of(before, figure)))
    return Trend(row, metric, steps[-1].figure.unit, steps)


def check_row(history: History, row: str, metric: str) -> None:
    """Refuse a row or a metric that no run has, with the nearest that there is."""
    if history.figures(row, metric):
        return
    known = history.rows()
    if not known:
        raise _core.AirwireError(f"{history.path}: holds no run yet; add one with airwire history add RUN")
    if row not in known:
        raise _core.AirwireError(f"{history.path}: no run has a row {row}; {_core.name_hint(row, known)}")
    metrics = history.metrics(row)
    hint = _core.name_hint(metric, metrics)
    raise _core.AirwireError(f"{history.path}: row {row} has no metric {metric}; {hint}")


def change_of(before: FigureRecord, after: FigureRecord) -> Change:
    """How one figure differs from another whose errors have nothing to do with it."""
    if before.unit != after.unit:
        return Change(None, None, "too_few")
    if before.value is None or after.value is None:
        return Change(None, None, "no_figure" if before.value is not None else "too_few")
    if before.value == 0:
        return Change(None if after.value else 0.0, None, "same" if after.value == 0 else "slower")
    sign = -1 if before.unit in _RATES else 1
    worse = sign * (after.value - before.value) / before.value
    if None in (before.low, before.high, after.low, after.high):
        return Change(worse, None, "same" if worse == 0 else "too_few")
    reach = hypot(_half(before), _half(after)) / abs(before.value)
    low, high = worse - reach, worse + reach
    return Change(worse, (low, high), "slower" if low > 0 else "faster" if high < 0 else "same")


def _half(figure: FigureRecord) -> float:
    assert figure.low is not None and figure.high is not None, "asked for those with an interval alone"
    return (figure.high - figure.low) / 2
