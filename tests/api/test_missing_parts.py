"""Run folders of which a part was lost: what is missing is not read as messages that nobody answered."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import airwire as package

SUITE = "samples = 20\npayloads = [12]\n[links.uart]\n"
CAPTURE = "Time [s],Channel 0,Channel 1\n0,0,0\n0.1,1,0\n0.11,1,1\n0.2,0,0\n"


@pytest.fixture
def run_of_a_suite(tmp_path: Path) -> Path:
    (tmp_path / "suite.toml").write_text(SUITE)
    package.run(tmp_path / "suite.toml", out=tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def run_of_a_capture(tmp_path: Path) -> Path:
    (tmp_path / "12B.csv").write_text(CAPTURE)
    package.analyze(tmp_path / "12B.csv", out=tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture(params=["run_of_a_suite", "run_of_a_capture"])
def run(request: pytest.FixtureRequest) -> Path:
    """The run folder of either."""
    folder: Path = request.getfixturevalue(request.param)
    return folder


def test_a_part_that_is_missing_is_told_with_its_folder(run: Path) -> None:
    (run / "samples" / "part-00000.parquet").unlink()
    with pytest.raises(package.AirwireError, match=r"samples: a part is missing, for 0 of 1 are there; measure again$"):
        package.load_run(run)


def test_samples_that_are_missing_in_a_part_are_told_with_its_folder(run: Path) -> None:
    part = run / "samples" / "part-00000.parquet"
    pl.read_parquet(part).clear().write_parquet(part)
    with pytest.raises(package.AirwireError, match=r"samples: a part is missing, for it holds 0 .*; measure again$"):
        package.load_run(run)


@pytest.mark.parametrize("table", ["samples", "edges"])
def test_the_last_part_is_missed_as_the_others_are(run_of_a_capture: Path, table: str) -> None:
    manifest = json.loads((run_of_a_capture / "manifest.json").read_text())
    assert manifest["parts"] == {"edges": 1, "samples": 1}
    grown(run_of_a_capture / table, 3)
    (run_of_a_capture / "manifest.json").write_text(json.dumps(manifest | {"parts": {**manifest["parts"], table: 3}}))
    assert package.load_run(run_of_a_capture).captures
    (run_of_a_capture / table / "part-00002.parquet").unlink()
    with pytest.raises(package.AirwireError, match=f"{table}: a part is missing, for 2 of 3 are there; measure again"):
        package.load_run(run_of_a_capture)


def test_the_last_part_of_spans_is_missed_as_the_others_are(run_of_a_suite: Path) -> None:
    (run_of_a_suite / "spans" / "part-00000.parquet").unlink()
    (row,) = package.load_run(run_of_a_suite).captures
    with pytest.raises(package.AirwireError, match="spans: a part is missing, for 0 of 1 are there; measure again"):
        assert row.target.spans.is_empty()
    (run_of_a_suite / "spans").rmdir()
    (row,) = package.load_run(run_of_a_suite).captures
    with pytest.raises(package.AirwireError, match="spans: is missing; measure again"):
        assert row.target.spans.is_empty()


def without_counts(run: Path) -> None:
    """As a run leaves it that is killed before its first part is full, and Airwire before it counted parts."""
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({name: of for name, of in manifest.items() if name != "parts"}))


def test_a_run_that_was_killed_is_read_without_its_open_part(run: Path) -> None:
    (run / "samples" / "part-00000.parquet").unlink()
    (run / "environment.json").unlink()
    without_counts(run)
    assert [capture.triggers for capture in package.load_run(run).captures] == [0]


def test_a_row_that_has_no_samples_is_read(run_of_a_suite: Path) -> None:
    manifest = json.loads((run_of_a_suite / "manifest.json").read_text())
    (run_of_a_suite / "samples" / "part-00000.parquet").unlink()
    manifest["rows"][0]["samples"] = 0
    manifest["parts"] = {}
    (run_of_a_suite / "manifest.json").write_text(json.dumps(manifest))
    assert [capture.triggers for capture in package.load_run(run_of_a_suite).captures] == [0]


def grown(folder: Path, parts: int) -> None:
    """The first part of a table so many times, as a long run would have written it."""
    for number in range(1, parts):
        shutil.copy(folder / "part-00000.parquet", folder / f"part-{number:05}.parquet")


@pytest.mark.parametrize("table", ["samples", "edges"])
@pytest.mark.parametrize("lost", [0, 1])
def test_a_part_that_is_missing_among_others_is_told(run_of_a_capture: Path, table: str, lost: int) -> None:
    grown(run_of_a_capture / table, 3)
    assert package.load_run(run_of_a_capture).captures
    (run_of_a_capture / table / f"part-{lost:05}.parquet").unlink()
    says = f"{table}: a part is missing, for part-0000{lost + 1}.parquet is there and part-0000{lost}.parquet is not"
    with pytest.raises(package.AirwireError, match=says):
        package.load_run(run_of_a_capture)


def test_edges_of_a_capture_that_are_missing_are_told(run_of_a_capture: Path) -> None:
    (run_of_a_capture / "edges" / "part-00000.parquet").unlink()
    without_counts(run_of_a_capture)
    with pytest.raises(package.AirwireError, match="edges: a part is missing, for captures have one at least"):
        package.load_run(run_of_a_capture)
    (run_of_a_capture / "edges").rmdir()
    with pytest.raises(package.AirwireError, match="edges: is missing; measure again"):
        package.load_run(run_of_a_capture)


@pytest.mark.parametrize("keep", [0, 7])
def test_spans_of_which_some_are_missing_are_told(run_of_a_suite: Path, keep: int) -> None:
    part = run_of_a_suite / "spans" / "part-00000.parquet"
    spans = pl.read_parquet(part)
    (row,) = package.load_run(run_of_a_suite).captures
    assert row.target.spans["index"].n_unique() == 20
    spans.filter(pl.col("index") < keep).write_parquet(part)
    (row,) = package.load_run(run_of_a_suite).captures
    says = f"spans: a part is missing, for it holds {keep} messages of uart/12B, of which 20 were taken apart"
    with pytest.raises(package.AirwireError, match=says):
        package.explain_run(package.load_run(run_of_a_suite))
