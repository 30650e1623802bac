"""The rows of ``suites/published.toml`` are those that were looked at last."""

from __future__ import annotations

from pathlib import Path

import published_golden

import airwire


def test_the_suite_gives_the_rows_of_before(firmware: Path, published_runs: list[Path]) -> None:
    assert firmware.is_dir()
    # A run of the documents' commands is the same; without it this one takes its own.
    now = (
        published_golden.rows_of(airwire.load_run(published_runs[0])) if published_runs else published_golden.measured()
    )
    assert published_golden.changes(published_golden.golden(), now) is None


def test_rows_that_changed_are_named_in_one_sentence() -> None:
    before = {"fast": {"value": "2", "ratio": ""}, "gone": {"value": "1"}, "same": {"value": "3"}}
    now = {"fast": {"value": "4", "ratio": ""}, "new": {"value": "5"}, "same": {"value": "3"}}
    told = published_golden.changes(before, now)
    assert told is not None
    assert told.startswith("published.toml gives other rows: fast (value '2' -> '4'); gone is gone; new is new; ")
    assert published_golden.changes(before, before) is None
