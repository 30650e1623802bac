"""The JSON of the commands about links: ``links``, ``link``, ``explain``, ``choose`` and ``validate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf
from typing import ClassVar

import msgspec

from airwire.cli.json_object import (
    ChangeObject,
    Number,
    Output,
    StageObject,
    WaterfallObject,
    changes_of,
    stages_of,
    waterfalls_of,
)
from airwire.cli.output import whole
from airwire.cli.verdict_json import VerdictObject, verdict_objects
from airwire.explain.row import RowExplanation
from airwire.kinds import LedgerMode, Understanding
from airwire.link.energy import Energy
from airwire.link.model import (
    Bounds,
    Candidate,
    CaptureExplanation,
    Choice,
    FittedGate,
    GatePeriod,
    Ledger,
    LedgerRow,
    LeftOut,
    Link,
    LinkBudget,
    QuantilePair,
)
from airwire.model import CaptureFailure


class LinksOutput(Output, tag="airwire.links/1"):
    """The links that there are."""

    command: ClassVar[str] = "links"
    links: Sequence[Link]


class LinkOutput(Output, tag="airwire.link/1"):
    """The closed-form budget of a link."""

    command: ClassVar[str] = "link"
    total_ps: Number
    stages: Sequence[StageObject]
    link: str
    title: str
    payload_bytes: int
    settings: Mapping[str, str]
    loss: float
    gates: Sequence[GatePeriod]
    energy: Energy | None
    every_ps: int | None
    energy_j: float | None
    battery_s: float | None


class RowExplanationObject(msgspec.Struct):
    """A row of a run, explained."""

    row: str
    link: str | None
    board: str | None
    title: str
    payload_bytes: int
    settings: Mapping[str, str]
    sentence: str
    verdicts: Sequence[VerdictObject]
    waterfalls: Sequence[WaterfallObject]
    changes: Sequence[ChangeObject]


class ExplainRunOutput(Output, tag="airwire.explain/1"):
    """A run, explained."""

    command: ClassVar[str] = "explain"
    run: str
    rows: Sequence[RowExplanationObject]


class ExplainCaptureOutput(Output, tag="airwire.explain/1"):
    """A capture, explained by the model of a link."""

    command: ClassVar[str] = "explain"
    capture: str
    link: str
    payload_bytes: int
    settings: Mapping[str, str]
    sentence: str
    messages: int
    explained_share: float
    left_over_ps: Number
    median_ps: Number
    model_median_ps: Number
    p95_ps: Number
    model_p95_ps: Number
    ks: float
    phases: Sequence[FittedGate]
    stages: Sequence[StageObject]
    quantiles: Sequence[QuantilePair]
    changes: Sequence[ChangeObject]


class CandidateObject(msgspec.Struct):
    """A link with some settings, as the model predicts it."""

    link: str
    title: str
    settings: Mapping[str, str]
    median_ps: Number | None
    p95_ps: Number | None
    loss: float
    margin: float | None
    duty: float | None
    battery_s: float | None


class RefusalObject(msgspec.Struct):
    """A link that cannot keep the bounds."""

    link: str
    title: str
    sentence: str
    nearest: CandidateObject | None


class ChooseOutput(Output, tag="airwire.choose/1"):
    """Which links and settings keep the bounds."""

    command: ClassVar[str] = "choose"
    payload_bytes: int
    bounds: Bounds
    every_ps: int | None
    battery: str | None
    site: str
    samples: int
    seed: int
    accepted: Sequence[CandidateObject]
    refused: Sequence[RefusalObject]


class LedgerRowObject(msgspec.Struct, rename={"understood": "class"}):
    """How far a model is from a capture."""

    capture: str
    link: str
    variant: str
    payload_bytes: int
    understood: Understanding
    mode: LedgerMode
    median_error: float
    upper_quartile_error: float
    p95_error: float
    ks: float
    n: int
    n_eff: float
    phase_coverage: float
    fitted_physics: int
    fitted_phase: int
    lost: float
    lost_model: float
    passes: bool | None
    leave_one_out: LeftOut


class ValidateOutput(Output, tag="airwire.validate/1"):
    """The ledger of the models' errors."""

    command: ClassVar[str] = "validate"
    interrupted: bool
    rows: Sequence[LedgerRowObject]
    errors: Sequence[CaptureFailure]
    without_rule: Sequence[str]


