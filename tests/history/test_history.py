"""The history of runs: what is kept, what a trend says, which run was the first bad one, and that nothing is lost."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace

import airwire as package
from airwire import AirwireError
from airwire.history.records import FigureRecord, RunRecord
from airwire.history.store import VERSION, History
from airwire.history.trends import change_of, trend

Airwire = Callable[..., subprocess.CompletedProcess[str]]
SUITE = "samples = 200\npayloads = [12]\n[links.lora]\nsf = 7\n[links.uart]\n"


def figure(value: float | None, reach: float | None = 1.0, unit: str = "ps") -> FigureRecord:
    """A figure of the row ``row``, with an interval to both sides."""
    has_both = value is not None and reach is not None
    low, high = (value - reach, value + reach) if value is not None and reach is not None else (None, None)
    return FigureRecord(
        "row", "figure", value, low if has_both else None, high if has_both else None, unit, 100, "link"
    )


def run(name: str, *figures: FigureRecord, started: str | None = None) -> RunRecord:
    """A run with these figures."""
    return RunRecord(name, "suite", 1, started, "host", "Linux", "0.1", None, name, f"runs/{name}", figures)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Eight runs of a row, the sixth of which takes 10 % longer, and so do those behind it."""
    path = tmp_path / "history.sqlite"
    with History(path, create=True) as history:
        for number in range(1, 9):
            value = figure(100.0 if number < 6 else 110.0)
            history.add(run(f"v{number}", value, started=f"2026-01-0{number}T00:00:00+00:00"))
    return path


