"""A Dask scheduler and its workers as processes of this machine, and sweeps that are watched while they run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

AIRWIRE = [sys.executable, "-m", "airwire.cli"]
PATIENCE_S = 90.0
# Some 30 ms of a processor a point: long enough to be met in the midst of it, and soon done.
SUITE = """
name = "swept"
samples = 4000
payloads = [12]

[links.lora]
"""
AXES = ["--over", "sf=7..12", "--over", "payload=12,64", "--seeds", "12"]
POINTS = 6 * 2 * 12


class Cluster:
    """A scheduler, and workers that tests start and kill."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        wait_for(self._has_address, "the scheduler")
        self.address = str(json.loads(self._file.read_text())["address"])
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, shell: str = "") -> subprocess.Popen[bytes]:
        """Start a worker with one thread; ``shell`` is what its shell does before."""
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self._folder / "dask")]
        self.workers.append(self.start("worker", *options, shell=shell))
        return self.workers[-1]

    def start(self, what: str, *options: str, shell: str = "") -> subprocess.Popen[bytes]:
        """Start a program of Dask that tells or reads the address by the scheduler's file."""
        line = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(self._file), *options]
        with (self._folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(
                ["bash", "-c", f'{shell} exec "$@"', "bash", *line], cwd=self._folder, stdout=log, stderr=log
            )

    def end(self) -> None:
        """End every process of it."""
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()

    def _has_address(self) -> bool:
        assert self.scheduler.poll() is None, (self._folder / "scheduler.log").read_text()
        try:
            return "address" in json.loads(self._file.read_text())
        except (OSError, ValueError):
            return False


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster with so many workers, which ends with the block."""
    folder.mkdir(exist_ok=True)
    made = Cluster(folder)
    try:
        for _ in range(workers):
            made.add_worker()
        yield made
    finally:
        made.end()


def sweep(folder: Path, *options: str, out: str = "out") -> subprocess.Popen[str]:
    """A sweep of the suite above, begun."""
    (folder / "suite.toml").write_text(SUITE)
    line = [*AIRWIRE, "sweep", "suite.toml", *AXES, "--out", out, "--json", *options]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code and what was printed, once it has ended."""
    printed, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, printed, said


def finished(folder: Path, out: str = "out") -> int:
    """How many points the journal of a sweep that runs holds."""
    try:
        return (folder / out / "journal.jsonl").read_bytes().count(b"\n")
    except OSError:
        return 0


def in_the_midst(folder: Path, process: subprocess.Popen[str], least: int = 10, out: str = "out") -> None:
    """Wait until some points are finished; not all may be."""
    wait_for(lambda: finished(folder, out) >= least or process.poll() is not None, "points")
    assert process.poll() is None, "the sweep ended too early to be met in its midst"


def kill(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """End a process without a word."""
    os.kill(process.pid, signal.SIGKILL)


def data_set(folder: Path, out: str = "out") -> dict[str, bytes]:
    """The parts of a sweep's data set."""
    return {path.name: path.read_bytes() for path in sorted((folder / out / "points").iterdir())}


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait until something is so."""
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, f"{what} never came"
        time.sleep(0.02)
