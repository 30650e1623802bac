"""Sweeps in processes of this machine: what a point gives, what is kept when something ends, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import duckdb
import polars as pl
import pytest
from sweep_clusters import POINTS, data_set, ended, finished, in_the_midst, kill, sweep, wait_for

import airwire as package
from airwire import AirwireError
from airwire.sweep.blobs import Blobs
from airwire.sweep.point import Point, run_point
from airwire.sweep.processes import Processes
from airwire.sweep.running import plan_sweep
from command_server import CommandServer

Airwire = Callable[..., subprocess.CompletedProcess[str]]
SUITE = """
name = "small"
samples = 200
payloads = [12, 64]

[links.lora]

[links.uart]
baud = [115200, 921600]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two links."""
    (tmp_path / "suite.toml").write_text(SUITE)
    return tmp_path / "suite.toml"


def points_of(folder: Path, out: str = "out") -> pl.DataFrame:
    return pl.read_parquet(folder / out / "points" / "*.parquet")


def test_a_point_gives_what_a_simulation_of_the_same_settings_gives(
    airwire: Airwire, suite: Path, tmp_path: Path
) -> None:
    done = airwire("sweep", "suite.toml", "--only", "lora", "--over", "sf=7..9", "--seeds", "2", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    points = points_of(tmp_path)
    assert points.select("sf", "payload", "seed").rows() == [
        (sf, payload, seed) for sf in (7, 8, 9) for payload in (12, 64) for seed in (1, 2)
    ]
    for line in points.iter_rows(named=True):
        alone = package.simulate("lora", payload=line["payload"], sf=line["sf"], samples=200, seed=line["seed"])
        latencies = alone.samples["latency_ps"].drop_nulls().to_list()
        assert line["p50_ps"] == line["figure"] == statistics.median(latencies)
        assert (line["messages"], line["lost"], line["max_ps"]) == (200, 200 - len(latencies), max(latencies))


def test_lists_of_the_suite_are_axes_and_an_axis_is_for_the_entries_that_have_it(
    airwire: Airwire, suite: Path, tmp_path: Path
) -> None:
    done = airwire("sweep", "suite.toml", "--over", "sf=7,8", "--over", "uart.payload=100", "--out", "out", "--json")
    assert json.loads(done.stdout)["axes"] == ["sf", "payload", "baud"]
    assert points_of(tmp_path).select("entry", "sf", "payload", "baud").rows() == [
        *(("lora", sf, payload, None) for sf in (7, 8) for payload in (12, 64)),
        *(("uart", None, 100, baud) for baud in (115200, 921600)),
    ]


def test_the_data_set_is_the_same_for_polars_and_duckdb(airwire: Airwire, suite: Path, tmp_path: Path) -> None:
    airwire("sweep", "suite.toml", "--over", "sf=7..9", "--seeds", "3", "--out", "out")
    where = tmp_path / "out" / "points" / "*.parquet"
    asked = f"SELECT entry, sf, payload, avg(p50_ps), count(*) FROM '{where}' WHERE sf IS NOT NULL GROUP BY ALL"
    theirs = sorted(duckdb.execute(asked).fetchall())
    grouped = points_of(tmp_path).drop_nulls("sf").group_by("entry", "sf", "payload")
    ours = sorted(grouped.agg(pl.col("p50_ps").mean(), pl.len().cast(pl.Int64)).rows())
    assert [line[:3] for line in ours] == [line[:3] for line in theirs] and len(ours) == 6
    assert [line[3] for line in ours] == pytest.approx([line[3] for line in theirs])
    assert {line[4] for line in theirs} == {3}


@pytest.mark.parametrize("workers", ["1", "3"])
def test_any_number_of_workers_gives_the_same_bytes(
    airwire: Airwire, suite: Path, tmp_path: Path, workers: str
) -> None:
    for name, count in (("a", "2"), ("b", workers)):
        line = ("sweep", "suite.toml", "--over", "sf=7..12", "--seeds", "3", "--workers", count, "--out", name)
        assert airwire(*line).returncode == 0
    assert data_set(tmp_path, "a") == data_set(tmp_path, "b")
    assert (tmp_path / "a" / "sweep.json").read_bytes() == (tmp_path / "b" / "sweep.json").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    code, _, said = ended(sweep(folder))
    assert code == 0, said
    return folder


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_what_is_finished_is_not_run_again(whole: Path, tmp_path: Path, how: signal.Signals) -> None:
    running = sweep(tmp_path)
    in_the_midst(tmp_path, running)
    running.send_signal(how)
    code, _, said = ended(running)
    assert code == (130 if how == signal.SIGINT else -signal.SIGKILL), said
    kept = finished(tmp_path)
    assert 0 < kept < POINTS
    if how == signal.SIGKILL:
        # The line that was being written is cut off.
        with (tmp_path / "out" / "journal.jsonl").open("ab") as journal:
            journal.write(b'[143, {"row": "lo')
    else:
        assert f"stopped by Ctrl-C; {kept} of {POINTS} points are finished and kept in out; the same command" in said
    code, printed, said = ended(sweep(tmp_path))
    assert (code, said, json.loads(printed)["ran"]) == (0, "", POINTS - kept)
    assert data_set(tmp_path) == data_set(whole)
    assert not (tmp_path / "out" / "journal.jsonl").exists()
    code, printed, _ = ended(sweep(tmp_path))
    assert (code, json.loads(printed)["ran"]) == (0, 0)


def test_a_worker_that_is_killed_costs_no_point(whole: Path, tmp_path: Path) -> None:
    running = sweep(tmp_path, "--workers", "2")
    in_the_midst(tmp_path, running)
    children = subprocess.run(["pgrep", "-P", str(running.pid)], capture_output=True, text=True, check=True)
    os.kill(int(children.stdout.split()[0]), signal.SIGKILL)
    assert ended(running)[0] == 0
    assert data_set(tmp_path) == data_set(whole)


def test_a_worker_that_is_killed_while_none_has_a_point_costs_none(suite: Path, tmp_path: Path) -> None:
    plan = plan_sweep(suite, over=["sf=7..9"], only=["lora"])
    heard: list[int] = []

    class Points:
        """Two points; once both are heard of, the first worker is killed, and there are two more."""

        def __init__(self) -> None:
            self.left = [3, 2, 1, 0]

        def __iter__(self) -> Iterator[Point]:
            return self

        def __next__(self) -> Point:
            if not self.left or len(self.left) == 2 != len(heard):
                raise StopIteration
            if len(self.left) == 2:
                worker = min(children_of(os.getpid(), "airwire.sweep.worker"))
                os.kill(worker, signal.SIGKILL)
                wait_for(lambda: Path(f"/proc/{worker}/stat").read_text().split(") ")[1][0] == "Z", "its end")
            return plan.point(self.left.pop())

    with Processes(tmp_path / "blobs", 2) as processes:
        for outcome in processes.outcomes(Points()):
            heard.append(outcome.number)
    assert sorted(heard) == [0, 1, 2, 3]


def children_of(pid: int, module: str) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid), "-f", module], capture_output=True, text=True, check=True)
    return [int(line) for line in found.stdout.split()]


def test_workers_end_with_the_sweep(tmp_path: Path) -> None:
    running = sweep(tmp_path, "--workers", "2")
    in_the_midst(tmp_path, running)
    children = subprocess.run(["pgrep", "-P", str(running.pid)], capture_output=True, text=True, check=True)
    kill(running)
    running.communicate()
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children.stdout.split()), "their end")


def test_two_sweeps_do_not_write_into_one_folder(tmp_path: Path) -> None:
    running = sweep(tmp_path)
    in_the_midst(tmp_path, running)
    # It is held, so that it cannot end before the other one begins.
    running.send_signal(signal.SIGSTOP)
    code, _, said = ended(sweep(tmp_path))
    running.send_signal(signal.SIGCONT)
    assert (code, said) == (
        2,
        "airwire: out: another sweep is writing there; wait for it, or name another folder with --out\n",
    )
    assert ended(running)[0] == 0


# The spreading factor 6 goes only with an implicit header (SX1276 datasheet, section 4.1.1.2).
def test_points_that_fail_are_listed_and_the_rest_is_kept(airwire: Airwire, suite: Path, tmp_path: Path) -> None:
    line = (
        "sweep",
        "suite.toml",
        "--only",
        "lora",
        "--over",
        "sf=6,7",
        "--over",
        "header=explicit,implicit",
        "--out",
        "out",
    )
    done = airwire(*line)
    assert done.returncode == 2
    assert "2 points failed; out/failed.json lists them, and the same command tries them again" in done.stderr
    failed = json.loads((tmp_path / "out" / "failed.json").read_text())
    assert [(one["sf"], one["header"], one["payload"]) for one in failed] == [
        ("6", "explicit", "12"),
        ("6", "explicit", "64"),
    ]
    assert all("implicit" in one["sentence"] for one in failed)
    assert points_of(tmp_path).select("sf", "header").unique().height == 3
    before = data_set(tmp_path)
    assert airwire(*line).returncode == 2
    assert data_set(tmp_path) == before


def test_combinations_that_mean_the_same_run_once(airwire: Airwire, suite: Path, tmp_path: Path) -> None:
    line = (
        "sweep",
        "suite.toml",
        "--only",
        "lora",
        "--over",
        "bandwidth=125kHz,125000,0.125MHz",
        "--over",
        "payload=12",
    )
    told = json.loads(airwire(*line, "--out", "out", "--json").stdout)
    assert (told["points"], told["left_out"]) == (1, 2)


def test_a_latin_hypercube_meets_every_part_of_every_axis_once(airwire: Airwire, suite: Path, tmp_path: Path) -> None:
    plan = plan_sweep(suite, over=["sf=7..12", "payload=1..60", "bandwidth=125kHz,250kHz"], latin=60, only=["lora"])
    values = [values for _, values in plan.variants]
    assert sorted(int(one["payload"]) for one in values) == list(range(1, 61))
    for name, each in (("sf", 10), ("bandwidth", 30)):
        counted = {one[name]: sum(other[name] == one[name] for other in values) for one in values}
        assert set(counted.values()) == {each}, counted
    again = plan_sweep(suite, over=["sf=7..12", "payload=1..60", "bandwidth=125kHz,250kHz"], latin=60, only=["lora"])
    assert plan.digest == again.digest
    line = ("sweep", "suite.toml", "--only", "lora", "--over", "payload=1..60", "--latin", "6", "--samples", "20")
    assert airwire(*line, "--firmware", ".", "--seed", "5", "--out", "out").returncode == 0
    points = points_of(tmp_path)
    assert sorted((payload - 1) // 10 for payload in points["payload"]) == list(range(6))
    assert points["seed"].unique().to_list() == [5]


def test_a_list_of_runs_is_run_as_it_stands(airwire: Airwire, suite: Path, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("entry,sf,payload,baud\nlora,7,12,\nlora,9,40,\nuart,,12,230400\n")
    done = airwire("sweep", "suite.toml", "--points", "runs.csv", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    rows = points_of(tmp_path).select("entry", "sf", "payload", "baud").rows()
    assert rows == [("lora", 7, 12, None), ("lora", 9, 40, None), ("uart", None, 12, 230400)]


def test_a_list_of_runs_may_begin_with_the_mark_that_excel_writes(
    airwire: Airwire, suite: Path, tmp_path: Path
) -> None:
    (tmp_path / "runs.csv").write_text("sf,payload\n7,12\n", encoding="utf-8-sig")
    done = airwire("sweep", "suite.toml", "--only", "lora", "--points", "runs.csv", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert points_of(tmp_path).select("sf", "payload").rows() == [(7, 12)]


def test_a_run_of_an_entry_that_is_not_there_is_refused(airwire: Airwire, suite: Path, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("entry,payload\nlora,12\nlaro,12\n")
    done = airwire("sweep", "suite.toml", "--points", "runs.csv", "--out", "out")
    says = "airwire: runs.csv: run 2: entry: the suite has no entry laro; the nearest is lora\n"
    assert (done.returncode, done.stderr) == (2, says)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("line", ["x", "[]", '{"point": 99}', '[99, {"row": "lora"}]', '["0", {}]', "[0, 1]"])
def test_a_line_of_the_journal_that_is_no_point_is_refused_with_its_number(
    airwire: Airwire, suite: Path, tmp_path: Path, line: str
) -> None:
    command = ("sweep", "suite.toml", "--over", "sf=7,8", "--only", "lora", "--out", "out")
    assert airwire(*command).returncode == 0
    (tmp_path / "out" / "journal.jsonl").write_text(f"{line}\n", encoding="ascii")
    done = airwire(*command)
    says = (
        "airwire: out/journal.jsonl: line 1 is no point of this sweep; remove that line, and the point is run again\n"
    )
    assert (done.returncode, done.stderr) == (2, says)


REFUSED = [
    (["--over", "sff=7"], "--over sff: no entry of the suite has a field sff; the nearest is sf, which takes a whole"),
    (["--over", "lora.baud=9600"], "--over lora.baud: entry lora has no field baud"),
    (["--over", "sf=7..13"], "--over sf: links.lora.sf is 13, but it takes a whole number from 6 to 12"),
    (["--over", "payload=0"], "--over payload: links.lora.payloads: the payload is 0 bytes"),
    (["--over", "sf"], "`sf` is no axis; write NAME=VALUES"),
    (["--over", "sf=9..7"], "sf: the range 9..7 leads nowhere"),
    (["--over", "sf=7,7"], "sf: the value 7 stands there twice"),
    (["--over", "sf=7", "--over", "sf=8"], "--over sf is there twice"),
    (["--over", "limit=1ms..3s"], "limit: the range 1ms..3s has two units, ms and s; use one"),
    (["--over", "samples=1..3000000"], "samples: the range 1..3000000 has more than 1000000 values"),
    (["--over", "samples=1..2000", "--seeds", "1000"], "and a sweep has 1000000 at most"),
    (["--only", "loro"], "no row or entry of the suite is called loro; the nearest is lora"),
    (["--points", "suite.toml"], "suite.toml: run 2 has 2 values for 1 columns"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "says"), REFUSED, ids=[" ".join(given) for given, _ in REFUSED])
def test_what_cannot_be_swept_is_refused_before_anything_is_written(
    airwire: Airwire, suite: Path, tmp_path: Path, given: list[str], says: str
) -> None:
    done = airwire("sweep", "suite.toml", *given, "--out", "out")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert says in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["suite.toml"]


def test_a_foreign_file_in_the_data_set_is_refused_and_nothing_is_lost(
    airwire: Airwire, suite: Path, tmp_path: Path
) -> None:
    line = ("sweep", "suite.toml", "--over", "sf=7,8", "--out", "out")
    assert airwire(*line).returncode == 0
    parts = data_set(tmp_path)
    (tmp_path / "out" / "points" / "notes.txt").write_text("mine")
    done = airwire(*line)
    assert (done.returncode, done.stderr) == (
        2,
        "airwire: out/points/notes.txt: is no part of this data set; move it elsewhere, and go on\n",
    )
    (tmp_path / "out" / "points" / "notes.txt").unlink()
    assert airwire("sweep", "suite.toml", "--over", "sf=9", "--out", "other").returncode == 0
    shutil.copy(tmp_path / "other/points/part-00000.parquet", tmp_path / "out/points/part-00001.parquet")
    done = airwire(*line)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "part-00001.parquet: is a part of another data set" in done.stderr
    (tmp_path / "out/points/part-00001.parquet").write_bytes(b"PAR1 no")
    assert "this part cannot be read" in airwire(*line).stderr
    (tmp_path / "out/points/part-00001.parquet").unlink()
    assert data_set(tmp_path) == parts


def test_a_disk_that_is_full_is_said_and_the_same_command_goes_on(
    airwire: Airwire, command_server: CommandServer, suite: Path, tmp_path: Path
) -> None:
    words = ["sweep", suite.name, "--over", "sf=7..9", "--seeds", "4", "--samples", "20"]
    # No file may become longer than that, as the journal would.
    full = command_server.run(
        [*words, "--out", "out"], tmp_path, {**os.environ, "COLUMNS": "200"}, timeout_s=120, most_file_bytes=4096
    )
    assert (full.returncode, full.stderr.count("\n")) == (2, 1), full.stderr
    assert "airwire: out: cannot write it: File too large; name another place, or make room; " in full.stderr
    assert "points are finished and kept in out; the same command goes on" in full.stderr
    for out in ("out", "other"):
        assert airwire(*words, "--out", out).returncode == 0
    assert data_set(tmp_path, "out") == data_set(tmp_path, "other")


def test_another_sweep_in_the_folder_is_refused(airwire: Airwire, suite: Path, tmp_path: Path) -> None:
    assert airwire("sweep", "suite.toml", "--over", "sf=7", "--out", "out").returncode == 0
    done = airwire("sweep", "suite.toml", "--over", "sf=8", "--out", "out")
    assert done.returncode == 2 and "out: is another sweep: suite, axes, seeds, images or version differ" in done.stderr
    (tmp_path / "out" / "sweep.json").write_text('{"schema": "airwire.sweep-plan/9"}')
    done = airwire("sweep", "suite.toml", "--over", "sf=7", "--out", "out")
    assert "has schema airwire.sweep-plan/9, but this version of Airwire reads airwire.sweep-plan/1" in done.stderr


def test_boards_at_addresses_are_no_points(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text('[targets.mine]\naddress = "127.0.0.1"\ntraffic = "ping"\n')
    done = airwire("sweep", "suite.toml")
    assert (done.returncode, "boards at addresses take real time" in done.stderr) == (2, True), done.stderr


def test_settings_images_and_networks_of_boards_are_axes(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    (tmp_path / "slow.toml").write_text('[cable]\nimpair = "delay=2ms"\n')
    (tmp_path / "plain.toml").write_text("[pc]\n")
    (tmp_path / "boards.toml").write_text(
        '[boards.echo]\nfirmware = "w5500-evb-pico/pingpong_client-hardware.elf"\nskip = 1\nsamples = 20\n'
    )
    images = "w5500-evb-pico/pingpong_client-hardware.elf,w5500-evb-pico/pingpong_client-lwip_raw.elf"
    axes = ("--over", f"firmware={images}", "--over", "network=plain.toml,slow.toml", "--over", "spi_hz=2MHz,33MHz")
    done = airwire("sweep", "boards.toml", "--firmware", firmware, *axes, "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    points = points_of(tmp_path).sort("index")
    assert points.height == 8 and points["firmware_sha256"].n_unique() == 2
    rate = {row[:3]: row[3] for row in points.select("firmware", "network", "spi_hz", "figure").rows()}
    for image in images.split(","):
        assert rate[image, "plain.toml", "33MHz"] > rate[image, "plain.toml", "2MHz"]
        # 2 ms each way leave fewer than 250 rounds a second.
        assert rate[image, "slow.toml", "33MHz"] < 250 < rate[image, "plain.toml", "33MHz"]
    with (tmp_path / "boards.toml").open("a") as file:
        file.write('settings = { spi_hz = "33MHz" }\nnetwork = "plain.toml"\n')
    alone = package.run(tmp_path / "boards.toml", firmware=firmware, out=tmp_path / "run")
    assert alone.captures[0].target.figure is not None
    same = rate["w5500-evb-pico/pingpong_client-hardware.elf", "plain.toml", "33MHz"]
    assert same == alone.captures[0].target.figure.value


def test_the_data_set_has_the_energy_of_a_message_of_links_and_of_boards(
    airwire: Airwire, firmware: Path, tmp_path: Path
) -> None:
    (tmp_path / "suite.toml").write_text(
        "samples = 20\npayloads = [12]\n[links.lora]\n[links.uart]\n"
        '[boards.echo]\nfirmware = "w5500-evb-pico/pingpong_client-hardware.elf"\nskip = 1\n'
    )
    done = airwire("sweep", "suite.toml", "--firmware", firmware, "--over", "lora.sf=7,9", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    fast, slow, wire, board = points_of(tmp_path).sort("index")["energy_j"]
    # Nobody has currents of a UART.
    assert 0 < fast < slow and wire is None
    alone = package.run(tmp_path / "suite.toml", only=["echo"], firmware=firmware, out=tmp_path / "run")
    (row,) = package.rows_of_boards(alone)
    assert board == row.target.energy_j is not None


def test_a_file_that_traffic_names_travels_by_its_content_however_the_traffic_is_written(
    firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = b"GET / HTTP/1.0\r\n\r\n"
    (tmp_path / "ask.http").write_bytes(asked)
    row = 'firmware = "w5500-evb-pico/http_server-hardware.elf"\nsamples = 1\n'
    (tmp_path / "boards.toml").write_text(
        f'[boards.text]\n{row}traffic = ["talk to=board:80 file=ask.http"]\n'
        f'[boards.table]\n{row}traffic = [{{ kind = "talk", to = "board:80", file = "ask.http" }}]\n'
    )
    monkeypatch.chdir(tmp_path)
    plan = plan_sweep(tmp_path / "boards.toml", firmware=firmware)
    points = [plan.point(index) for index in range(len(plan))]
    (tmp_path / "ask.http").unlink()
    # A worker has nothing but the contents, in a folder of its own whose path has a blank.
    blobs = Blobs(tmp_path / "far away")
    sent = [blobs.add(content) for content in plan.files.contents.values()]
    assert sha256(asked).hexdigest() in sent and len(sent) == 2
    figures = [run_point(point, blobs, tmp_path).figures for point in points]
    assert figures[0] is not None and figures[0]["messages"] == 1 and figures[0]["lost"] == 0
    as_text, as_table = ({**(one or {}), "row": ""} for one in figures)
    assert as_text == as_table


def test_a_point_that_is_stopped_has_no_figures(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("samples = 10_000_000\npayloads = [12]\n[links.nrf24]\n", encoding="ascii")
    plan = plan_sweep(tmp_path / "suite.toml")
    ctrl_c = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    ctrl_c.start()
    # Its messages so far would stand for all, in the sweep and in the history that bisects images.
    with pytest.raises(KeyboardInterrupt):
        run_point(plan.point(0), Blobs(tmp_path / "files"), tmp_path)
    ctrl_c.join()


def test_an_image_that_changes_is_another_sweep(firmware: Path, tmp_path: Path) -> None:
    shutil.copy(firmware / "w5500-evb-pico/pingpong_client-hardware.elf", tmp_path / "echo.elf")
    (tmp_path / "boards.toml").write_text("[boards.echo]\nskip = 1\nsamples = 20\n")
    plans = [plan_sweep(tmp_path / "boards.toml", over=["spi_hz=2MHz"])]
    shutil.copy(firmware / "w5500-evb-pico/pingpong_client-lwip_raw.elf", tmp_path / "echo.elf")
    plans.append(plan_sweep(tmp_path / "boards.toml", over=["spi_hz=2MHz"]))
    assert plans[0].digest != plans[1].digest
    with pytest.raises(AirwireError, match="the nearest is spi_hz"):
        plan_sweep(tmp_path / "boards.toml", over=["spi_h=2MHz"])
