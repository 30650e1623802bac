"""Runs that a full disk or Ctrl-C ends: what was finished before is kept, and can be read."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from bench_suites import ENDLESS, write
from refusals import Airwire, sentence

SOON_DONE = """
[links.gpio]
samples = 200000
payloads = [1]

"""


# The first row's samples compress well; those of the second are as random as a link can be.
TWO_PARTS = """
samples = 140000

[links.gpio]
build = "stm32-ll-o3"
payloads = [1]

[links.esp32-wifi-udp]
payloads = [12]
"""


def run_with_files_up_to(limit_bytes: int, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """``airwire run`` on a system that refuses longer files, as a full disk would."""
    resource = pytest.importorskip("resource", reason="this system has no limits for processes")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    command = [sys.executable, "-m", "airwire.cli", "run", str(write(tmp_path, TWO_PARTS)), "--out", "run"]
    return subprocess.run(
        command, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_run_that_does_not_fit_on_the_disk_keeps_the_parts_before(airwire: Airwire, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    assert run_with_files_up_to(1 << 30, whole).returncode == 0
    sizes = [(whole / f"run/samples/part-0000{n}.parquet").stat().st_size for n in (0, 1)]
    assert sizes[0] < sizes[1]
    result = run_with_files_up_to(sum(sizes) // 2, tmp_path)
    assert "run/samples/part-00001.parquet: cannot write it: " in sentence(result)
    assert result.stderr.count("\n") == 1
    assert "gpio" in result.stdout
    assert not list((tmp_path / "run").rglob("*.partial"))
    kept = json.loads(airwire("explain", "run", "--changes", "0", "--json").stdout)["rows"]
    assert [row["row"] for row in kept] == ["gpio/1B"]
    assert kept[0]["waterfalls"]


def test_a_row_that_was_killed_before_its_first_message_has_lost_none(airwire: Airwire, tmp_path: Path) -> None:
    write(tmp_path, "[links.lora]\nsamples = 20\npayloads = [12]\n")
    airwire("run", "suite.toml", "--out", "run")
    # What a kill leaves behind: neither the end of the run nor a part of its messages.
    (tmp_path / "run/environment.json").unlink()
    part = tmp_path / "run/samples/part-00000.parquet"
    pl.read_parquet(part).clear().write_parquet(part)
    shutil.rmtree(tmp_path / "run/spans")
    (tmp_path / "run/spans").mkdir()
    manifest = json.loads((tmp_path / "run/manifest.json").read_text(encoding="utf-8"))
    manifest.pop("parts")
    (tmp_path / "run/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    explained = airwire("explain", "run", "--changes", "0")
    assert (explained.returncode, "lost" in explained.stdout) == (0, False)
    assert "No message was sent" in explained.stdout


@pytest.mark.parametrize("limit_bytes", [100, 2_000, 10_000, 40_000, 150_000, 600_000])
def test_what_is_said_to_be_kept_is_there(tmp_path: Path, limit_bytes: int) -> None:
    said = sentence(run_with_files_up_to(limit_bytes, tmp_path))
    is_there = (tmp_path / "run").exists()
    kept = "the parts written before are complete" if is_there else "nothing of this run is kept"
    assert kept in said
    assert list((tmp_path / "run").rglob("*.parquet")) or not is_there


def test_a_disk_without_any_room_is_one_sentence(tmp_path: Path) -> None:
    result = run_with_files_up_to(100, tmp_path)
    assert "run/manifest.json: cannot write it: " in sentence(result)
    assert result.stderr.count("\n") == 1


def test_ctrl_c_ends_a_run_with_130_and_what_is_kept_can_be_read(airwire: Airwire, tmp_path: Path) -> None:
    # One row that is soon finished and kept, and then those that outlast everybody's patience.
    suite = write(tmp_path, ENDLESS.replace("[links.lora]", SOON_DONE + "[links.lora]"))
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "run", suite, "--out", "run"],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = tmp_path / "run" / "samples" / "part-00000.parquet"
    deadline = time.monotonic() + 60
    while not first.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, (output, errors)
    assert errors.startswith("airwire: stopped by Ctrl-C; ")
    assert errors.count("\n") == 1
    assert "gpio" in output
    rows = json.loads(airwire("explain", "run", "--changes", "0", "--json").stdout)["rows"]
    assert rows[0]["row"] == "gpio/1B"
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["rows"][0]["samples"] == 200_000
