"""Sweeps: the same points by processes of this machine and by a Dask cluster on it, and what the scheduler carries.

A scheduler and two workers with one thread each run on loopback beside this process, so that all share the cores.
Processor time of all processes tells what the cluster costs, however busy the machine is.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from airwire.sweep.blobs import Blobs
from airwire.sweep.cluster import MOST_IN_BUNDLE, Cluster
from airwire.sweep.plan import Plan
from airwire.sweep.point import Point
from airwire.sweep.processes import Processes
from airwire.sweep.running import plan_sweep

WORKERS = 2
ROUNDS = 5
_WARM = 12
_TICKS = os.sysconf("SC_CLK_TCK")
_SUITES = {
    "link, 1000 messages": "[links.lora]\nsamples = 1000\npayloads = [12]\n",
    "link, 10 000 messages": "[links.lora]\nsamples = 10000\npayloads = [12]\n",
    "board, 500 ping-pongs": (
        '[boards.echo]\nfirmware = "w5500-evb-pico/pingpong_client-lwip_raw.elf"\nskip = 1\nsamples = 500\n'
    ),
}
_EMPTY_TASKS = 4000
_EMPTY_AHEAD = 100
"""Tasks that wait at each worker, so that nothing is waited for but the scheduler."""


def empty(_version: str, points: str, *_contents: bytes) -> str:
    """Points that do nothing: a bundle of them says that it took as long as a bundle is to take."""
    numbers = [point[0] for point in json.loads(points)]
    return json.dumps(
        {"outcomes": [[number, {}, None] for number in numbers], "seconds": len(numbers), "refused": None}
    )


def empty_and_short(_version: str, points: str, *_contents: bytes) -> str:
    """The same, and says how little it took, so that bundles are as large as they become."""
    numbers = [point[0] for point in json.loads(points)]
    return json.dumps({"outcomes": [[number, {}, None] for number in numbers], "seconds": 0.0, "refused": None})


def run() -> list[str]:
    """The table of points by processes and by a cluster."""
    lines = ["| point | ms of a core | processes, points/s | cluster, points/s | ratio | ratio of processor time |"]
    lines.append("|---|---|---|---|---|---|")
    for name, text in _SUITES.items():
        with tempfile.TemporaryDirectory() as folder, _cluster(Path(folder)) as (address, pids):
            lines.append(_compared(name, _plan(Path(folder), text), Path(folder), address, pids))
    return lines


def run_empty() -> list[str]:
    """The table of points that do nothing."""
    lines = [
        "| empty points | points/s | us of the scheduler's core a task | us of this process a task |",
        "|---|---|---|---|",
    ]
    for name, function, points in (
        ("one to a task", empty, _EMPTY_TASKS),
        ("256 to a task", empty_and_short, _EMPTY_TASKS * MOST_IN_BUNDLE // 4),
    ):
        with tempfile.TemporaryDirectory() as folder, _cluster(Path(folder)) as (address, pids):
            lines.append(_empty_line(name, function, points, Path(folder), address, pids[0]))
    return lines


def run_idle() -> list[str]:
    """The table of what a cluster takes while it does nothing."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _cluster(Path(folder)) as (address, pids),
        Cluster(address, Blobs(Path(folder)), 60.0),
    ):
        time.sleep(3)
        began, before = time.monotonic(), [_ticks([pid]) for pid in pids]
        time.sleep(15)
        took, after = time.monotonic() - began, [_ticks([pid]) for pid in pids]
    shares = [100 * (end - start) / _TICKS / took for start, end in zip(before, after, strict=True)]
    lines = ["| idle | share of a core |", "|---|---|", f"| scheduler | {shares[0]:.1f} % |"]
    return [*lines, f"| worker | {statistics.mean(shares[1:]):.1f} % |"]


