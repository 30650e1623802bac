"""Findings: those that reach next to nothing of the median are not told, and advice fits what was measured."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl
import pytest
from report_analysis import MS

from airwire.board.row import BoardRow
from airwire.explain.finding_floor import FLOOR, is_worth_telling
from airwire.explain.findings import explain_finding
from airwire.link.model import LinkRow
from airwire.model import CaptureFile
from airwire.runs.findings import findings_of
from airwire.stage import Stage

if TYPE_CHECKING:
    from airwire._core import RawFinding
    from airwire.kinds import FindingKind

US = 1_000_000
BAUD_115200_CHARACTER_PS = 86.8 * US
CAPTURE = CaptureFile()
BOARD = BoardRow(
    title="", board="", firmware="", firmware_sha256="", settings={}, network="", traffic=[], of=None,
    measure="latency", figure=None, published=None, same_but=None, skip=0, end_ps=0, ended="", problem=None, counts={},
    evidence={}, notes=[], load_spans=lambda: pytest.fail("not needed"),
)  # fmt: skip


def link(**settings: str) -> LinkRow:
    return LinkRow("l", "A link", settings, "", 0, [Stage("the air", "air", 1.0)], pl.DataFrame)


def raw(kind: FindingKind, period_ps: int | None = None, **evidence: float | list[float]) -> RawFinding:
    return {"kind": kind, "confidence": 0.99, "period_ps": period_ps, "evidence": evidence}


def steps(*levels_ps: float) -> RawFinding:
    shares = [1 / len(levels_ps)] * len(levels_ps)
    apart = [b - a for a, b in pairwise(levels_ps)]
    return raw("steps", levels_ps=list(levels_ps), shares=shares, distances_ps=apart)


DRIFT = raw("drift", range_ps=US, first_ps=10 * US, last_ps=11 * US)
BURSTS = raw("bursts", slow_in_bursts=3, slow_messages=4, bursts=2, duration_ps=MS, worst_ps=9 * MS, starts_ps=[0, MS])
COMB = raw("comb", US, tooth_shares=[0.5, 0.3, 0.2], offset_ps=10 * US)


def words_of(finding: RawFinding, target: CaptureFile | LinkRow | BoardRow) -> str:
    told = explain_finding(finding, "strict", target)
    return f"{told.sentence} {told.next_step}"


@pytest.mark.parametrize(
    ("finding", "reach_ps"),
    [
        (steps(10 * US, 10.5 * US, 11 * US), US),
        (COMB, 2 * US),
        (raw("comb", US, tooth_shares=[0.9, 0.095, 0.005], offset_ps=US), US),
        (DRIFT, US),
    ],
)
def test_what_reaches_less_than_the_floor_is_not_told(finding: RawFinding, reach_ps: float) -> None:
    assert is_worth_telling(finding, 0.99 * reach_ps / FLOOR)
    assert not is_worth_telling(finding, 1.01 * reach_ps / FLOOR)


def test_bursts_are_told_by_how_far_they_stand_above_the_median() -> None:
    assert is_worth_telling(BURSTS, 8 * MS)
    assert not is_worth_telling(BURSTS, 8.9 * MS)


def test_gates_phases_and_losses_are_told_however_small() -> None:
    for kind in ("gate", "frozen_phase", "phase_coverage", "loss_as_latency"):
        assert is_worth_telling(raw(kind, 1), 1e15)


def test_levels_half_a_microsecond_apart_at_386_are_noise() -> None:
    noise = steps(386.4 * US, 386.9 * US)
    assert findings_of([noise], "known", link(), 386.5 * US) == []
    assert findings_of([noise], "strict", CAPTURE, 386.5 * US) == []
    assert len(findings_of([noise], "known", link(), 1 * US)) == 1


def test_only_where_characters_are_sent_a_distance_is_held_against_baud_rates() -> None:
    character = steps(MS, MS + BAUD_115200_CHARACTER_PS)
    assert "one character at 115200 baud" in words_of(character, CAPTURE)
    assert "one character at 115200 baud" in words_of(character, link(baud="115200"))
    assert "baud" not in words_of(character, link(sf="7"))
    assert "baud" not in words_of(character, BOARD)


def test_in_virtual_time_nothing_warms_up_and_nobody_measures_again() -> None:
    assert "temperature" in words_of(DRIFT, CAPTURE) and "measure again" in words_of(DRIFT, CAPTURE)
    for target in (BOARD, link()):
        for finding in (DRIFT, BURSTS, steps(MS, 2 * MS), COMB):
            said = words_of(finding, target).lower()
            assert not any(word in said for word in ("temperature", "measure", "scan", "reconnection"))


def test_no_retry_is_spoken_of_where_nothing_is_sent_again() -> None:
    assert "wait or retry" in words_of(COMB, CAPTURE)
    assert "wait or retry" in words_of(COMB, link(retries="3"))
    for target in (BOARD, link()):
        for finding in (COMB, steps(MS, 2 * MS)):
            said = words_of(finding, target)
            assert "retr" not in said and "retransmission" not in said
