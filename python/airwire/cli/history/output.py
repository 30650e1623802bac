"""The JSON of the commands of a history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from airwire.cli.json_object import Number, Output
from airwire.cli.output import whole
from airwire.history.bisection import FirstBad, Probe
from airwire.history.records import FigureRecord, RunRecord
from airwire.history.trends import Change, Trend
from airwire.kinds import Shift


class RunObject(msgspec.Struct):
    """A run of the history."""

    id: str
    suite: str | None
    seed: int | None
    started: str | None
    host: str | None
    system: str | None
    airwire: str | None
    commit: str | None
    label: str | None
    source: str


class ValueObject(msgspec.Struct):
    """A figure of a row in a run."""

    value: Number | None
    interval: tuple[Number, Number] | None
    unit: str
    firmware_sha256: str | None
    settings: Mapping[str, str]


class ChangeObject(msgspec.Struct):
    """By which share a figure is worse than another one; below 0 it is better."""

    worse: float | None
    interval: tuple[float, float] | None
    shift: Shift


class StepObject(msgspec.Struct):
    """A run of a trend, and what it changed from the one before."""

    run: RunObject
    figure: ValueObject
    change: ChangeObject | None


class ProbeObject(msgspec.Struct):
    """A candidate that was looked at, and how it differs from the good one."""

    name: str
    figure: ValueObject
    change: ChangeObject
    is_bad: bool
    was_run: bool


class AddOutput(Output, tag="airwire.history-add/1"):
    """Runs that were added."""

    command: ClassVar[str] = "history-add"
    database: str
    added: Sequence[RunObject]
    known: int


class ListOutput(Output, tag="airwire.history-list/1"):
    """The runs of the data base, and its rows."""

    command: ClassVar[str] = "history-list"
    database: str
    runs: Sequence[RunObject]
    rows: Sequence[str]


class TrendOutput(Output, tag="airwire.history-trend/1"):
    """A figure of a row over runs."""

    command: ClassVar[str] = "history-trend"
    row: str
    metric: str
    unit: str
    steps: Sequence[StepObject]


class FirstBadOutput(Output, tag="airwire.history-first-bad/1"):
    """The first bad one between a good and a bad one."""

    command: ClassVar[str] = "history-first-bad"
    row: str
    first_bad: str
    last_good: str
    candidates: int
    probes: Sequence[ProbeObject]


def run_object(run: RunRecord) -> RunObject:
    """A run as JSON has it."""
    return RunObject(**{name: getattr(run, name) for name in RunObject.__struct_fields__})


def trend_output(found: Trend) -> TrendOutput:
    """The object of ``airwire history trend``."""
    steps = [
        StepObject(run_object(step.run), _value(step.figure), None if step.change is None else _change(step.change))
        for step in found.steps
    ]
    return TrendOutput(row=found.row, metric=found.metric, unit=found.unit, steps=steps)


def first_bad_output(found: FirstBad) -> FirstBadOutput:
    """The object of ``airwire history first-bad``."""
    return FirstBadOutput(
        row=found.row,
        first_bad=found.first_bad.name,
        last_good=found.last_good.name,
        candidates=found.candidates,
        probes=[_probe(probe) for probe in found.probes],
    )


def _probe(probe: Probe) -> ProbeObject:
    return ProbeObject(probe.name, _value(probe.figure), _change(probe.change), probe.is_bad, probe.was_run)


def _value(figure: FigureRecord) -> ValueObject:
    interval = None if figure.low is None or figure.high is None else (whole(figure.low), whole(figure.high))
    value = None if figure.value is None else whole(figure.value)
    return ValueObject(value, interval, figure.unit, figure.firmware_sha256, figure.settings)


def _change(change: Change) -> ChangeObject:
    return ChangeObject(change.worse, change.interval, change.shift)
