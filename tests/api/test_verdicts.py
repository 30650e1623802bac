"""Verdicts in one line: share, cause, change and gain, and what else there is to say as details."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import airwire
from airwire.explain.board.cause import verdicts_from
from airwire.explain.verdict import NO_FIGURE, NOTHING_STANDS_OUT, Gain, Verdict
from airwire.explain.verdicts import verdict_of, verdicts_of
from airwire.explain.words import stage_of
from airwire.link.model import Waterfall
from airwire.model import Capture

GOLDEN = Path(__file__).parent / "golden_suites"
MS = 1e9
LONGEST = 160


@pytest.fixture(scope="module")
def rows() -> dict[str, Capture]:
    return {row.path: row for row in airwire.load_run(GOLDEN / "run-2").captures}


def test_a_line_is_share_cause_change_and_gain() -> None:
    verdict = Verdict(0.75, "waits for a timer", "timer", "stop it", Gain(4.0, 15.625, "messages/s"), ["Why."])
    assert verdict.line == "75 % waits for a timer: stop it; 4.00 -> 15.6 messages/s"
    assert verdict.text == f"{verdict.line}. Why."
    assert replace(verdict, gain=None).line == "75 % waits for a timer: stop it"
    assert replace(verdict, gain=None, change=None).line == "75 % waits for a timer"


def test_where_nothing_stands_out_the_line_says_so_and_names_the_largest_part() -> None:
    stages = [stage_of("wire", "wire", "frames", f"{end}", 1 * MS) for end in ("pc", "board")]
    stages += [stage_of("bus", "board", "headers", None, 1.1 * MS)]
    (verdict,) = verdicts_from([], Waterfall(50, 3.1 * MS, 1, stages), None, lambda _: None)
    assert (verdict.kind, verdict.change) == (NOTHING_STANDS_OUT, None)
    assert verdict.line == "Nothing stands out: 35 % is headers over SPI"


def test_without_a_figure_the_line_says_why() -> None:
    assert Verdict(0.0, "No figure: nobody answers", NO_FIGURE).line == "No figure: nobody answers"


@pytest.mark.parametrize(
    ("gain", "text", "factor"),
    [
        (Gain(32.02e9, 133.6e6, "ps"), "32 ms -> 134 us", 239.7),
        (Gain(9.8e9, 0.8e9, "ps", at_least=True), "9.8 ms -> at most 800 us", 12.25),
        (Gain(15.27e6, 49.4e6, "bit/s", at_least=True), "15.3 -> at least 49.4 Mbit/s", 3.235),
        (Gain(0.9e6, 2.5e6, "bit/s"), "900 -> 2 500 kbit/s", 2.778),
        (Gain(15.63, 7113, "messages/s"), "15.6 -> 7 110 messages/s", 455.1),
    ],
)
def test_a_gain_is_both_figures_in_one_unit(gain: Gain, text: str, factor: float) -> None:
    assert (gain.text, gain.factor) == (text, pytest.approx(factor, rel=1e-3))


def test_every_row_of_a_run_has_a_verdict_of_one_line(rows: dict[str, Capture]) -> None:
    for path, row in rows.items():
        verdict = verdict_of(row)
        assert verdict is not None, path
        lines = [verdict.line, *(one.line for one in verdicts_of(row))]
        assert all(len(line) <= LONGEST and "\n" not in line for line in lines), lines
        assert 0 < verdict.share <= 1, path
        assert all(detail.endswith(".") and detail == detail.strip() for detail in verdict.details), verdict.details


def test_the_verdicts_of_a_row_are_its_causes_the_largest_first(rows: dict[str, Capture]) -> None:
    first, second = verdicts_of(rows["sockets"])
    assert (first.kind, second.kind) == ("poll_period", "bus") and first.share > second.share
    whole = verdict_of(rows["sockets"])
    assert whole is not None and whole.line == first.line
    assert f"{second.line}." in whole.details


def test_a_capture_file_has_no_verdict() -> None:
    capture = airwire.load_run(Path(__file__).parent / "golden" / "run-2").captures[0]
    assert verdict_of(capture) is None and verdicts_of(capture) == []
