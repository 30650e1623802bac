"""The rows of ``suites/published.toml`` are those that were looked at last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import published_golden

import airwire

# The command of docs/how-to/run-the-published-suite.md, which the documents' test runs too: once a session is enough.
COMMAND = "airwire run suites/published.toml --out runs/published --report published.html > published.txt"


def test_the_suite_gives_the_rows_of_before(firmware_of_avrs: Path, whole_run: Callable[[str], Path]) -> None:
    assert firmware_of_avrs.is_dir()
    now = published_golden.rows_of(airwire.load_run(whole_run(COMMAND) / "runs" / "published"))
    assert published_golden.changes(published_golden.golden(), now) is None


def test_rows_that_changed_are_named_in_one_sentence() -> None:
    before = {"fast": {"value": "2", "ratio": ""}, "gone": {"value": "1"}, "same": {"value": "3"}}
    now = {"fast": {"value": "4", "ratio": ""}, "new": {"value": "5"}, "same": {"value": "3"}}
    told = published_golden.changes(before, now)
    assert told is not None
    assert told.startswith("published.toml gives other rows: fast (value '2' -> '4'); gone is gone; new is new; ")
    assert published_golden.changes(before, before) is None
