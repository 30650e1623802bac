"""Run folders of which a part was lost: what is missing is not read as messages that nobody answered."""

from __future__ import annotations

import json
from pathlib import Path

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
    with pytest.raises(package.AirwireError, match=r"samples: a part is missing, for it holds 0 .*; measure again$"):
        package.load_run(run)


def test_a_run_that_was_killed_is_read_without_its_open_part(run: Path) -> None:
    (run / "samples" / "part-00000.parquet").unlink()
    (run / "environment.json").unlink()
    assert [capture.triggers for capture in package.load_run(run).captures] == [0]


def test_a_row_that_has_no_samples_is_read(run_of_a_suite: Path) -> None:
    manifest = json.loads((run_of_a_suite / "manifest.json").read_text())
    (run_of_a_suite / "samples" / "part-00000.parquet").unlink()
    manifest["rows"][0]["samples"] = 0
    (run_of_a_suite / "manifest.json").write_text(json.dumps(manifest))
    assert [capture.triggers for capture in package.load_run(run_of_a_suite).captures] == [0]
