"""The JSON of ``sweep``: where the data set is, and what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from airwire.cli.json_object import Output
from airwire.sweep.running import Sweep


class FailureObject(msgspec.Struct):
    """A point that failed."""

    point: str
    sentence: str


class SweepOutput(Output, tag="airwire.sweep/1"):
    """A sweep."""

    command: ClassVar[str] = "sweep"
    folder: str
    data_set: str
    digest: str
    suite: str
    design: Literal["grid", "latin", "list"]
    axes: Sequence[str]
    points: int
    finished: int
    ran: int
    left_out: int
    failures: Sequence[FailureObject]


def sweep_output(found: Sweep) -> SweepOutput:
    """The object of ``airwire sweep``."""
    plan = found.plan
    return SweepOutput(
        folder=str(found.folder),
        data_set=str(found.folder / "points" / "*.parquet"),
        digest=plan.digest,
        suite=plan.suite,
        design=plan.design,
        axes=plan.axes,
        points=len(plan),
        finished=found.points.height,
        ran=found.ran,
        left_out=plan.left_out,
        failures=[FailureObject(name, sentence) for name, sentence in found.failures],
    )
