"""The rows of ``suites/published.toml`` are those that were looked at last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import published_golden
import pytest

import airwire


def test_one_row_of_each_kind_is_that_of_before(firmware_of_avrs: Path, whole_run: Callable[[str], Path]) -> None:
    assert firmware_of_avrs.is_dir()
    now = published_golden.rows_of(airwire.load_run(whole_run(published_golden.SOME) / "runs" / "published"))
    before = published_golden.golden()
    assert set(now) == set(published_golden.SOME_ROWS)
    assert published_golden.changes({name: before[name] for name in now}, now) is None


@pytest.mark.slow
def test_the_suite_gives_the_rows_of_before(firmware_of_avrs: Path, whole_run: Callable[[str], Path]) -> None:
    assert firmware_of_avrs.is_dir()
    now = published_golden.rows_of(airwire.load_run(whole_run(published_golden.WHOLE) / "runs" / "published"))
    assert published_golden.changes(published_golden.golden(), now) is None


def test_rows_that_changed_are_named_in_one_sentence() -> None:
    before = {"fast": {"value": "2", "ratio": ""}, "gone": {"value": "1"}, "same": {"value": "3"}}
    now = {"fast": {"value": "4", "ratio": ""}, "new": {"value": "5"}, "same": {"value": "3"}}
    told = published_golden.changes(before, now)
    assert told is not None
    assert told.startswith("published.toml gives other rows: fast (value '2' -> '4'); gone is gone; new is new; ")
    assert published_golden.changes(before, before) is None
