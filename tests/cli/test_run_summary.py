"""A run of many rows ends in one screen, and nothing is wider than the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from bench_suites import QUICK, write
from rich.text import Text

import airwire as package
from airwire.cli import output
from airwire.explain.agreement import of_boards, of_links
from airwire.model import rows_of_boards, rows_of_links
from command_server import CommandServer
from terminal import run_in_terminal

Airwire = Callable[..., subprocess.CompletedProcess[str]]
Printed = Callable[..., list[str]]
SCREEN_LINES = 24
GOLDEN = Path(__file__).resolve().parents[1] / "api" / "golden_suites" / "run-2"
# Thirteen rows, of which one has a published median that it meets and one that it does not.
MANY = """
name = "many"
samples = 60
payloads = [12]
[links.lora]
sf = [7, 8, 9, 10, 11]
bandwidth = ["250 kHz", "500 kHz"]
[links.uart]
baud = [9600, 115200, 921600]
published = [
    { payload = 12, baud = 115200, median = "1.05 ms", source = "a table" },
    { payload = 12, baud = 9600, median = "5 ms", source = "a table" },
]
"""


@pytest.fixture
def printed(tmp_path: Path, command_server: CommandServer) -> Printed:
    """The lines that a command prints where there are so many columns."""

    def printed(columns: int, *arguments: str) -> list[str]:
        environment = {**os.environ, "COLUMNS": str(columns)}
        done = command_server.run([*arguments], tmp_path, environment, timeout_s=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return printed


def test_a_run_of_many_rows_ends_in_one_screen(tmp_path: Path, printed: Printed) -> None:
    write(tmp_path, MANY)
    lines = printed(80, "run", "suite.toml", "--out", "run", "--report", "r.html")
    assert len(lines) <= SCREEN_LINES and all(len(line) <= 80 for line in lines), lines
    text = "\n".join(lines)
    assert "13 rows of 2 modelled links" in text
    assert "1 of 2 published medians are met within 5 %; 1 differ" in text
    assert "Run folder: run" in text and "Report: r.html" in text
    slowest = "'lora sf=11 bandwidth=250 kHz/12B'"
    assert f"Next: airwire explain run {slowest}" in text
    assert "median  published" not in text, "the table is for --all"


def test_the_command_that_is_named_next_works(airwire: Airwire, tmp_path: Path) -> None:
    lines = airwire("run", write(tmp_path, MANY), "--out", "run").stdout.splitlines()
    steps = [line.removeprefix("Next:").strip() for line in lines[-2:]]
    assert [step.split()[1] for step in steps] == ["explain", "report"]
    for step in steps:
        code, shown = run_in_terminal(step, tmp_path)
        assert code == 0, shown
    assert (tmp_path / "run" / "report.html").is_file()


@pytest.mark.parametrize("option", ["--all", "-v"])
def test_every_row_is_printed_on_request(airwire: Airwire, tmp_path: Path, option: str) -> None:
    shown = airwire("run", write(tmp_path, MANY), "--out", "run", option).stdout
    assert "published  ratio" in shown and "modelled links" not in shown
    assert all(f"lora sf={sf} bandwidth=500 kHz" in shown for sf in range(7, 12))


def test_a_short_run_is_printed_whole(airwire: Airwire, tmp_path: Path) -> None:
    shown = airwire("run", write(tmp_path, QUICK), "--out", "run").stdout
    assert "Where the time goes:" in shown and "Next: " not in shown


@pytest.mark.parametrize("columns", [80, 100, 132])
def test_nothing_is_wider_than_the_terminal(tmp_path: Path, printed: Printed, columns: int) -> None:
    write(tmp_path, MANY)
    for arguments in (["run", "suite.toml", "--out", "run", "--all"], ["explain", "run"], ["explain", str(GOLDEN)]):
        lines = printed(columns, *arguments)
        assert lines and all(len(line) <= columns for line in lines), max(lines, key=len)


def test_a_pipe_without_columns_has_120(airwire: Airwire, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "airwire.cli", "explain", str(GOLDEN), "out"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert 100 < max(map(len, done.stdout.splitlines())) <= 120


def test_agreement_counts_ratios_within_five_percent() -> None:
    analysis = package.load_run(GOLDEN)
    boards, links = of_boards(rows_of_boards(analysis)), of_links(rows_of_links(analysis))
    shares = [row.target.published.measured_share for row in rows_of_boards(analysis) if row.target.published]
    assert boards.compared + boards.open == len(shares) == 1
    assert boards.agree == sum(share is not None and abs(share - 1) <= 0.05 for share in shares)
    assert links.compared == 0


class Terminal(StringIO):
    """What somebody looks at."""

    def isatty(self) -> bool:
        return True


def test_lines_stand_above_the_bar_once_the_work_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "30"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    # The work begins at 100 s of this clock.
    monkeypatch.setattr(output, "_now", iter([100.0, 100.5, 102.0]).__next__)
    with output.progress_bar("Running") as bar:
        bar.tell(Text("early"))
        bar(1, 10)
        assert shown.getvalue() == "", "what is soon done needs no bar"
        bar(2, 10)
        bar.tell(Text("late, and longer than a line has room for"))
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue()).splitlines()]
    assert "early" in lines and "late, and longer than a line …" in lines


def test_where_nobody_looks_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with output.progress_bar("Running") as bar:
        assert not bar.is_live
        bar(1, 10)
        bar.tell(Text("a row"))
    assert capsys.readouterr() == ("", "")


def test_rows_are_printed_as_they_are_finished_where_somebody_looks(tmp_path: Path) -> None:
    from airwire.cli.live_rows import row_line

    rows = {row.path: row_line(row) for row in package.load_run(GOLDEN).captures}
    assert rows["poll"].plain.startswith(f"{'poll':<26}   15.63 messages/s  100 % waits for a poll every 64 ms: ")
    assert rows["uart/12B"].plain.split()[:3] == ["uart/12B", "1.05", "ms"]
    told: list[str] = []
    write(tmp_path, MANY)
    analysis = package.run(tmp_path / "suite.toml", out=tmp_path / "run", row_done=lambda row: told.append(row.path))
    assert told == [row.path for row in analysis.captures]
