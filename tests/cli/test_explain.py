"""``airwire explain``: waterfalls, predicted changes that come true, figures, traces, and captures against models."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bench_suites import OVERLOADED, QUICK, write

from airwire.synthetic import SlottedLink

Airwire = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(airwire: Airwire, tmp_path: Path) -> Path:
    assert airwire("run", write(tmp_path, QUICK), "--out", "run", "--captures").returncode == 0
    return tmp_path / "run"


def parsed(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def test_the_stages_at_median_and_p95_add_up_and_are_shown_as_bars(airwire: Airwire, run: Path) -> None:
    rows = parsed(airwire("explain", run, "--json"))["rows"]
    assert [row["row"] for row in rows] == ["lora sf=7/12B", "lora sf=7/128B", "lora sf=9/12B", "lora sf=9/128B"]
    for row in rows:
        assert [waterfall["percentile"] for waterfall in row["waterfalls"]] == [50, 95]
        for waterfall in row["waterfalls"]:
            assert sum(stage["ps"] for stage in waterfall["stages"]) == pytest.approx(waterfall["latency_ps"], rel=0.01)
    shown = airwire("explain", run, "--only", "lora sf=9/12B").stdout
    assert "packet on the air" in shown
    assert "█" in shown
    assert "Change first:" in shown
    assert "lora sf=7" not in shown


def test_a_predicted_change_comes_true_when_the_suite_is_changed(airwire: Airwire, run: Path, tmp_path: Path) -> None:
    row = parsed(airwire("explain", run, "--only", "lora sf=9/128B", "--json"))["rows"][0]
    first = row["changes"][0]
    assert first["setting"] in row["settings"]
    gains = [1 - change["median_ps"][1] / change["median_ps"][0] for change in row["changes"]]
    assert gains == sorted(gains, reverse=True)
    settings = {**row["settings"], first["setting"]: first["after"]}
    lines = "".join(f'{name} = "{value}"\n' for name, value in settings.items())
    changed = write(tmp_path, f"samples = 2000\npayloads = [128]\n[links.lora]\n{lines}", "changed.toml")
    rows = parsed(airwire("run", changed, "--out", "changed", "--json"))["rows"]
    median = next(row["value"] for row in rows if row["metric"] == "latency_p50")
    assert median == pytest.approx(first["median_ps"][1], rel=0.02)


def test_changes_can_be_left_out(airwire: Airwire, run: Path) -> None:
    assert "Change first" not in airwire("explain", run, "--changes", "0").stdout
    assert parsed(airwire("explain", run, "--changes", "0", "--json"))["rows"][0]["changes"] == []


@pytest.mark.parametrize(("name", "head"), [("w.svg", b"<svg"), ("w.png", b"\x89PNG"), ("w.html", b"<!DOCTYPE html>")])
def test_waterfalls_are_drawn_in_the_format_of_the_ending(
    airwire: Airwire, run: Path, tmp_path: Path, name: str, head: bytes
) -> None:
    result = airwire("explain", run, "--changes", "0", "--figure", name)
    assert f"Figure: {name}" in result.stdout
    assert head in (tmp_path / name).read_bytes()[:200]
    if name == "w.svg":
        assert "packet on the air" in (tmp_path / name).read_text()


def test_a_trace_holds_every_span_of_the_first_hundred_messages_at_its_exact_time(
    airwire: Airwire, run: Path, tmp_path: Path
) -> None:
    result = airwire("explain", run, "--changes", "0", "--perfetto", "t.json")
    assert "Trace: t.json" in result.stdout
    trace = json.loads((tmp_path / "t.json").read_text(), parse_float=Decimal)
    complete = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    names = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"}
    kept = pl.read_parquet(run / "spans" / "*.parquet")
    spans = kept.filter(pl.col("end_ps") > pl.col("start_ps"), pl.col("index") < 100)
    assert not kept.filter(pl.col("index") >= 100).is_empty()
    assert len(set(names.values())) == 4
    traced = sorted((names[e["pid"]], e["args"]["message"], e["name"], int(e["ts"] * 10**6)) for e in complete)
    assert traced == sorted(spans.select("run", "index", "detail", "start_ps").iter_rows())
    lengths = sorted(int(event["dur"] * 10**6) for event in complete)
    assert lengths == sorted((spans["end_ps"] - spans["start_ps"]).to_list())


def test_messages_that_overlap_are_on_tracks_of_their_own(airwire: Airwire, tmp_path: Path) -> None:
    airwire("run", write(tmp_path, OVERLOADED), "--out", "run")
    airwire("explain", "run", "--changes", "0", "--perfetto", "t.json")
    events = json.loads((tmp_path / "t.json").read_text(), parse_float=Decimal)["traceEvents"]
    tracks: dict[tuple[int, int], list[tuple[Decimal, Decimal]]] = {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    assert len(tracks) > 2
    for spans in tracks.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


def capture_of(run: Path, payload: int, sf: int) -> Path:
    (found,) = (run / "captures").glob(f"{payload}B-*sf={sf}*")
    return found


def test_a_capture_that_the_model_made_is_explained_by_it(airwire: Airwire, run: Path) -> None:
    capture = capture_of(run, 128, 9)
    settings = ["--set", "sf=9", "--set", "bandwidth=250 kHz"]
    content = parsed(airwire("explain", capture, "--link", "lora", *settings, "--json"))
    assert content["schema"] == "airwire.explain/1"
    assert content["payload_bytes"] == 128
    assert content["explained_share"] > 0.99
    assert content["model_median_ps"] == pytest.approx(content["median_ps"], rel=0.001)
    assert sum(stage["ps"] for stage in content["stages"]) == pytest.approx(content["model_median_ps"], rel=0.01)
    shown = airwire("explain", capture, "--link", "lora", *settings).stdout
    assert "The model of lora explains 100 % of this capture's latency" in shown


def test_a_capture_of_other_settings_leaves_much_over(airwire: Airwire, run: Path) -> None:
    content = parsed(airwire("explain", capture_of(run, 128, 9), "--link", "lora", "--changes", "0", "--json"))
    assert content["explained_share"] < 0.9
    assert content["left_over_ps"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["12B.csv"], "name the link that it was made with"),
        (["12B.csv", "--link", "lorra"], "there is no link lorra; the nearest is lora"),
        (["12B.csv", "--link", "lora", "--set", "sf=99"], "sf is 99, but it takes"),
        (["12B.csv", "--link", "lora", "--perfetto", "t.json"], "a capture holds no spans"),
        (["12B-none.csv", "--link", "lora"], "12B-none.csv: cannot open it"),
        (["run", "--only", "lorra"], "has no entry lorra; it has lora sf=7, lora sf=9"),
        (["run", "--figure", "w.gif"], "ends in none of .svg, .png, .html"),
        (["analysed"], "holds captures, not links"),
        ([".."], "is no run folder"),
    ],
)
def test_a_mistake_is_one_sentence(
    airwire: Airwire, run: Path, tmp_path: Path, arguments: list[str], says: str
) -> None:
    SlottedLink(messages=30).write_csv(tmp_path / "12B.csv")
    airwire("analyze", "12B.csv", "--out", "analysed")
    result = airwire("explain", *arguments)
    assert result.returncode == 2
    assert says in " ".join(result.stderr.replace("│", " ").split())
    assert "Traceback" not in result.stderr
