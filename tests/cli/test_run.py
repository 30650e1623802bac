"""``airwire run`` and the demo: ranking, JSON, run folder, report, and one sentence for every bad suite."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bench_suites import OVERLOADED, PUBLISHED, QUICK, write

Airwire = Callable[..., subprocess.CompletedProcess[str]]
METRICS = ["latency_p50", "latency_p75", "latency_p95", "latency_p99", "latency_mean", "loss"]


def parsed(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def test_the_ranking_has_the_fastest_first_and_says_where_the_time_goes(airwire: Airwire, tmp_path: Path) -> None:
    result = airwire("run", write(tmp_path, QUICK), "--out", "run")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    ranked = [line.split() for line in lines if line.startswith(("1  ", "2  "))]
    assert [(line[0], line[2]) for line in ranked] == [("1", "sf=7"), ("2", "sf=9")] * 2
    assert "- lora sf=9 at 128 B: 99 % goes to packet on the air\n" in result.stdout
    assert "4 rows of 300 messages, seed 5" in result.stdout
    assert "Run folder: run" in result.stdout


@pytest.mark.parametrize(("sites", "says"), [
    ('["clean"]', "All radios stand at a clean site"),
    ('["clean", "office"]', "The radios of 2 rows stand at a clean site"),
    ('["office"]', None),
])  # fmt: skip
def test_where_nothing_is_lost_the_ranking_says_at_which_site(
    airwire: Airwire, tmp_path: Path, sites: str, says: str | None
) -> None:
    suite = 'name = "sites"\nseed = 1\nsamples = 100\npayloads = [12, 128]\n'
    links = f"[links.lora]\nloss_site = {sites}\n[links.uart]\n"
    shown = airwire("run", write(tmp_path, suite + links)).stdout
    assert (says in shown) if says else ("clean site" not in shown)


def test_json_holds_a_row_per_figure(airwire: Airwire, tmp_path: Path) -> None:
    content = parsed(airwire("run", write(tmp_path, QUICK), "--out", "run", "--json"))
    assert content["schema"] == "airwire.run/1"
    assert content["run"] == "run"
    rows = content["rows"]
    assert [row["metric"] for row in rows if row["metric"] != "energy"] == METRICS * 4
    assert {(row["unit"], row["row"].split("/")[0].split()[0]) for row in rows if row["metric"] == "energy"} == {
        ("J", "lora")
    }
    assert {row["suite"] for row in rows} == {"quick"}
    assert {row["unit"] for row in rows if row["metric"] == "loss"} == {"1"}
    assert all(row["published"] is None and row["verdict"] is None for row in rows)
    samples = pl.read_parquet(tmp_path / "run" / "samples" / "*.parquet")
    for run in samples["run"].unique():
        of_row = samples.filter(pl.col("run") == run)["latency_ps"]
        value = next(row["value"] for row in rows if (row["row"], row["metric"]) == (run, "latency_p95"))
        assert value == of_row.quantile(0.95, "linear")


def test_a_published_median_stands_beside_its_row_with_ratio_and_verdict(airwire: Airwire, tmp_path: Path) -> None:
    shown = airwire("run", write(tmp_path, PUBLISHED), "--out", "run").stdout
    rows = parsed(airwire("run", tmp_path / "suite.toml", "--out", "again", "--json"))["rows"]
    (row,) = (row for row in rows if row["published"] is not None)
    assert (row["row"], row["metric"], row["unit"]) == ("lora sf=9/12B", "latency_p50", "ps")
    samples = pl.read_parquet(tmp_path / "run" / "samples" / "*.parquet").filter(pl.col("run") == row["row"])
    median = samples["latency_ps"].quantile(0.5, "linear")
    assert median is not None
    assert (row["published"], row["ratio"]) == (40 * 10**9, pytest.approx(median / 40e9))
    assert (row["published_source"], row["published_note"]) == ("somebody's table 2", "another antenna")
    said = f"Published median 40 ms, here {median / 1e9:.4g} ms: {median / 40e9:.3g} times; another antenna."
    assert row["verdict"].startswith("9") and row["verdict"].endswith(said)
    assert f"- lora sf=9/12B: {row['verdict'].partition('.')[0]}\n" in shown
    (line,) = (line for line in shown.splitlines() if "40 ms" in line and not line.startswith("-"))
    assert line.split()[:8] == ["2", "lora", "sf=9", f"{median / 1e9:.4g}", "ms", "40", "ms", f"{median / 40e9:.3g}"]
    assert "published  ratio" in shown
    # What goes without a published figure keeps its sentence.
    assert "- lora sf=7 at 128 B: " in shown


def test_without_a_published_median_nothing_is_said_of_one(airwire: Airwire, tmp_path: Path) -> None:
    shown = airwire("run", write(tmp_path, QUICK), "--out", "run", "--report", "r.html").stdout
    assert "published" not in shown.lower()
    assert "and published" not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_published_median_is_kept_for_what_comes_later(airwire: Airwire, tmp_path: Path) -> None:
    airwire("run", write(tmp_path, PUBLISHED), "--out", "run", "--report", "now.html")
    assert airwire("report", "run", "--out", "later.html").returncode == 0
    assert (tmp_path / "now.html").read_bytes() == (tmp_path / "later.html").read_bytes()
    explained = parsed(airwire("explain", "run", "--changes", "0", "--json"))["rows"]
    assert [row["row"] for row in explained if "Published median 40 ms, here " in row["sentence"]] == ["lora sf=9/12B"]


def test_a_run_folder_from_before_published_medians_is_read(airwire: Airwire, tmp_path: Path) -> None:
    airwire("run", write(tmp_path, QUICK), "--out", "run")
    manifest = tmp_path / "run" / "manifest.json"
    content = json.loads(manifest.read_text())
    for row in content["rows"]:
        assert row.pop("published") is None
    manifest.write_text(json.dumps(content))
    assert airwire("report", "run").returncode == 0


def test_samples_seed_and_entries_are_replaced_on_request(airwire: Airwire, tmp_path: Path) -> None:
    suite = write(tmp_path, QUICK)
    airwire("run", suite, "--out", "a", "--samples", "40", "--seed", "9", "--only", "lora sf=9")
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text())
    assert [(row["run"], row["samples"]) for row in manifest["rows"]] == [("lora sf=9/12B", 40), ("lora sf=9/128B", 40)]
    assert manifest["seed"] == 9
    assert manifest["suite"] == {"name": "quick", "text": QUICK}


def test_the_same_suite_gives_the_same_report_now_and_later(airwire: Airwire, tmp_path: Path) -> None:
    result = airwire("run", write(tmp_path, QUICK), "--out", "run", "--report", "now.html")
    assert result.returncode == 0, result.stderr
    assert airwire("report", "run", "--out", "later.html").returncode == 0
    assert (tmp_path / "now.html").read_bytes() == (tmp_path / "later.html").read_bytes()
    text = (tmp_path / "now.html").read_text()
    assert "Ranking by median" in text
    assert "Where the time goes" in text


def test_the_captures_of_a_run_are_what_the_run_says(airwire: Airwire, tmp_path: Path) -> None:
    airwire("run", write(tmp_path, QUICK), "--out", "run", "--captures")
    files = sorted((tmp_path / "run" / "captures").iterdir())
    assert len(files) == 4
    analysed = parsed(airwire("analyze", tmp_path / "run" / "captures", "--json"))
    rows = parsed(airwire("run", tmp_path / "suite.toml", "--out", "again", "--json"))["rows"]
    medians = sorted(row["value"] for row in rows if row["metric"] == "latency_p50")
    assert sorted(capture["latency_ps"]["p50"] for capture in analysed["captures"]) == medians


def test_an_overloaded_link_is_called_so(airwire: Airwire, tmp_path: Path) -> None:
    result = airwire("run", write(tmp_path, OVERLOADED), "--out", "run")
    assert result.returncode == 0, result.stderr
    assert " of p95 waits behind earlier messages, overloaded: send less often\n" in result.stdout
    assert " messages deep." in airwire("explain", "run", "--changes", "0").stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[links.lorra]\n", "suite.toml:1: links.lorra: there is no link lorra; the nearest is lora"),
        ("seed = 1\n\n[links.lora]\nsf = 13\n", "suite.toml:4: links.lora.sf is 13, but it takes"),
        ("sample = 5\n[links.lora]\n", "suite.toml:1: sample: there is no such field; the nearest is samples"),
        ("[links.lora\n", "suite.toml:1: this is not TOML"),
        ("", "a suite names at least one link"),
    ],
)
def test_a_bad_suite_is_one_sentence_with_file_and_line(airwire: Airwire, tmp_path: Path, text: str, says: str) -> None:
    result = airwire("run", write(tmp_path, text).name)
    assert (result.returncode, result.stdout) == (2, "")
    assert says in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_a_missing_suite_and_an_unknown_entry_are_one_sentence(airwire: Airwire, tmp_path: Path) -> None:
    assert "nowhere.toml: cannot read this suite" in airwire("run", "nowhere.toml").stderr
    result = airwire("run", write(tmp_path, QUICK), "--only", "lora sf=8")
    assert result.returncode == 2
    assert "suite quick has no entry lora sf=8; the nearest is lora sf=7" in result.stderr


def test_a_run_folder_is_never_overwritten(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    result = airwire("run", write(tmp_path, QUICK), "--out", "run")
    assert result.returncode == 2
    assert "exists already" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
def test_a_full_disk_is_one_sentence_and_the_ranking_is_still_printed(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "full.html").symlink_to("/dev/full")
    result = airwire("run", write(tmp_path, QUICK), "--out", "run", "--report", "full.html")
    assert result.returncode == 2
    assert "No space left" in result.stderr
    assert "Where the time goes" in result.stdout
    assert "Traceback" not in result.stderr


def test_the_demo_is_one_screen_with_a_slow_board_its_cause_and_the_links(
    airwire: Airwire, firmware: Path, tmp_path: Path
) -> None:
    result = airwire("demo")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, result.stdout
    assert lines[0].startswith("One board: 3.906 messages/s as it was, 7 ")
    assert "Simulated in virtual time" in lines[1]
    text = " ".join(result.stdout.split())
    assert "3.906 messages/s 75 % waits for lwIP's 250 ms timer: call tcp_output() after tcp_write()" in text
    assert "15.63 messages/s 100 % waits for a poll every 64 ms: wire the INT pin" in text
    medians = {line.split()[0]: line for line in lines[9:]}
    assert "216.8 ms" in medians["lora"], "as airwire link lora --payload 128 has it"
    assert "Report: runs/demo/report.html" in lines
    assert lines[-1].startswith("Next: airwire ")


def test_the_demo_removes_nothing(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    assert airwire("demo").returncode == 0
    assert (tmp_path / "runs/demo/report.html").stat().st_size > 100_000
    assert list((tmp_path / "runs/demo/run/captures").iterdir())
    before = sorted((tmp_path / "runs/demo").rglob("*"))
    assert "Report: runs/demo-2/report.html" in airwire("demo").stdout
    assert sorted((tmp_path / "runs/demo").rglob("*")) == before, "a demo removes nothing, its own folder neither"


def test_the_demo_does_not_replace_a_folder_of_somebody_else(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/precious.txt").write_text("do not delete")
    result = airwire("demo", "--out", "mine")
    assert result.returncode == 2
    assert "mine: this folder holds something, which stays as it is" in result.stderr
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["precious.txt"]