def test_a_run_folder_is_kept_with_its_figures_settings_and_host(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    assert airwire("run", "suite.toml", "--out", "run").returncode == 0
    line = ("history", "add", "run", "--commit", "abc1234", "--label", "first", "--json")
    told = json.loads(airwire(*line).stdout)
    made = json.loads((tmp_path / "run" / "environment.json").read_text())
    assert {told["added"][0][name] for name in ("id", "started", "host", "airwire")} == {
        *(made[name] for name in ("run_id", "started", "host", "airwire"))
    }
    assert (told["added"][0]["commit"], told["added"][0]["label"], told["known"]) == ("abc1234", "first", 0)
    assert json.loads(airwire(*line).stdout)["known"] == 1, "the same run is there once"
    stored = package.load_run(tmp_path / "run")
    with History(tmp_path / "runs" / "history.sqlite") as history:
        assert history.rows() == ["lora/12B", "uart/12B"]
        for capture in stored.captures:
            ((_, kept),) = history.figures(capture.path, "figure")
            assert kept.value == capture.statistic("p50")
            assert {"link": capture.path.partition("/")[0], **kept.settings} == capture.target.facts
            assert capture.median_interval is not None
            assert (kept.low, kept.high) == (capture.median_interval.low_ps, capture.median_interval.high_ps)
            ((_, p95),) = history.figures(capture.path, "p95")
            assert p95.value == capture.statistic("p95")


def test_a_row_of_a_board_is_kept_with_the_hash_of_its_image(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(
        '[boards.echo]\nfirmware = "w5500-evb-pico/pingpong_client-hardware.elf"\nskip = 1\nsamples = 20\n'
    )
    printed = airwire("run", "suite.toml", "--firmware", firmware, "--out", "run", "--json").stdout
    (tmp_path / "run.json").write_text(printed)
    assert airwire("history", "add", "run", "run.json").returncode == 0
    (board,) = json.loads(printed)["boards"]
    with History(tmp_path / "runs" / "history.sqlite") as history:
        found = history.figures("echo", "figure")
    assert len(found) == 2
    for _, kept in found:
        assert (kept.value, kept.unit) == (board["figure"]["value"], "messages/s")
        assert (kept.firmware_sha256, kept.settings) == (board["firmware_sha256"], board["settings"])


def test_what_was_exported_is_taken_up_elsewhere(airwire: Airwire, base: Path, tmp_path: Path) -> None:
    assert airwire("history", "export", "all.json", "--database", base).returncode == 0
    assert airwire("history", "export", "all.parquet", "--database", base).returncode == 0
    assert airwire("history", "add", "all.json", "--database", "other.sqlite").returncode == 0
    with History(base) as one, History(tmp_path / "other.sqlite") as other:
        assert list(one.whole()) == list(other.whole())
    lines = pl.read_parquet(tmp_path / "all.parquet").sort("started")
    assert lines["label"].to_list() == [f"v{number}" for number in range(1, 9)]
    assert lines["value"].to_list() == [100.0] * 5 + [110.0] * 3


@pytest.mark.parametrize(("line", "says"), [("export all.json", "Writing the runs"), ("add all.json", "Adding runs")])
def test_what_takes_long_with_thousands_of_runs_says_that_it_works(
    airwire: Airwire, base: Path, tmp_path: Path, line: str, says: str
) -> None:
    assert base.exists() and airwire("history", "export", "all.json", "--database", "history.sqlite").returncode == 0
    ours, theirs = pty.openpty()
    words = ["history", *line.split(), "--database", "history.sqlite"]
    command = [sys.executable, "-m", "airwire.entry", *words]
    environment = {**os.environ, "TERM": "xterm"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=theirs, check=False)
    os.close(theirs)
    seen = ""
    # What nobody wrote to is an error at its end.
    with suppress(OSError):
        seen = os.read(ours, 65536).decode("utf-8")
    os.close(ours)
    assert done.returncode == 0 and says in seen


def test_runs_are_listed_with_the_rows_that_they_have(airwire: Airwire, base: Path) -> None:
    told = json.loads(airwire("history", "list", "--row", "row", "--database", base, "--json").stdout)
    assert ([one["label"] for one in told["runs"]], told["rows"]) == ([f"v{number}" for number in range(1, 9)], ["row"])
    assert "v8" in airwire("history", "list", "--database", base).stdout


def test_a_change_is_sure_where_its_interval_excludes_none() -> None:
    worse = change_of(figure(100.0), figure(110.0))
    assert worse.shift == "slower" and worse.worse == pytest.approx(0.1)
    # Independent errors of 1 on either side make one of the square root of 2.
    assert worse.interval is not None
    assert worse.interval == pytest.approx([0.1 - 2**0.5 / 100, 0.1 + 2**0.5 / 100])
    assert change_of(figure(100.0), figure(101.0)).shift == "same"
    assert change_of(figure(100.0, unit="bit/s"), figure(110.0, unit="bit/s")).shift == "faster"
    assert change_of(figure(100.0), figure(None)).shift == "no_figure"
    assert change_of(figure(100.0, None), figure(110.0, None)).interval is None


def test_a_trend_tells_what_each_run_changed(airwire: Airwire, base: Path) -> None:
    with History(base) as history:
        shifts = [step.change.shift if step.change else None for step in trend(history, "row").steps]
    assert shifts == [None, "same", "same", "same", "same", "slower", "same", "same"]
    done = airwire("history", "trend", "row", "--database", base, "--report", "trend.html", "--metric", "figure")
    assert "10 % worse (8.6 % to 11 %)" in done.stdout
    assert "row last changed with v6: 10\u00a0% worse" in (base.parent / "trend.html").read_text()


@pytest.mark.parametrize(("good", "bad", "first"), [("v1", "v8", "v6"), ("v5", "v6", "v6"), ("v2", "v7", "v6")])
def test_the_first_bad_run_is_found_by_halves(airwire: Airwire, base: Path, good: str, bad: str, first: str) -> None:
    line = ("history", "first-bad", "row", "--good", good, "--bad", bad, "--database", base)
    told = json.loads(airwire(*line, "--json").stdout)
    assert (told["first_bad"], told["last_good"]) == (first, "v5")
    assert len(told["probes"]) <= 5
    assert f"{first} is the first bad one" in airwire(*line).stdout


@pytest.mark.parametrize("metric", ["figure", "p95"])
def test_a_run_whose_figure_is_gone_is_a_bad_one(airwire: Airwire, tmp_path: Path, metric: str) -> None:
    path = tmp_path / "history.sqlite"
    with History(path, create=True) as history:
        for number, value in enumerate([100.0, 100.0, 100.0, None, None], start=1):
            of_metric = [replace(figure(value), metric="p95")] if value is not None else []
            history.add(run(f"v{number}", figure(value), *of_metric, started=f"2026-01-0{number}T00:00:00+00:00"))

    line = ("history", "first-bad", "row", "--database", path, "--metric", metric)
    done = airwire(*line, "--good", "v1", "--bad", "v5", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["first_bad"], told["last_good"], told["candidates"]) == ("v4", "v3", 5)
    assert "v4 is the first bad one" in airwire(*line, "--good", "v1", "--bad", "v5").stdout
    none = airwire(*line, "--good", "v4", "--bad", "v5")
    assert (none.returncode, none.stderr) == (
        2,
        "airwire: row: v4 has no figure itself, so that none can be worse; name another good one\n",
    )


def test_images_at_hand_are_bisected_and_few_are_run(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for number in range(1, 13):
        # From the ninth on the clock of the bus is halved.
        settings = {"spi_hz": "33MHz" if number < 9 else "16MHz", "clock_start_ms": number}
        image = firmware / "w5500-evb-pico" / "pingpong_client-lwip_raw.elf"
        package.write_image(image, tmp_path / "images" / f"build-{number}.elf", settings)
    (tmp_path / "suite.toml").write_text("[boards.echo]\nskip = 1\nsamples = 40\n")
    line = ["history", "first-bad", "echo", "--good", "build-1", "--bad", "build-12", "--images", "images"]
    line += ["--suite", "suite.toml", "--json"]
    done = airwire(*line)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["first_bad"], told["last_good"], told["candidates"]) == ("build-9", "build-8", 12)
    assert sum(probe["was_run"] for probe in told["probes"]) == len(told["probes"]) <= 6
    again = json.loads(airwire(*line).stdout)
    assert again["first_bad"] == "build-9"
    assert not any(probe["was_run"] for probe in again["probes"]), "what was run is in the history"


def test_commits_are_taken_in_the_order_of_their_repository(airwire: Airwire, tmp_path: Path) -> None:
    def git(*words: str) -> str:
        given = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *words]
        return subprocess.run(given, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    git("init", "-q")
    commits = []
    for number in range(5):
        git("commit", "-q", "--allow-empty", "-m", str(number))
        commits.append(git("rev-parse", "HEAD"))
    with History(tmp_path / "runs" / "history.sqlite", create=True) as history:
        # Recorded in another order than that of the commits, and one not at all.
        for number in (4, 0, 2, 3):
            value = figure(100.0 if number < 3 else 120.0)
            history.add(RunRecord(commits[number], "s", 1, None, None, None, None, commits[number], None, "x", [value]))
    done = airwire("history", "first-bad", "row", "--good", commits[0], "--bad", "HEAD", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["first_bad"] == commits[3][:12]


REFUSED = [
    (["trend", "rwo"], "no run has a row rwo; the nearest is row"),
    (["trend", "row", "--metric", "p59"], "row row has no metric p59; there are figure"),
    (["first-bad", "row", "--good", "v1", "--bad", "v3"], "v3 is not worse than v1 by more than 5 %;"),
    (["first-bad", "row", "--good", "v6", "--bad", "v1"], "v1 was not begun after v6"),
    (["first-bad", "row", "--good", "v1", "--bad", "v99"], "no run with this row is called v99; the nearest is"),
    (["first-bad", "row", "--good", "v1", "--bad", "v8", "--worse-by", "20%"], "by more than 20 %;"),
    (["first-bad", "row", "--good", "v1", "--bad", "v8", "--worse-by", "200%"], "by more than 200 %;"),
    (["first-bad", "row", "--good", "v1", "--bad", "v8", "--worse-by", "inf"], "`inf` is no share"),
    (["export", "out.txt"], "ends in neither .json nor .parquet"),
]


@pytest.mark.parametrize(("line", "says"), REFUSED, ids=[" ".join(line)[:50] for line, _ in REFUSED])
def test_what_there_is_not_is_one_sentence(airwire: Airwire, base: Path, line: list[str], says: str) -> None:
    done = airwire("history", *line, "--database", base)
    assert done.returncode == 2
    assert says in done.stderr, done.stderr


def test_a_run_that_is_there_gets_no_other_name_and_says_so(airwire: Airwire, base: Path) -> None:
    assert airwire("history", "export", "all.json", "--database", base).returncode == 0
    add = ("history", "add", "all.json", "--database", "other.sqlite", "--label", "v9")
    assert airwire(*add).returncode == airwire(*add).returncode == 0
    done = airwire(*add, "--commit", "zzz")
    assert (done.returncode, "8 runs were there already" in done.stdout) == (2, True)
    assert "is in other.sqlite already, without a commit, and does not get the commit zzz" in done.stderr
    done = airwire("history", "add", "all.json", "--database", "other.sqlite", "--label", "v10")
    assert done.returncode == 2 and "with the label v9, and does not get the label v10" in done.stderr


def test_a_name_that_is_whole_counts_however_short_it_is(airwire: Airwire, tmp_path: Path) -> None:
    with History(tmp_path / "runs" / "history.sqlite", create=True) as history:
        for at, commit in enumerate(("abc", "abd")):
            started = f"2026-01-0{at + 1}T00:00:00+00:00"
            own = [figure(100.0 + 20 * at)]
            history.add(RunRecord(f"id{at}", "s", 1, started, None, None, None, commit, None, "x", own))
    for good, bad in (("abc", "abd"), ("id0", "id1")):
        done = airwire("history", "first-bad", "row", "--good", good, "--bad", bad, "--json")
        assert done.returncode == 0, done.stderr


def test_an_image_may_have_a_digit_in_its_name_that_is_no_number(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for name in ("1", "²", "v²"):
        (tmp_path / "images" / f"{name}.elf").touch()
    line = ("history", "first-bad", "row", "--good", "1", "--bad", "²", "--images", "images")
    done = airwire(*line)
    assert (done.returncode, "its figure is not known, and --suite" in done.stderr) == (2, True), done.stderr


def test_a_file_that_is_no_run_is_refused_and_the_good_ones_are_added(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    airwire("run", "suite.toml", "--out", "run")
    (tmp_path / "noise.json").write_text("{}")
    done = airwire("history", "add", "noise.json", "run", "absent")
    assert (done.returncode, done.stderr.count("\n")) == (2, 2), done.stderr
    assert "noise.json: is no run: name a run folder" in done.stderr
    assert "1 run added" in done.stdout


def test_a_data_base_of_another_version_or_program_is_refused(base: Path, tmp_path: Path) -> None:
    with sqlite3.connect(base) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
    other.close()
    with pytest.raises(AirwireError, match="is a history of version 2, and this Airwire knows version 1"):
        History(base)
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as another:
        another.execute("CREATE TABLE mine (x)")
    another.close()
    before = foreign.read_bytes()
    with pytest.raises(AirwireError, match="is a data base of another program; name another file"):
        History(foreign, create=True)
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(AirwireError, match="is no data base of a history"):
        History(tmp_path / "empty.sqlite")
    (tmp_path / "text.sqlite").write_text("words " * 100)
    with pytest.raises(AirwireError, match="is no data base of a history; name another file"):
        History(tmp_path / "text.sqlite", create=True)
    with pytest.raises(AirwireError, match="there is no history; begin one"):
        History(tmp_path / "absent.sqlite")
    with sqlite3.connect(foreign) as another:
        assert another.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]
    another.close()
    assert len(before) == foreign.stat().st_size


def test_a_data_base_that_is_in_use_is_waited_for_and_then_said(base: Path) -> None:
    holder = sqlite3.connect(base, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with History(base, wait_s=0.2) as history:
            assert len(history.runs()) == 8, "it is read meanwhile"
            with pytest.raises(AirwireError, match=r"another process has been writing there for 0\.2 s; wait"):
                history.add(run("v9", figure(1.0)))
    finally:
        holder.close()


ADDS = """
import sys
from pathlib import Path
from airwire.history.records import FigureRecord, RunRecord
from airwire.history.store import History

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    figures = [FigureRecord(f"row{at}", "figure", 1.0, None, None, "ps", 1, "link") for at in range(20)]
    # On a busy disk one of several may wait long for its turn.
    with History(path, create=True, wait_s=100) as history:
        history.add(RunRecord(f"{name}-{number}", None, None, None, None, None, None, None, None, name, figures))
    print(number, flush=True)
"""


def adding(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    """A process that adds runs, and prints the number of each that it has added."""
    line = [sys.executable, "-c", ADDS, str(path), name, str(count)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_that_add_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    # The file itself is begun by whichever of them comes first.
    writers = [adding(path, f"writer{number}", 25) for number in range(4)]
    for writer in writers:
        _, said = writer.communicate(timeout=120)
        assert writer.returncode == 0, said
    with History(path) as history:
        runs = list(history.whole())
    assert {one.id for one in runs} == {f"writer{number}-{run}" for number in range(4) for run in range(25)}
    assert all(len(one.figures) == 20 for one in runs)


def test_a_process_that_is_killed_leaves_whole_runs_and_a_file_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    for attempt in range(3):
        writer = adding(path, f"killed{attempt}", 100_000)
        assert writer.stdout is not None
        for _ in range(5 + attempt):
            writer.stdout.readline()
        time.sleep(0.003 * attempt)
        os.kill(writer.pid, signal.SIGKILL)
        told = len(writer.stdout.read().splitlines()) + 5 + attempt
        writer.communicate()
        with History(path) as history:
            runs = [one for one in history.whole() if one.source == f"killed{attempt}"]
            history.add(run(f"after{attempt}", figure(1.0)))
        assert told <= len(runs) <= told + 1, "what was said to be added is there"
        assert all(len(one.figures) == 20 for one in runs), "no run is there by half"
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    base.close()


def test_the_live_view_shows_trends_and_what_is_added_meanwhile(base: Path) -> None:
    from urllib.request import urlopen

    from airwire.live.running import served_trends

    with served_trends(base) as address:
        with urlopen(address.url, timeout=30) as answer:
            page = answer.read().decode()
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "row last changed with v6" in page
        with History(base) as history:
            history.add(run("v9", figure(150.0), started="2026-02-01T00:00:00+00:00"))
        with urlopen(address.url, timeout=30) as answer:
            assert "row last changed with v9: 36\u00a0% worse" in answer.read().decode()
