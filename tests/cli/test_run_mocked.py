"""``airwire run`` on mock targets, whose messages take exactly what a test says: stop rules, progress, Ctrl-C,
failures, exit codes, JSON and report."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bench_suites import write

from command_server import CommandServer

MOCKED = Path(__file__).resolve().parents[1] / "mocked.py"
MS = 10**9
LINKS = "samples = 40\npayloads = [12]\n[links.lora]\nsf = [7, 8, 9]\n"
BOARDS = "[boards.quick]\nsamples = 50\n[boards.second]\nsamples = 50\n"
Run = Callable[..., subprocess.CompletedProcess[str]]
Airwire = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(command_server: CommandServer, tmp_path: Path) -> Run:
    """Run a suite on mocks, all rows one after the other, into the folder ``run``."""

    def run(
        text: str, *options: str, mocks: Mapping[str, Any] | None = None, interrupt_at: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        words = arguments(write(tmp_path, text), *options, mocks=mocks, interrupt_at=interrupt_at)
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
        return command_server.run(words, tmp_path, environment, timeout_s=60, program=MOCKED)

    return run


def arguments(
    suite: Path,
    *options: str,
    mocks: Mapping[str, Any] | None = None,
    interrupt_at: int | None = None,
    takes_no_time: bool = False,
) -> list[str]:
    plan = json.dumps({"mocks": mocks or {}, "interrupt_at": interrupt_at, "takes_no_time": takes_no_time})
    return [plan, "run", str(suite), "--workers", "1", "--out", "run", *options]


def kept(folder: Path) -> list[tuple[str, int]]:
    """The rows of the run folder with their messages, as the manifest has them and as the table has them."""
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    rows = [(row["run"], row["samples"]) for row in manifest["rows"]]
    samples = pl.read_parquet(folder / "run" / "samples" / "*.parquet")
    assert dict(rows) == {name: samples.filter(pl.col("run") == name).height for name, _ in rows}
    return rows


def test_figures_are_exactly_what_the_messages_took(run: Run, tmp_path: Path) -> None:
    mocks = {
        "rows": {"lora sf=7/12B": {"latencies_ps": [2 * MS, 4 * MS]}, "lora sf=8/12B": {"latencies_ps": [MS, None]}},
        "others": {"latencies_ps": [5 * MS]},
    }
    done = run(LINKS, "--json", mocks=mocks)
    assert (done.returncode, done.stderr) == (0, "")
    rows = {(row["row"], row["metric"]): row["value"] for row in json.loads(done.stdout)["rows"]}
    assert [rows[f"lora sf={sf}/12B", "latency_p50"] for sf in (7, 8, 9)] == [3 * MS, MS, 5 * MS]
    assert [rows[f"lora sf={sf}/12B", "loss"] for sf in (7, 8, 9)] == [0, 0.5, 0]
    assert rows["lora sf=7/12B", "latency_mean"] == 3 * MS
    shown = run(LINKS, "--only", "lora sf=7", "--out", "shown", mocks=mocks).stdout
    assert "40 messages, seed 1; " in shown
    (line,) = (line for line in shown.splitlines() if line.startswith("1  "))
    assert line.split()[:5] == ["1", "lora", "sf=7", "3", "ms"]


def test_a_row_says_that_it_ran_on_a_mock_and_what_that_stood_for(run: Run, tmp_path: Path) -> None:
    assert run(LINKS).returncode == 0
    rows = json.loads((tmp_path / "run" / "manifest.json").read_text())["rows"]
    assert {(row["target"], row["link"]) for row in rows} == {("mock", "lora")}


@pytest.mark.parametrize(
    ("bounds", "messages"),
    [
        ("samples = 70\n", 70),
        ("samples = 70\nlimit = '30 ms'\n", 30),
        ("samples = 70\nskip = 5\n", 70),
        # Of messages that take the same the interval is narrow as soon as there is one, which takes 40 of them.
        ("samples = 70\nstop_within = '5 %'\n", 40),
        ("limit = '10 ms'\n", 10),
    ],
)
def test_a_row_ends_with_what_bounds_it_first(run: Run, tmp_path: Path, bounds: str, messages: int) -> None:
    done = run(f"[boards.pp]\nmeasure = 'latency'\n{bounds}", "--json", mocks={"others": {"latencies_ps": [MS]}})
    assert (done.returncode, done.stderr) == (0, "")
    (board,) = json.loads(done.stdout)["boards"]
    assert (board["figure"]["n"], board["figure"]["value"]) == (messages, MS)


def test_a_row_whose_interval_stays_wide_ends_with_its_samples(run: Run) -> None:
    wide = {"others": {"latencies_ps": [MS + number * 7919 % 100_000 * 1_000 for number in range(90)]}}
    done = run("[boards.pp]\nmeasure = 'latency'\nsamples = 90\nstop_within = '0.01 %'\n", "--json", mocks=wide)
    (board,) = json.loads(done.stdout)["boards"]
    assert board["figure"]["n"] == 90


def test_ctrl_c_keeps_the_part_of_a_link_that_was_measured(run: Run, airwire: Airwire, tmp_path: Path) -> None:
    # The second row does nothing any more after 75 messages, so that whenever Ctrl-C comes those are kept. A row is
    # asked every 20 messages: 40 of the first and 60 of the second are told.
    stalls = {"rows": {"lora sf=8/12B": {"stalls_after": 75}}}
    done = run(LINKS.replace("40", "100"), "--samples", "100", mocks=stalls, interrupt_at=160)
    assert done.returncode == 130, done.stderr
    assert done.stderr == "airwire: stopped by Ctrl-C; 2 rows were begun or finished and kept\n"
    assert kept(tmp_path) == [("lora sf=7/12B", 100), ("lora sf=8/12B", 75)]
    assert "Run folder: run" in done.stdout
    rows = json.loads(airwire("explain", "run", "--changes", "0", "--json").stdout)["rows"]
    assert [row["row"] for row in rows] == ["lora sf=7/12B", "lora sf=8/12B"]


def test_ctrl_c_keeps_the_rows_of_boards_that_are_finished(run: Run, tmp_path: Path) -> None:
    done = run(BOARDS, mocks={"rows": {"second": {"stalls_after": 30}}}, interrupt_at=50)
    assert done.returncode == 130, done.stderr
    assert done.stderr == "airwire: stopped by Ctrl-C; 1 row was begun or finished and kept\n"
    assert kept(tmp_path) == [("quick", 50)]


def test_ctrl_c_before_anything_was_measured_keeps_nothing_and_says_so(run: Run) -> None:
    done = run(BOARDS, mocks={"others": {"stalls_after": 0}}, interrupt_at=0)
    assert done.returncode == 130, done.stdout
    assert done.stderr == "airwire: stopped by Ctrl-C; 0 rows were begun or finished and kept\n"


def test_json_of_a_run_that_is_stopped_is_whole(run: Run) -> None:
    done = run(LINKS, "--json", mocks={"rows": {"lora sf=8/12B": {"stalls_after": 25}}}, interrupt_at=60)
    assert done.returncode == 130
    rows = json.loads(done.stdout)["rows"]
    assert {row["row"] for row in rows} == {"lora sf=7/12B", "lora sf=8/12B"}


def test_a_target_that_fails_ends_the_run_with_2_and_keeps_the_rows_before(
    run: Run, airwire: Airwire, tmp_path: Path
) -> None:
    done = run(LINKS, mocks={"rows": {"lora sf=8/12B": {"breaks_after": 7}}})
    assert done.returncode == 2
    assert done.stderr == "airwire: lora sf=8/12B: it came off the bench\n"
    assert kept(tmp_path) == [("lora sf=7/12B", 40)]
    assert airwire("report", "run").returncode == 0


def test_a_row_without_a_figure_exits_with_1(run: Run) -> None:
    done = run("[boards.pp]\nmeasure = 'latency'\nsamples = 30\n", mocks={"others": {"latencies_ps": [None]}})
    assert done.returncode == 1
    assert done.stderr == "airwire: pp: no figure: every message of the mock was lost\n"


def test_the_report_of_a_run_is_that_of_its_folder(run: Run, airwire: Airwire, tmp_path: Path) -> None:
    done = run(LINKS, "--report", "now.html", mocks={"others": {"latencies_ps": [MS, 2 * MS, 3 * MS]}})
    assert done.returncode == 0, done.stderr
    assert "Report: now.html" in done.stdout
    assert airwire("report", "run", "--out", "later.html").returncode == 0
    assert (tmp_path / "now.html").read_bytes() == (tmp_path / "later.html").read_bytes()


def on_a_terminal(folder: Path, host_us: int) -> str:
    """What a run of 300 messages prints to a terminal as its complaints, each message taking the host so long.

    Where that is no time at all, none passes for the command either, however busy the machine is.
    """
    ours, theirs = pty.openpty()
    suite = write(folder, "samples = 300\npayloads = [12]\n[links.lora]\n")
    process = subprocess.Popen(
        [
            sys.executable,
            str(MOCKED),
            *arguments(suite, mocks={"others": {"host_us": host_us}}, takes_no_time=host_us == 0),
        ],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            # Linux reports the end of a terminal as an input/output error.
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return shown.decode()


def test_long_work_shows_how_far_it_is_on_a_terminal(tmp_path: Path) -> None:
    shown = on_a_terminal(tmp_path, host_us=6_000)
    assert "Running the suite" in shown
    assert "%" in shown


def test_short_work_shows_no_bar(tmp_path: Path) -> None:
    assert "Running the suite" not in on_a_terminal(tmp_path, host_us=0)


@pytest.mark.parametrize("text", ["[mocks.a]\n", "[links.mock]\n", "[links.lora]\nmocks = {}\n"])
def test_no_suite_reaches_a_mock(airwire: Airwire, tmp_path: Path, text: str) -> None:
    assert airwire("run", write(tmp_path, text)).returncode == 2


def test_nothing_of_the_package_asks_for_mocks() -> None:
    package = Path(__file__).resolve().parents[2] / "python" / "airwire"
    asking = [file.name for file in package.rglob("*.py") if "mock" in file.read_text(encoding="utf-8")]
    assert asking == []
