"""The JSON of ``compare`` where it compares two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from airwire.cli.json_object import Number, Output
from airwire.cli.output import whole
from airwire.kinds import Shift
from airwire.runs.compared_runs import RowComparison, RunComparison


class ComparedRowObject(msgspec.Struct):
    """A row that both runs have."""

    row: str
    unit: str
    before: Number | None
    after: Number | None
    slower: float | None
    interval: tuple[float, float] | None
    loss: tuple[float, float]
    shift: Shift
    grown_stage: str | None
    grown_ps: Number | None
    fails: bool


class ChangedObject(msgspec.Struct):
    """Something that differs between both runs."""

    what: str
    before: str
    after: str
    rows: Sequence[str]


class CompareRunsOutput(Output, tag="airwire.compare/1"):
    """How the rows of run B differ from those of run A."""

    command: ClassVar[str] = "compare"
    a: str
    b: str
    slower_than: float | None
    rows: Sequence[ComparedRowObject]
    only_in_a: Sequence[str]
    only_in_b: Sequence[str]
    changed: Sequence[ChangedObject]


def runs_output(found: RunComparison, slower_than: float | None) -> CompareRunsOutput:
    """The object of ``airwire compare RUN RUN``."""
    return CompareRunsOutput(
        a=found.a,
        b=found.b,
        slower_than=slower_than,
        rows=[_row(row, slower_than) for row in found.rows],
        only_in_a=found.only_in_a,
        only_in_b=found.only_in_b,
        changed=[ChangedObject(one.what, one.before, one.after, one.rows) for one in found.changed],
    )


def _row(row: RowComparison, slower_than: float | None) -> ComparedRowObject:
    return ComparedRowObject(
        row=row.row,
        unit=row.unit,
        before=None if row.before is None else whole(row.before),
        after=None if row.after is None else whole(row.after),
        slower=row.slower,
        interval=row.interval,
        loss=row.loss,
        shift=row.shift,
        grown_stage=None if row.grown is None else row.grown[0],
        grown_ps=None if row.grown is None else whole(row.grown[1]),
        fails=slower_than is not None and row.is_slower_than(slower_than),
    )
