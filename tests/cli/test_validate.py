"""``airwire validate``: captures that a model made itself agree with it, others do not, and the ledger says so."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airwire as package
from terminal import run_in_terminal

Airwire = Callable[..., subprocess.CompletedProcess[str]]
RULES = Path(__file__).resolve().parents[2] / "crates" / "bench" / "validation" / "lora.toml"


@pytest.fixture
def captures(airwire: Airwire, tmp_path: Path) -> Path:
    """A folder of captures that the model of LoRa made, named as the real ones are."""
    rule = tomllib.loads(RULES.read_text())["capture"][0]
    settings = "".join(f'{name} = "{value}"\n' for name, value in rule.get("set", {}).items())
    suite = tmp_path / "suite.toml"
    suite.write_text(f"samples = 400\npayloads = [12]\n[links.{rule['link']}]\n{settings}")
    assert airwire("run", suite, "--out", "run", "--captures").returncode == 0
    (made,) = (tmp_path / "run" / "captures").iterdir()
    target = tmp_path / "captures" / rule["path"].replace("*", "12B")
    target.parent.mkdir(parents=True)
    assert airwire("convert", made, target).returncode == 0
    return tmp_path / "captures"


def ledger(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def test_a_capture_that_the_model_made_has_no_error(airwire: Airwire, captures: Path) -> None:
    result = airwire("validate", "--json")
    assert result.returncode == 0, result.stderr
    content = ledger(result)
    assert content["schema"] == "airwire.validate/1"
    assert [row["mode"] for row in content["rows"]] == ["phase-free", "this-run"]
    for row in content["rows"]:
        assert abs(row["median_error"]) < 0.002
        assert row["passes"] is True
        assert (row["payload_bytes"], row["lost"]) == (12, 0)
    assert airwire("validate", "--strict").returncode == 0


def test_the_table_says_how_far_each_model_is_and_how_many_goals_are_kept(airwire: Airwire, captures: Path) -> None:
    shown = airwire("validate", "--captures", captures).stdout
    assert "phase-free" in shown
    assert "kept" in shown
    assert "2 of 2 judged rows keep the goals of their class" in shown


NUMBER = re.compile(r"(?<!\S)[+-]?[0-9]+(?:\.[0-9]+)?(?: [%B])?(?!\S)")


@pytest.mark.parametrize("columns", [20, 40, 80, 100, 120])
def test_a_narrow_terminal_shows_fewer_numbers_and_cuts_none(captures: Path, columns: int) -> None:
    whole, narrow = (
        run_in_terminal("airwire validate --captures captures", captures.parent, width)[1] for width in (300, columns)
    )
    rows = [[line for line in text.splitlines() if line.startswith("lora")] for text in (whole, narrow)]
    assert len(rows[0]) == len(rows[1]) == 2
    for wide, line in zip(*rows, strict=True):
        shown = NUMBER.findall(line)
        assert shown and set(shown) <= set(NUMBER.findall(wide)), (wide, line)
    assert "\u2026" not in narrow
    heading = narrow.splitlines()[0].split()
    gone = {"p75", "p95", "KS", "fitted", "class"} - set(heading)
    told = " ".join(line for line in narrow.splitlines())
    assert "p50" in heading and all(name in told.partition("No room for the columns ")[2] for name in gone)


def test_a_goal_that_is_missed_counts_only_when_asked(airwire: Airwire, captures: Path) -> None:
    (made,) = captures.rglob("*.csv")
    edges = package.read_edges(made)
    # Everything takes twice as long.
    levels = edges.frame.with_columns(pl.col("time_ps") * 2)
    rows = [f"{time / 1e12:.9f},{int(a)},{int(b)}" for time, a, b in levels.iter_rows()]
    made.write_text("\n".join(["Time [s],Channel 0,Channel 1", *rows]) + "\n")
    assert airwire("validate").returncode == 0
    assert "missed" in airwire("validate").stdout
    assert airwire("validate", "--strict").returncode == 1


def test_captures_without_a_model_and_broken_ones_are_named(airwire: Airwire, captures: Path) -> None:
    (made,) = captures.rglob("*.csv")
    (captures / "other").mkdir()
    (captures / "other" / "12B.csv").write_text(made.read_text())
    made.write_text("broken")
    result = airwire("validate", "--json")
    assert result.returncode == 2
    content = ledger(result)
    assert content["rows"] == []
    assert [Path(path).name for path in content["without_rule"]] == ["12B.csv"]
    (error,) = content["errors"]
    assert made.name in error["message"]
    assert "Traceback" not in result.stderr


def test_parts_of_paths_narrow_the_ledger(airwire: Airwire, captures: Path) -> None:
    assert len(ledger(airwire("validate", "--only", next(captures.rglob("*.csv")).parent.name, "--json"))["rows"]) == 2


def test_a_part_that_no_path_has_is_refused_with_what_there_is(airwire: Airwire, captures: Path) -> None:
    (known,) = (path.name for path in captures.iterdir())
    for only in (["no-such-part"], [known, "no-such-part"]):
        result = airwire("validate", "--strict", *(word for part in only for word in ("--only", part)))
        assert result.returncode == 2
        (said,) = result.stderr.splitlines()
        assert "captures: no capture has no-such-part in its path; " in said and known in said


def test_a_missing_folder_is_one_sentence(airwire: Airwire) -> None:
    result = airwire("validate", "--captures", "nowhere")
    assert result.returncode == 2
    assert "nowhere" in result.stderr
    assert "Traceback" not in result.stderr


def test_whoever_watches_is_told_of_both_steps_of_each_capture(airwire: Airwire, captures: Path) -> None:
    told: list[tuple[int, int]] = []
    package.validate(captures, progress=lambda done, all_steps: told.append((done, all_steps)))
    assert told[-1] == (2, 2)
