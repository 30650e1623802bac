"""Run folders that are damaged, or that have no room for what is written: one sentence with file and field."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench_suites import QUICK, write
from refusals import Airwire, sentence

NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder that the tests copy."""
    folder = tmp_path_factory.mktemp("bad-suites")
    command = [sys.executable, "-m", "airwire.cli", "run", str(write(folder, QUICK)), "--out", "run", "--samples", "30"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder / "run"


def without(manifest: dict[str, Any], *path: str | int) -> str:
    """The manifest's text without one field."""
    copy = json.loads(json.dumps(manifest))
    place = copy
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return json.dumps(copy)


def with_published(published: Any) -> Callable[[dict[str, Any]], str]:
    """The manifest's text where its second row has such a published median."""

    def damaged(manifest: dict[str, Any]) -> str:
        copy = json.loads(json.dumps(manifest))
        copy["rows"][1]["published"] = published
        return json.dumps(copy)

    return damaged


BOARD_ROW: dict[str, Any] = {
    "run": "pp",
    "variant": "pp",
    "title": "ping-pong",
    "board": "pico",
    "payload_bytes": None,
    "settings": {},
    "firmware": {"name": "pp.elf", "sha256": "00"},
    "network": "default",
    "traffic": [],
    "of": None,
    "measure": "messages",
    "skip": 0,
    "end_ps": 1,
    "ended": "",
    "figure": {"value": 2.5, "interval": [2.0, 3.0], "unit": "messages/s", "n": 50},
    "published": {
        "value": 5,
        "unit": "messages/s",
        "in_unit": 5.0,
        "source": "a table",
        "note": None,
        "compare": "absolute",
        "measured_share": 0.5,
    },
    "same_but": {"run": "other", "what": "spi_hz", "here": "1", "there": None, "figure": None},
    "problem": None,
    "counts": {"spi_frames": 3.0},
    "evidence": {"sck_hz": 1000, "poll_period_ps": None},
    "notes": [],
}


def with_board(*path: str | int, value: Any) -> Callable[[dict[str, Any]], str]:
    """The manifest's text with a row of a board in which one value is another."""

    def damaged(manifest: dict[str, Any]) -> str:
        row = json.loads(json.dumps(BOARD_ROW))
        place = row
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        return json.dumps({**manifest, "rows": [*manifest["rows"], row]})

    return damaged


def test_the_row_of_a_board_that_is_damaged_below_is_a_whole_one(airwire: Airwire, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text(with_board("skip", value=0)(json.loads(manifest.read_text())))
    done = airwire("explain", "run", "--only", "pp", "--changes", "0")
    assert done.returncode == 0, done.stderr
    assert "Published 200 ms a message, here 400 ms: 200 ms more is not explained." in " ".join(done.stdout.split())


MANIFESTS: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "cut short": (lambda m: json.dumps(m)[:500], "manifest.json: is no manifest of a run folder"),
    "empty": (lambda _: "", "manifest.json: is no manifest of a run folder"),
    "a list": (lambda _: "[]", "manifest.json: is no manifest of a run folder"),
    "newer": (lambda m: json.dumps({**m, "schema": "airwire.run/99"}), "has schema airwire.run/99, but this version"),
    "only a schema": (lambda m: json.dumps({"schema": m["schema"]}), "manifest.json: target is missing or damaged"),
    "no seed": (lambda m: without(m, "seed"), "manifest.json: seed is missing or damaged"),
    "a seed below 0": (lambda m: json.dumps({**m, "seed": -1}), "manifest.json: seed is missing or damaged"),
    "no settings": (lambda m: without(m, "settings"), "manifest.json: settings is missing or damaged"),
    "no rows": (lambda m: without(m, "rows"), "manifest.json: rows is missing or damaged"),
    "a number for rows": (lambda m: json.dumps({**m, "rows": 5}), "manifest.json: rows is missing or damaged"),
    "a row in a word": (lambda m: json.dumps({**m, "rows": ["x"]}), "manifest.json: rows[0]: run is missing"),
    "a row without a queue": (lambda m: without(m, "rows", 1, "longest_queue"), "rows[1]: longest_queue is missing"),
    "a row without an end": (lambda m: without(m, "rows", 0, "end_ps"), "rows[0]: end_ps is missing or damaged"),
    "a row without settings": (lambda m: without(m, "rows", 0, "settings"), "rows[0]: settings is missing or damaged"),
    "half a stage": (lambda m: without(m, "rows", 0, "budget", 2, "cause"), "rows[0].budget[2]: cause is missing"),
    "a published word for a link": (with_published("soon"), "rows[1]: published is missing or damaged"),
    "a published median of no time": (
        with_published({"median_ps": 0, "source": "x", "note": None}),
        "rows[1].published: median_ps is missing or damaged",
    ),
    "a published median of nobody": (
        with_published({"median_ps": 5, "source": None, "note": None}),
        "rows[1].published: source is missing or damaged",
    ),
    "a board without firmware": (with_board("firmware", "name", value=None), "rows[4].firmware: name is missing"),
    "a figure in words": (with_board("figure", "value", value="2.5"), "rows[4].figure: value is missing or damaged"),
    "half an interval": (with_board("figure", "interval", value=[2.0]), "rows[4].figure: interval is missing"),
    "an empty interval": (with_board("figure", "interval", value=[2.0, None]), "rows[4].figure: interval is missing"),
    "a number beyond 63 bits": (with_board("figure", "value", value=10**30), "rows[4].figure: value is missing"),
    "a clock that runs backwards": (
        with_board("counts", "clk_sys_hz", value=-1),
        "rows[4].counts: clk_sys_hz is missing",
    ),
    "no number at all": (with_board("figure", "value", value=float("nan")), "rows[4].figure: value is missing"),
    "a published word": (with_board("published", "in_unit", value="x"), "rows[4].published: in_unit is missing"),
    "neither figure nor range": (
        with_board("published", "in_unit", value=None),
        "rows[4].published: in_unit is missing",
    ),
    "neither figure nor most": (with_board("published", "value", value=None), "rows[4].published: value is missing"),
    "half a range": (
        with_board("published", "range_in_unit", value=[1.0]),
        "rows[4].published: range_in_unit is missing",
    ),
    "times of nothing": (
        with_board("published", "times", value={"run": 5, "published": 1, "measured": None}),
        "rows[4].published.times: run is missing",
    ),
    "latencies without a mean": (
        with_board("latency", value={"median": {"value": 1.0, "interval": None, "unit": "ps", "n": 1}}),
        "rows[4].latency: mean is missing",
    ),
    "half a median": (with_board("latency", value={"median": {}}), "rows[4].latency.median: value is missing"),
    "a number for a setting": (with_board("same_but", "here", value=5), "rows[4].same_but: here is missing"),
    "a count of nothing": (with_board("counts", "spi_frames", value=None), "rows[4].counts: spi_frames is missing"),
    "evidence in words": (with_board("evidence", "sck_hz", value="fast"), "rows[4].evidence: sck_hz is missing"),
    "a list of notes with a table": (with_board("notes", value=[{}]), "rows[4]: notes is missing or damaged"),
    "a link of the future": (
        lambda m: json.dumps(m).replace('"link": "lora"', '"link": "lorra"'),
        "there is no link lorra; the nearest is lora",
    ),
}


@pytest.mark.parametrize(("damaged", "says"), MANIFESTS.values(), ids=MANIFESTS.keys())
def test_a_damaged_manifest_is_one_sentence_that_names_the_field(
    airwire: Airwire, run: Path, tmp_path: Path, damaged: Callable[[dict[str, Any]], str], says: str
) -> None:
    shutil.copytree(run, tmp_path / "run")
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text(damaged(json.loads(manifest.read_text())))
    assert says in sentence(airwire("explain", "run"))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:500])


