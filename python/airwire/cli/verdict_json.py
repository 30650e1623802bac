"""The JSON of verdicts, as ``run`` and ``explain`` have them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from airwire.cli.json_object import Number
from airwire.cli.output import whole
from airwire.explain.verdict import Gain, Verdict


class GainObject(msgspec.Struct):
    """What a change is estimated to bring: the figure of the row before and after it."""

    before: Number
    after: Number
    unit: str
    at_least: bool


class VerdictObject(msgspec.Struct):
    """What takes a share of the time, what to change, and what that brings."""

    line: str
    share: float
    cause: str
    kind: str
    change: str | None
    gain: GainObject | None
    details: Sequence[str]


def verdict_objects(verdict: Verdict, verdicts: Sequence[Verdict]) -> list[VerdictObject]:
    """The verdict of a row with all that there is to say, then those of its further causes."""
    return [_object(one) for one in (verdict, *(other for other in verdicts if other.line != verdict.line))]


def _object(verdict: Verdict) -> VerdictObject:
    gain = None if verdict.gain is None else _gain(verdict.gain)
    return VerdictObject(
        verdict.line,
        round(verdict.share, 4),
        verdict.cause,
        verdict.kind,
        verdict.change,
        gain,
        list(verdict.details),
    )


def _gain(gain: Gain) -> GainObject:
    return GainObject(whole(gain.before), whole(gain.after), gain.unit, gain.at_least)
