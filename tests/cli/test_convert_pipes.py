"""``airwire convert`` into what no file takes the place of: named pipes and standard output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Airwire = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")

ROWS = 50_000
"""More than a pipe holds, so that its reader is waited for."""


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    rows = "".join(f"{at}.000000000,{at % 2}\n" for at in range(ROWS))
    path = tmp_path / "long.csv"
    path.write_text(f"Time [s],D0\n{rows}", "ascii")
    return path


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    return path


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "airwire.cli", "convert", *map(str, arguments)]


def test_a_pipe_is_written_for_its_reader_and_stays_a_pipe(airwire: Airwire, capture: Path, pipe: Path) -> None:
    received = pipe.with_name("received")
    with received.open("wb") as out, subprocess.Popen(["cat", str(pipe)], stdout=out):
        written = airwire("convert", capture, pipe)
    assert written.returncode == 0, written.stderr
    assert received.read_bytes().count(b"\n") == ROWS + 1 and pipe.is_fifo()


def test_a_pipe_that_nobody_reads_is_refused_soon(airwire: Airwire, capture: Path, pipe: Path) -> None:
    begun = time.monotonic()
    refused = airwire("convert", capture, pipe)
    assert refused.returncode == 2
    assert "pipe.csv: cannot write it: nobody reads from this pipe; start its reader first" in refused.stderr
    assert time.monotonic() - begun < 20


def test_a_reader_that_leaves_ends_the_conversion(airwire: Airwire, capture: Path, pipe: Path) -> None:
    with subprocess.Popen(["head", "-c", "10", str(pipe)], stdout=subprocess.DEVNULL):
        left = airwire("convert", capture, pipe)
    assert left.returncode == 2
    assert "pipe.csv: cannot write it: the reader of this pipe left before the end" in left.stderr
    assert "Traceback" not in left.stderr and "make room" not in left.stderr


def test_ctrl_c_ends_a_conversion_whose_reader_does_not_read(capture: Path, pipe: Path) -> None:
    idle = os.open(pipe, os.O_RDWR)
    process = subprocess.Popen(command(capture, pipe), stderr=subprocess.PIPE, text=True)
    try:
        os.read(idle, 1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(idle)
    assert process.returncode == 130 and "Traceback" not in said, said


def test_standard_output_holds_the_capture_alone(capture: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.symlink_to("/dev/stdout")
    ran = subprocess.run(command(capture, out), capture_output=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(b"Time [s],D0\n") and ran.stdout.count(b"\n") == ROWS + 1
    assert b"Written: " in ran.stderr