def swap(file: Path) -> None:
    other = "spans" if file.parent.name == "samples" else "samples"
    shutil.copy(file.parent.parent / other / file.name, file)


def drop(file: Path) -> None:
    shutil.rmtree(file.parent)


@pytest.mark.parametrize(
    ("table", "damage", "says"),
    [
        ("samples", cut, "run/samples: a part cannot be read"),
        ("samples", swap, "run/samples: a part has no column trigger_ps; measure again"),
        ("samples", drop, "run/samples: is missing; measure again"),
        ("spans", cut, "run/spans: a part cannot be read"),
        ("spans", swap, "run/spans: a part has no column cause; measure again"),
    ],
)
def test_a_damaged_part_is_one_sentence_that_names_the_table(
    airwire: Airwire, run: Path, tmp_path: Path, table: str, damage: Callable[[Path], None], says: str
) -> None:
    shutil.copytree(run, tmp_path / "run")
    damage(tmp_path / "run" / table / "part-00000.parquet")
    assert says in sentence(airwire("explain", "run"))


@NEEDS_FULL
@pytest.mark.parametrize(
    ("arguments", "name", "said_before"),
    [
        (["explain", "run", "--changes", "0", "--figure"], "w.svg", "packet on the air"),
        (["explain", "run", "--changes", "0", "--perfetto"], "t.json", "packet on the air"),
        (["run", "suite.toml", "--out", "again", "--report"], "r.html", "Where the time goes"),
    ],
)
def test_a_full_disk_is_one_sentence_and_what_was_found_is_still_said(
    airwire: Airwire, run: Path, tmp_path: Path, arguments: list[str], name: str, said_before: str
) -> None:
    shutil.copytree(run, tmp_path / "run")
    write(tmp_path, QUICK)
    (tmp_path / name).symlink_to("/dev/full")
    result = airwire(*arguments, name)
    assert f"airwire: {name}: cannot write it: No space left on device" in sentence(result)
    assert result.stderr.count("\n") == 1
    assert said_before in result.stdout
