"""The JSON of ``analyze`` and ``compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from airwire.cli.json_object import Number, Output, both
from airwire.cli.output import whole
from airwire.kinds import FindingKind, Pairing
from airwire.model import Analysis, Capture, CaptureFailure, Comparison, Finding, Interval

PERCENTILES = "type 7: linear interpolation between order statistics"


class IntervalsObject(msgspec.Struct):
    """The intervals of median and upper quartile."""

    median_ps: tuple[Number, Number]
    upper_quartile_ps: tuple[Number, Number]
    confidence: float
    effective_n: float
    note: str | None


class FindingObject(msgspec.Struct, kw_only=True):
    """Something that Airwire says of a capture."""

    kind: FindingKind
    period_ps: int | msgspec.UnsetType = msgspec.UNSET
    """Absent where there is no period."""
    confidence: float
    sentence: str
    next_step: str
    evidence: Mapping[str, Any]


class CaptureObject(msgspec.Struct):
    """A capture."""

    path: str
    group: str
    payload_bytes: int | None
    triggers: int
    outcomes: Mapping[str, int]
    latency_ps: Mapping[str, Number] | None
    intervals: IntervalsObject | None
    findings: Sequence[FindingObject]


class AnalyzeOutput(Output, tag="airwire.analyze/1"):
    """Captures, analysed."""

    command: ClassVar[str] = "analyze"
    pairing: Pairing
    seed: int
    percentiles: str
    run_folder: str | None
    interrupted: bool
    captures: Sequence[CaptureObject]
    errors: Sequence[CaptureFailure]


class CompareOutput(Output, tag="airwire.compare/1"):
    """How the latencies of B differ from those of A."""

    command: ClassVar[str] = "compare"
    a: str
    b: str
    sentence: str
    median_a_ps: Number
    median_b_ps: Number
    shift_ps: Number
    shift_interval_ps: tuple[Number, Number] | None
    a_beats_b: float
    ks: float
    ks_with_floor: float
    floor_ps: int
    wasserstein_ps: float
    effective_n: tuple[float, float]
    messages: tuple[int, int]
    loss: tuple[float, float]


def analysis_output(analysis: Analysis) -> AnalyzeOutput:
    """The object of ``airwire analyze``."""
    return AnalyzeOutput(
        pairing=analysis.pairing,
        seed=analysis.seed,
        percentiles=PERCENTILES,
        run_folder=analysis.run_folder,
        interrupted=analysis.interrupted,
        captures=[_capture(capture) for capture in analysis.captures],
        errors=analysis.errors,
    )


def comparison_output(comparison: Comparison) -> CompareOutput:
    """The object of ``airwire compare``."""
    interval = comparison.shift_interval_ps
    return CompareOutput(
        a=comparison.a,
        b=comparison.b,
        sentence=comparison.sentence,
        median_a_ps=whole(comparison.median_a_ps),
        median_b_ps=whole(comparison.median_b_ps),
        shift_ps=whole(comparison.shift_ps),
        shift_interval_ps=None if interval is None else both(interval),
        a_beats_b=comparison.a_beats_b,
        ks=comparison.ks,
        ks_with_floor=comparison.ks_with_floor,
        floor_ps=comparison.floor_ps,
        wasserstein_ps=comparison.wasserstein_ps,
        effective_n=comparison.effective_n,
        messages=comparison.messages,
        loss=comparison.loss,
    )


def _capture(capture: Capture) -> CaptureObject:
    latency = capture.latency_ps
    return CaptureObject(
        path=capture.path,
        group=capture.group,
        payload_bytes=capture.payload_bytes,
        triggers=capture.triggers,
        outcomes=capture.outcomes,
        latency_ps=None if latency is None else {name: whole(value) for name, value in latency.items()},
        intervals=_intervals(capture.median_interval, capture.upper_quartile_interval),
        findings=[_finding(finding) for finding in capture.findings],
    )


def _intervals(median: Interval | None, upper_quartile: Interval | None) -> IntervalsObject | None:
    if median is None or upper_quartile is None:
        return None
    return IntervalsObject(
        median_ps=(whole(median.low_ps), whole(median.high_ps)),
        upper_quartile_ps=(whole(upper_quartile.low_ps), whole(upper_quartile.high_ps)),
        confidence=median.confidence,
        effective_n=median.effective_n,
        note=median.note,
    )


def _finding(finding: Finding) -> FindingObject:
    return FindingObject(
        kind=finding.kind,
        period_ps=msgspec.UNSET if finding.period_ps is None else finding.period_ps,
        confidence=finding.confidence,
        sentence=finding.sentence,
        next_step=finding.next_step,
        evidence=finding.evidence,
    )
