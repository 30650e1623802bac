"""``airwire analyze`` as a user meets it: tables, JSON, run folders, and one sentence for every bad input."""

from __future__ import annotations

import gzip
import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from airwire.synthetic import SlottedLink

Airwire = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def slotted(tmp_path: Path) -> Path:
    path = tmp_path / "lora" / "12B-slotted.csv"
    path.parent.mkdir()
    SlottedLink().write_csv(path)
    return path


def parsed(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def test_the_table_names_the_capture_its_percentiles_and_its_slot(airwire: Airwire, slotted: Path) -> None:
    result = airwire("analyze", slotted)
    assert result.returncode == 0, result.stderr
    assert "12B-slotted.csv" in result.stdout
    assert "Completions are locked to a period of 23.4 ms" in result.stdout
    assert "type 7" in result.stdout


@pytest.mark.parametrize("columns", [80, 90])
def test_a_narrow_terminal_shows_latencies_first_and_rare_outcomes_below_them(tmp_path: Path, columns: int) -> None:
    # Every tenth of 40 messages is lost. One completion after it is late, and one more message completes twice.
    rows = ["Time [s],Channel 0,Channel 1", "0,0,0"]
    for number in range(40):
        edges = [(0, 1, 0), (1, 0, 0), (5, 0, 1), (6, 0, 0)]
        match number % 10:
            case 3:
                del edges[2:]
            case 4:
                edges += [(20, 0, 1), (21, 0, 0)]
            case 5:
                edges += [(30, 0, 1), (31, 0, 0)]
        rows += [f"{1 + number / 10 + after / 1000:.7f},{a},{b}" for after, a, b in edges]
    (tmp_path / "8B-lossy.csv").write_text("\n".join(rows))
    done = subprocess.run(
        [sys.executable, "-m", "airwire.cli", "analyze", "8B-lossy.csv"],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    heading = done.stdout.splitlines()[0].split()
    assert {"p50", "p75", "max"} <= set(heading), done.stdout
    rare = re.search(r"^8B-lossy.csv: missed 4, late 4, duplicate 4$", done.stdout, re.MULTILINE)
    assert rare is not None, done.stdout


def test_json_holds_outcomes_percentiles_and_findings(airwire: Airwire, slotted: Path) -> None:
    result = airwire("analyze", slotted, "--json")
    content = parsed(result)
    assert next(iter(content)) == "schema"
    assert content["schema"] == "airwire.analyze/1"
    capture = content["captures"][0]
    assert (capture["payload_bytes"], capture["group"], capture["triggers"]) == (12, "lora", 1000)
    outcomes = capture["outcomes"]
    assert outcomes["paired"] + outcomes["missed"] == 1000
    latency = capture["latency_ps"]
    assert latency["n"] == outcomes["paired"]
    assert latency["min"] <= latency["p1"] <= latency["p50"] <= latency["p99"] <= latency["max"]
    gate = next(finding for finding in capture["findings"] if finding["kind"] == "gate")
    assert abs(gate["period_ps"] - 23_400_000_000) < 20_000_000
    assert content["errors"] == []


def test_the_lost_messages_of_the_link_are_the_missed_triggers(airwire: Airwire, tmp_path: Path) -> None:
    link = SlottedLink(loss=0.05, messages=400)
    link.write_csv(tmp_path / "12B.csv")
    done_edges = sum(b[2] > a[2] for a, b in zip(link.rows(), link.rows()[1:], strict=False))
    outcomes = parsed(airwire("analyze", "12B.csv", "--json"))["captures"][0]["outcomes"]
    assert outcomes["missed"] == 400 - done_edges > 0


def test_a_run_folder_is_written_that_polars_opens(airwire: Airwire, slotted: Path, tmp_path: Path) -> None:
    assert airwire("analyze", slotted, "--out", "run").returncode == 0
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert manifest["schema"] == "airwire.run/2"
    assert len(manifest["captures"][0]["sha256"]) == 64
    samples = pl.read_parquet(tmp_path / "run/samples/part-00000.parquet")
    assert samples.height == 1000
    paired = samples.filter(pl.col("outcome") == "paired")
    assert (paired["done_ps"] - paired["trigger_ps"] == paired["latency_ps"]).all()


def test_a_capture_comes_through_a_pipe(tmp_path: Path) -> None:
    SlottedLink(messages=60).write_csv(tmp_path / "12B.csv")
    command = [sys.executable, "-m", "airwire.cli", "analyze", "-", "--json"]

    def piped(content: bytes) -> dict[str, Any]:
        done = subprocess.run(command, input=content, cwd=tmp_path, capture_output=True, check=False, timeout=120)
        found: dict[str, Any] = json.loads(done.stdout)
        assert b"Traceback" not in done.stderr and b"airwire-" not in done.stdout + done.stderr
        return found

    (capture,) = piped((tmp_path / "12B.csv").read_bytes())["captures"]
    assert (capture["path"], capture["triggers"]) == ("stdin", 60)
    (error,) = piped(b"no capture")["errors"]
    assert error["message"].startswith("stdin: ")


@pytest.mark.parametrize("old", [(), ("--no-run-folder",)])
def test_nothing_is_written_that_was_not_asked_for(
    airwire: Airwire, slotted: Path, tmp_path: Path, old: tuple[str, ...]
) -> None:
    before = sorted(tmp_path.rglob("*"))
    result = airwire("analyze", slotted, *old)
    assert result.returncode == 0, result.stderr
    assert "Run folder" not in result.stdout
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_folder_is_never_overwritten(airwire: Airwire, slotted: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    result = airwire("analyze", slotted, "--out", "run")
    assert result.returncode == 2
    assert "exists already" in result.stderr


def test_the_same_captures_give_the_same_bytes(airwire: Airwire, slotted: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert airwire("analyze", slotted, "--out", name, "--report", f"{name}.html").returncode == 0
    for file in ("manifest.json", "samples/part-00000.parquet", "edges/part-00000.parquet"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    # The page says when it was made and by which command; all else is the same.
    first, second = ((tmp_path / f"{name}.html").read_text(encoding="utf-8") for name in ("a", "b"))
    head = re.compile(r"<p class='facts'>[^<]*\$ airwire analyze [^<]*</p>")
    assert head.search(first) and head.search(second)
    assert head.sub("", first) == head.sub("", second)


def test_any_number_of_workers_gives_the_same_json(
    airwire: Airwire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(6):
        SlottedLink(seed=k, messages=200).write_csv(tmp_path / f"{k}-12B.csv")
    outputs = set()
    for workers in ("1", "2", "8"):
        monkeypatch.setenv("RAYON_NUM_THREADS", workers)
        outputs.add(airwire("analyze", ".", "--json").stdout)
    assert len(outputs) == 1


def test_a_report_can_be_made_of_a_run_folder_later(airwire: Airwire, slotted: Path, tmp_path: Path) -> None:
    airwire("analyze", slotted, "--out", "run", "--report", "now.html")
    result = airwire("report", "run", "--out", "later.html")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "later.html").read_bytes() == (tmp_path / "now.html").read_bytes()


def test_groups_are_folders(airwire: Airwire, tmp_path: Path) -> None:
    for name in ("a/12B.csv", "a/b/1024B.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        SlottedLink(messages=50).write_csv(tmp_path / name)
    captures = parsed(airwire("analyze", ".", "--json"))["captures"]
    assert [(c["group"], c["payload_bytes"]) for c in captures] == [("a", 12), ("a/b", 1024)]


def test_channels_are_named_by_label(airwire: Airwire, tmp_path: Path) -> None:
    rows = ['Time [s],trigger,spare,"done, valid"', "0.0,0,0,0"]
    rows += [f"{k}.{ms:03d},{a},0,{b}" for k in range(20) for ms, a, b in ((1, 1, 0), (2, 0, 0), (5, 0, 1), (6, 0, 0))]
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    result = airwire("analyze", "labels.csv", "--trigger", "trigger", "--done", "done, valid", "--json")
    assert parsed(result)["captures"][0]["latency_ps"]["p50"] == 4_000_000_000


def good_csv(path: Path) -> None:
    SlottedLink(messages=30).write_csv(path)


def truncated(path: Path) -> None:
    good_csv(path)
    path.write_bytes(path.read_bytes()[:-3])


def backwards(path: Path) -> None:
    path.write_text("Time [s],Channel 0,Channel 1\n0.0,0,0\n2.0,1,0\n1.0,0,0\n")


def mixed(path: Path) -> None:
    path.write_text("Time [s],Channel 0,Channel 1\n0.0,0,0\n1.0,1,0,1\n")


def no_edges(path: Path) -> None:
    path.write_text("Time [s],Channel 0,Channel 1\n0.0,0,0\n1.0,0,1\n2.0,0,0\n")


def no_done_edges(path: Path) -> None:
    path.write_text("Time [s],Channel 0,Channel 1\n0.0,0,0\n1.0,1,0\n2.0,0,0\n")


def one_channel(path: Path) -> None:
    path.write_text("Time [s],Channel 0\n0.0,0\n1.0,1\n")


def broken_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.json", "{}")
        archive.writestr("digital-0.bin", b"<SALEAE>\x01")
        archive.writestr("digital-1.bin", b"<SALEAE>\x01")


def broken_gzip(path: Path) -> None:
    good_csv(path)
    path.write_bytes(gzip.compress(path.read_bytes())[:-20])


BAD_INPUTS: list[tuple[str, Callable[[Path], object], str]] = [
    ("empty.csv", lambda path: path.write_bytes(b""), "empty"),
    ("noise.csv", lambda path: path.write_bytes(bytes(range(256)) * 8), ""),
    ("truncated.csv", truncated, "ends in the middle of a row"),
    ("backwards.csv", backwards, "backwards"),
    ("mixed.csv", mixed, ":3:"),
    ("no-edges.csv", no_edges, "never rises"),
    ("no-done-edges.csv", no_done_edges, "the done channel 1 never rises"),
    ("one-channel.csv", one_channel, "no channel 1"),
    ("header.csv", lambda path: path.write_text("Time [s],Channel 0,Channel 1\n"), "no rows"),
    ("session.sal", broken_zip, "digital-0.bin"),
    ("cut.csv.gz", broken_gzip, "gzip"),
    ("text.vcd", lambda path: path.write_text("$timescale 1 ns $end\n$var wire 1 ! a"), ""),
    ("cut.sr", lambda path: path.write_bytes(b"PK\x03\x04" + bytes(40)), ""),
]


@pytest.mark.parametrize(("name", "make", "says"), BAD_INPUTS, ids=[case[0] for case in BAD_INPUTS])
def test_a_bad_file_is_one_clear_sentence_and_the_good_files_are_still_analysed(
    airwire: Airwire, tmp_path: Path, name: str, make: Callable[[Path], object], says: str
) -> None:
    folder = tmp_path / "batch"
    folder.mkdir()
    make(folder / name)
    good_csv(folder / "12B-good.csv")
    result = airwire("analyze", "batch", "--json")
    assert result.returncode == 2
    content = parsed(result)
    assert [Path(capture["path"]).name for capture in content["captures"]] == ["12B-good.csv"]
    (error,) = content["errors"]
    assert Path(error["path"]).name == name
    assert name in error["message"]
    assert says in error["message"]
    assert "\n" not in error["message"]
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_empty_folder_says_what_it_looks_for(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = airwire("analyze", "empty")
    assert result.returncode == 2
    assert "no captures in this folder" in result.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_one_sentence(airwire: Airwire, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0)
    result = airwire("analyze", "locked")
    folder.chmod(stat.S_IRWXU)
    assert result.returncode == 2
    assert "cannot list" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
def test_a_full_disk_is_one_sentence_and_the_results_are_still_printed(
    airwire: Airwire, slotted: Path, tmp_path: Path
) -> None:
    target = tmp_path / "full.html"
    target.symlink_to("/dev/full")
    result = airwire("analyze", slotted, "--report", target)
    assert result.returncode == 2
    assert "No space left" in result.stderr
    assert "12B-slotted.csv" in result.stdout
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--glitch", "1"], "ps, ns, us, ms and s"),
        (["--pairing", "guess"], "strict, fifo, published"),
        (["--trigger", "7"], "no channel 7; it has 0"),
        (["--seed", "-1"], "--seed"),
        (["--done", "0"], "name the same channel"),
    ],
)
def test_a_bad_option_says_what_would_be_right(
    airwire: Airwire, slotted: Path, arguments: list[str], says: str
) -> None:
    result = airwire("analyze", slotted, *arguments)
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


def test_a_missing_file_is_one_sentence(airwire: Airwire, tmp_path: Path) -> None:
    result = airwire("analyze", "nowhere.csv")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("airwire: nowhere.csv: cannot open it")
    assert not (tmp_path / "runs").exists()


def test_a_capture_without_a_pair_says_what_may_be_the_matter(airwire: Airwire, tmp_path: Path) -> None:
    rows = ["Time [s],Channel 0,Channel 1", "0,0,0"]
    for number in range(1, 21):
        at = 0.01 * number
        rows += [f"{at:.4f},1,0", f"{at + 0.001:.4f},0,0", f"{at + 0.002:.4f},0,1", f"{at + 0.005:.4f},0,0"]
    (tmp_path / "right.csv").write_text("\n".join(rows) + "\n", encoding="ascii")
    inverted = [",".join([row.split(",")[0], *("10"[int(level)] for level in row.split(",")[1:])]) for row in rows[1:]]
    (tmp_path / "inverted.csv").write_text("\n".join([rows[0], *inverted]) + "\n", encoding="ascii")
    # Something arrives before the first message, so that the channel is not still.
    still = ["0,0,0", "0.001,0,1", "0.002,0,0"] + [row.rsplit(",", 1)[0] + ",0" for row in rows[2:]]
    (tmp_path / "still.csv").write_text("\n".join([rows[0], *still]) + "\n", encoding="ascii")

    def said(name: str) -> str:
        return " ".join(airwire("analyze", name).stdout.split())

    assert "has a latency" not in said("right.csv")
    assert "none of 20 messages has a latency, as done was high already when they were sent; see whether" in said(
        "inverted.csv"
    )
    assert "none of 20 messages has a latency; see whether done is wired" in said("still.csv")
    assert "No patterns" not in said("still.csv")