def budget_output(budget: LinkBudget, every_ps: int | None, battery_as: float | None) -> LinkOutput:
    """The object of ``airwire link``; with a schedule the energy of a message, and with a battery how long it lasts."""
    energy = budget.energy
    return LinkOutput(
        total_ps=whole(budget.total_ps),
        stages=stages_of(budget.stages),
        link=budget.link,
        title=budget.title,
        payload_bytes=budget.payload_bytes,
        settings=budget.settings,
        loss=budget.loss,
        gates=budget.gates,
        energy=energy,
        every_ps=every_ps,
        energy_j=energy.with_interval_j(every_ps) if energy is not None and every_ps is not None else None,
        battery_s=_battery_s(energy, every_ps, battery_as),
    )


def _battery_s(energy: Energy | None, every_ps: int | None, battery_as: float | None) -> float | None:
    if energy is None or every_ps is None or battery_as is None:
        return None
    return energy.battery_s(battery_as, every_ps)


def explain_output(run: str, rows: Sequence[RowExplanation]) -> ExplainRunOutput:
    """The object of ``airwire explain`` for a run."""
    return ExplainRunOutput(run=run, rows=[_explanation(row) for row in rows])


def _explanation(row: RowExplanation) -> RowExplanationObject:
    return RowExplanationObject(
        row=row.run,
        link=row.link,
        board=row.board,
        title=row.title,
        payload_bytes=row.payload_bytes,
        settings=row.settings,
        sentence=row.sentence,
        verdicts=verdict_objects(row.verdict, row.verdicts),
        waterfalls=waterfalls_of(row.waterfalls),
        changes=changes_of(row.changes),
    )


def explain_capture_output(found: CaptureExplanation) -> ExplainCaptureOutput:
    """The object of ``airwire explain`` for a capture."""
    return ExplainCaptureOutput(
        capture=found.path,
        link=found.link,
        payload_bytes=found.payload_bytes,
        settings=found.settings,
        sentence=found.sentence,
        messages=found.messages,
        explained_share=found.explained_share,
        left_over_ps=whole(found.left_over_ps),
        median_ps=whole(found.median_ps),
        model_median_ps=whole(found.model_median_ps),
        p95_ps=whole(found.p95_ps),
        model_p95_ps=whole(found.model_p95_ps),
        ks=found.ks,
        phases=found.phases,
        stages=stages_of(found.stages),
        quantiles=found.quantiles,
        changes=changes_of(found.changes),
    )


def choice_output(choice: Choice) -> ChooseOutput:
    """The object of ``airwire choose``."""
    return ChooseOutput(
        payload_bytes=choice.payload_bytes,
        bounds=choice.bounds,
        every_ps=choice.every_ps,
        battery=choice.battery,
        site=choice.site,
        samples=choice.samples,
        seed=choice.seed,
        accepted=[_candidate(candidate) for candidate in choice.accepted],
        refused=[
            RefusalObject(
                refusal.link,
                refusal.title,
                refusal.sentence,
                None if refusal.nearest is None else _candidate(refusal.nearest),
            )
            for refusal in choice.refused
        ],
    )


def ledger_output(ledger: Ledger) -> ValidateOutput:
    """The object of ``airwire validate``."""
    return ValidateOutput(
        interrupted=ledger.interrupted,
        rows=[_ledger_row(row) for row in ledger.rows],
        errors=[CaptureFailure(path, message) for path, message in ledger.errors],
        without_rule=ledger.without_rule,
    )


def _ledger_row(row: LedgerRow) -> LedgerRowObject:
    return LedgerRowObject(*(getattr(row, name) for name in LedgerRowObject.__struct_fields__))


def _candidate(candidate: Candidate) -> CandidateObject:
    return CandidateObject(
        link=candidate.link,
        title=candidate.title,
        settings=candidate.changed,
        median_ps=None if candidate.median_ps is None else whole(candidate.median_ps),
        p95_ps=None if candidate.p95_ps is None else whole(candidate.p95_ps),
        loss=candidate.loss,
        margin=None if isinf(candidate.margin) else candidate.margin,
        duty=candidate.duty,
        battery_s=candidate.battery_s,
    )
