"""The JSON of ``tune``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec

from airwire.cli.json_object import Number, Output
from airwire.cli.output import whole
from airwire.tune import Tuning, Worth
from airwire.tune.candidates import Measured
from airwire.tune.own_file import Binding
from airwire.tune.sentences import verdict_line


class KnobObject(msgspec.Struct):
    """Something that the search may change."""

    name: str
    values: Sequence[str]
    before: str
    after: str


class MeasuredObject(msgspec.Struct):
    """A candidate."""

    values: Mapping[str, str]
    figures: Mapping[str, Number]
    intervals: Mapping[str, Sequence[Number]]
    refused: str | None


class WorthObject(msgspec.Struct):
    """What a change is worth."""

    knob: str
    before: str
    after: str
    alone: Mapping[str, Number]
    among: Mapping[str, Number]
    interaction: float | None
    refused: str | None


class BindingObject(msgspec.Struct):
    """An option with the counter that shows it."""

    option: str
    evidence: str


class TuneOutput(Output, tag="airwire.tune/1"):
    """What a search found."""

    command: ClassVar[str] = "tune"
    target: str
    goals: Sequence[str]
    subject_to: Sequence[str]
    seed: int
    budget: int
    interrupted: bool
    measured: int
    refused: int
    verdict: str
    knobs: Sequence[KnobObject]
    before: MeasuredObject
    after: MeasuredObject
    worths: Sequence[WorthObject]
    front: Sequence[MeasuredObject]
    binding: Sequence[BindingObject]
    spare: Sequence[BindingObject]
    files: Sequence[str]


def tune_output(found: Tuning, written: Sequence[Path]) -> TuneOutput:
    """The object of ``airwire tune``."""
    measured = sum(one.refused is None for one in found.candidates)
    return TuneOutput(
        target=found.subject.name,
        goals=[str(goal) for goal in found.goals],
        subject_to=[limit.text for limit in found.limits],
        seed=found.seed,
        budget=found.budget,
        interrupted=found.interrupted,
        measured=measured,
        refused=len(found.candidates) - measured,
        verdict=verdict_line(found),
        knobs=[
            KnobObject(knob.name, list(knob.values), knob.start, found.best.values[knob.name])
            for knob in found.subject.knobs
        ],
        before=_measured(found.before),
        after=_measured(found.after),
        worths=[_worth(worth) for worth in found.worths],
        front=[_measured(one) for one in found.front],
        binding=[_binding(one) for one in found.binding],
        spare=[_binding(one) for one in found.spare],
        files=[str(path) for path in written],
    )


def _measured(one: Measured) -> MeasuredObject:
    intervals = {name: [whole(end) for end in pair] for name, pair in one.intervals.items()}
    return MeasuredObject(one.values, _numbers(one.figures), intervals, one.refused)


def _worth(one: Worth) -> WorthObject:
    alone, among = _numbers(one.alone), _numbers(one.among)
    return WorthObject(one.knob, one.before, one.after, alone, among, one.interaction, one.refused)


def _binding(one: Binding) -> BindingObject:
    return BindingObject(one.option, one.evidence)


def _numbers(figures: Mapping[str, float]) -> dict[str, Number]:
    return {name: whole(value) for name, value in figures.items()}
