"""What verdicts estimate a change to bring, against rows of ``suites/published.toml`` in which that change was made.

The estimate knows the slow row alone: it takes time out of its messages. The other row was measured with the change.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from published_golden import SOME, SOME_ROWS, SUITE, WHOLE

import airwire
from airwire.board.row import BoardRow
from airwire.explain.verdict import Gain
from airwire.explain.verdicts import verdicts_of
from airwire.model import Capture, rows_of_boards

CHANGES = [
    # Row, kind of cause, row with the change, how far the estimate may be off.
    ("pingpong-polled", "poll_period", "pingpong-2mhz", 0.02),
    ("pingpong-lwip-polled", "poll_period", "pingpong-lwip", 0.02),
    ("pingpong-lwip-64ms", "poll_period", "pingpong-lwip", 0.08),
    ("ping-polled", "poll_period", "ping-small", 0.03),
    ("ping-polled-5ms", "poll_period", "ping-small", 0.03),
    ("ping-polled-64ms", "poll_period", "ping-small", 0.05),
    ("pingpong-lwip-rule", "answer_held_back", "pingpong-lwip-64ms", 0.01),
    ("pingpong-lwip-timer", "answer_held_back", "pingpong-lwip-64ms", 0.01),
    # The PC's retransmission, which ends the wait, has work of its own.
    ("pingpong-lwip-rule-only", "answer_held_back", "pingpong-lwip", 0.35),
    ("echo-lwip-rule", "answer_held_back", "echo-lwip", 0.35),
    ("pingpong-prints", "console", "pingpong", 0.06),
    ("pingpong-2mhz", "bus", "pingpong", 0.06),
    ("wired-nagle", "delayed_acknowledgement", "wired-keep-alive", 0.07),
    # Code in RAM is shorter as well: it needs no calls from one memory into the other.
    ("wired-static-flash", "processor", "wired-static", 0.25),
    ("wired-ssi-flash", "processor", "wired-ssi", 0.25),
    # Without the delay the window is no limit, and neither would a larger one be.
    ("internet-w5500", "receive_window", "download-w5500", 0.08),
    ("internet-w5200", "receive_window", "download-w5200", 0.08),
    ("internet-w5100", "receive_window", "download-w5100", 0.08),
]
BOUNDS = [
    ("pingpong-48khz", "bus", "pingpong"),
    ("options-default", "receive_window", "options-tuned"),
    ("options-sockets-default", "receive_window", "options-sockets-tuned"),
    ("options-w5500-default", "receive_window", "options-w5500-tuned"),
]
HIGHER_SCK = [("bulk-chip-10mhz", "bulk-chip-20mhz"), ("bulk-lwip-10mhz", "bulk-lwip-20mhz")]
SHORT_POLLS = [
    ("pingpong-lwip-64ms", "pingpong-lwip-polled", "messages/s", 1.0),
    ("ping-polled-64ms", "ping-polled", "us", 1e6),
]

Rows = dict[str, Capture[BoardRow]]
ROWS = tomllib.loads(SUITE.read_text(encoding="utf-8"))["boards"]


def cases(table: Sequence[tuple[object, ...]]) -> list[object]:
    """Those whose rows are not among a few of each kind are slow: they need a run of the whole suite."""

    def is_slow(case: tuple[object, ...]) -> bool:
        return not {text for text in case if isinstance(text, str) and text in ROWS} <= set(SOME_ROWS)

    return [pytest.param(*case, marks=[pytest.mark.slow] if is_slow(case) else []) for case in table]


@pytest.fixture
def rows(request: pytest.FixtureRequest, firmware_of_avrs: Path, whole_run: Callable[[str], Path]) -> Rows:
    assert firmware_of_avrs.is_dir()
    return rows_of(whole_run(SOME if request.node.get_closest_marker("slow") is None else WHOLE))


@cache
def rows_of(folder: Path) -> Rows:
    analysis = airwire.load_run(folder / "runs" / "published", intervals=False, findings=False)
    return {row.path: row for row in rows_of_boards(analysis)}


def gain(row: Capture[BoardRow], kind: str) -> Gain:
    """What the change of a cause is estimated to bring."""
    (found,) = (verdict.gain for verdict in verdicts_of(row) if verdict.kind == kind)
    assert found is not None, f"{row.path} has no estimate for {kind}"
    return found


def measured(row: Capture[BoardRow]) -> float:
    assert row.target.figure is not None
    return row.target.figure.value


@pytest.mark.parametrize(("name", "kind", "changed", "tolerance"), cases(CHANGES), ids=lambda value: str(value))
def test_a_change_brings_what_was_estimated(rows: Rows, name: str, kind: str, changed: str, tolerance: float) -> None:
    found = gain(rows[name], kind)
    assert found.before == measured(rows[name]) and not found.at_least
    assert found.after == pytest.approx(measured(rows[changed]), rel=tolerance)


@pytest.mark.parametrize(("name", "kind", "changed"), cases(BOUNDS), ids=lambda value: str(value))
def test_a_change_that_helps_in_other_ways_as_well_brings_more_than_was_estimated(
    rows: Rows, name: str, kind: str, changed: str
) -> None:
    found = gain(rows[name], kind)
    assert found.at_least
    assert found.before < found.after < measured(rows[changed])


@pytest.mark.parametrize(("name", "changed"), cases(HIGHER_SCK))
def test_a_higher_sck_brings_what_was_estimated(rows: Rows, name: str, changed: str) -> None:
    """Were the clock of the other row the highest that the chip takes."""
    target, other = rows[name].target, rows[changed].target
    evidence = {**target.evidence, "highest_sck_hz": other.evidence["sck_hz"]}
    found = gain(replace(rows[name], target=replace(target, evidence=evidence)), "bus")
    assert found.after == pytest.approx(measured(rows[changed]), rel=0.06)


@pytest.mark.parametrize(("name", "changed", "unit", "in_unit"), cases(SHORT_POLLS))
def test_polling_each_millisecond_brings_what_was_estimated(
    rows: Rows, name: str, changed: str, unit: str, in_unit: float
) -> None:
    details = " ".join(next(verdict.details for verdict in verdicts_of(rows[name]) if verdict.kind == "poll_period"))
    found = re.search(rf"A poll each millisecond is estimated to bring .* -> ([0-9 .]+) {unit}\.", details)
    assert found is not None, details
    assert float(found[1].replace(" ", "")) == pytest.approx(measured(rows[changed]) / in_unit, rel=0.02)


def test_less_work_between_polls_is_no_gain(rows: Rows) -> None:
    """Each message of this row waits for a poll, so that the rate is that of polls."""
    (spi,) = (verdict for verdict in verdicts_of(rows["pingpong-polled"]) if verdict.kind == "bus")
    assert spi.gain is None