def run_bytes() -> list[str]:
    """The table of what a point moves and leaves."""
    lines = ["| point | request, B | answer, B | data set, B |", "|---|---|---|---|"]
    for name, text in _SUITES.items():
        with tempfile.TemporaryDirectory() as folder:
            from airwire.sweep.running import run_sweep

            plan = _plan(Path(folder), text, seeds=400 if name.startswith("link, 1000 ") else 40)
            found = run_sweep(plan, Path(folder) / "suite.toml", out=Path(folder) / "out")
            asked = len(json.dumps(plan.point(0)))
            columns = found.points.drop("index", "point", "entry", "seed").row(0, named=True)
            kept = sum(path.stat().st_size for path in (Path(folder) / "out" / "points").iterdir()) / len(plan)
            lines.append(f"| {name} | {asked} | {len(json.dumps([0, columns, None]))} | {kept:.0f} |")
    return lines


def _plan(folder: Path, text: str, seeds: int = 100_000) -> Plan:
    (folder / "suite.toml").write_text(text)
    return plan_sweep(folder / "suite.toml", seeds=seeds, firmware="build/firmware" if "boards" in text else None)


def _compared(name: str, plan: Plan, folder: Path, address: str, pids: list[int]) -> str:
    blobs = Blobs(folder / "files")
    for content in plan.files.contents.values():
        blobs.add(content)
    points = map(plan.point, range(len(plan)))
    with Processes(blobs.folder, WORKERS) as here, Cluster(address, blobs, 60.0) as there:
        took = (
            [_seconds(runner.outcomes, islice(points, _WARM)) for runner in (here, there, here)][-1] / _WARM * WORKERS
        )
        # Some 4 s of either in a round.
        count = max(_WARM, round(4 * WORKERS / took))
        rounds = []
        for _ in range(ROUNDS):
            before = _ticks(_children())
            own = _seconds(here.outcomes, islice(points, count))
            between = _ticks(_children()), _ticks([*pids, os.getpid()])
            far = _seconds(there.outcomes, islice(points, count))
            after = _ticks([*pids, os.getpid()])
            rounds.append(
                (count / own, count / far, own / far, (between[0] - before) / (after - between[1]), between[0] - before)
            )
    here_rate, there_rate, ratio, cost, ticks = (statistics.median(column) for column in zip(*rounds, strict=True))
    each_ms = 1e3 * ticks / _TICKS / count
    return f"| {name} | {each_ms:.1f} | {here_rate:.1f} | {there_rate:.1f} | {ratio:.2f} | {cost:.2f} |"


def _empty_line(
    name: str, function: Callable[..., str], points: int, folder: Path, address: str, scheduler: int
) -> str:
    made = (Point(number, "links", "lora", {"payloads": [12]}, 1, {}, False) for number in range(points))
    tasks = points if function is empty else points / MOST_IN_BUNDLE
    with Cluster(address, Blobs(folder), 60.0, run=function, ahead=_EMPTY_AHEAD) as cluster:
        list(cluster.outcomes(islice(made, _WARM)))
        before, own = _ticks([scheduler]), time.process_time()
        took = _seconds(cluster.outcomes, made)
        used, mine = _ticks([scheduler]) - before, time.process_time() - own
    return f"| {name} | {(points - _WARM) / took:,.0f} | {1e6 * used / _TICKS / tasks:.0f} | {1e6 * mine / tasks:.0f} |"


def _seconds(outcomes: Callable[[Iterator[Point]], Iterator[object]], points: Iterator[Point]) -> float:
    began = time.perf_counter()
    for _ in outcomes(points):
        pass
    return time.perf_counter() - began


def _ticks(pids: list[int]) -> int:
    """Processor time of processes."""
    total = 0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total


def _children() -> list[int]:
    """This process and those that it started for points."""
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", "airwire.sweep.worker"], capture_output=True, text=True
    )
    return [os.getpid(), *map(int, found.stdout.split())]


@contextmanager
def _cluster(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """A scheduler with its workers: its address, and the processes with the scheduler first."""
    file = folder / "scheduler.json"

    def start(what: str, *options: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(file), "--no-dashboard"]
        # In sessions of their own, as the other workers are: some systems share a busy machine out by session.
        return subprocess.Popen(
            [*line, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    started = [start("scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.05)
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder / "dask"))
        started += [start("worker", *options) for _ in range(WORKERS)]
        yield json.loads(file.read_text())["address"], [process.pid for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()


if __name__ == "__main__":
    for table in (run, run_empty, run_idle, run_bytes):
        print("\n".join(table()), flush=True)
        print(flush=True)
