"""``airwire compare`` of two runs: a line for each row, the worst first, what was changed, and the gate."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from bench_suites import write

import airwire as package
from airwire.synthetic import SlottedLink
from command_server import CommandServer

MOCKED = Path(__file__).resolve().parents[1] / "mocked.py"
US = 10**6
SUITE = "name = 'own'\nsamples = 200\npayloads = [12]\n[links.lora]\nsf = [7, 8, 9]\n"
BOARDS = "[boards.fast]\nsamples = 200\n[boards.slow]\nmeasure = 'latency'\nsamples = 200\n"
Airwire = Callable[..., subprocess.CompletedProcess[str]]
Measure = Callable[..., None]


@pytest.fixture
def measure(tmp_path: Path, command_server: CommandServer) -> Measure:
    """Run a suite on mocks into a folder; ``latencies_us`` are what messages take, by row or of all."""

    def measure(out: str, text: str, latencies_us: Mapping[str, list[float | None]] | list[float | None]) -> None:
        rows = latencies_us if isinstance(latencies_us, Mapping) else {}
        plan: dict[str, Any] = {"rows": {name: mock(own) for name, own in rows.items()}}
        if not isinstance(latencies_us, Mapping):
            plan["others"] = mock(latencies_us)
        suite = write(tmp_path, text, f"{out}.toml")
        words = [json.dumps({"mocks": plan}), "run", str(suite), "--out", out]
        environment = {**os.environ, "COLUMNS": "200"}
        done = command_server.run(words, tmp_path, environment, timeout_s=120, program=MOCKED)
        assert (tmp_path / out / "manifest.json").exists(), done.stderr

    return measure


def mock(latencies_us: list[float | None]) -> dict[str, Any]:
    """Messages that follow each other at once, so that a rate is that of their latencies."""
    taken = [None if one is None else round(one * US) for one in latencies_us]
    return {"latencies_ps": taken, "period_ps": max(one or US for one in taken)}


def spread(centre_us: float, width_us: float = 2) -> list[float | None]:
    """Latencies around a centre, in an order that no block bootstrap takes for a pattern."""
    return [centre_us + width_us * (number * 7919 % 101 - 50) / 50 for number in range(200)]


def compared(airwire: Airwire, *options: str) -> tuple[int, dict[str, Any]]:
    done = airwire("compare", "a", "b", *options, "--json")
    return done.returncode, json.loads(done.stdout)


def test_rows_are_compared_by_name_and_the_slowest_change_comes_first(airwire: Airwire, measure: Measure) -> None:
    names = [f"lora sf={sf}/12B" for sf in (7, 8, 9)]
    measure("a", SUITE, dict(zip(names, map(spread, (100, 100, 100)), strict=True)))
    measure("b", SUITE, dict(zip(names, map(spread, (100, 150, 80)), strict=True)))
    code, content = compared(airwire)
    assert code == 0
    rows = content["rows"]
    assert [(row["row"], row["shift"]) for row in rows] == [
        (names[1], "slower"),
        (names[0], "same"),
        (names[2], "faster"),
    ]
    assert [row["slower"] for row in rows] == [pytest.approx(share, abs=1e-3) for share in (0.5, 0, -0.2)]
    low, high = rows[0]["interval"]
    assert 0.45 < low < 0.5 < high < 0.55
    assert (rows[0]["before"], rows[0]["after"]) == (pytest.approx(100 * US, 0.01), pytest.approx(150 * US, 0.01))
    shown = airwire("compare", "a", "b").stdout
    order = [line.split()[1] for line in shown.splitlines() if line.startswith("lora")]
    assert order == ["sf=8/12B", "sf=7/12B", "sf=9/12B"]
    assert "A is a, B is b. Of 3 rows: 1 slower, 1 faster.\n" in shown
    assert "Nothing was changed between both.\n" in shown


def test_the_gate_fails_where_a_row_is_surely_slower_by_more(airwire: Airwire, measure: Measure) -> None:
    measure("a", "samples = 200\npayloads = [12]\n[links.uart]\n", spread(100))
    measure("b", "samples = 200\npayloads = [12]\n[links.uart]\n", spread(107))
    failed = airwire("compare", "a", "b", "--slower-than", "5%")
    assert (failed.returncode, failed.stderr) == (1, "airwire: uart/12B is slower by 7.0 %, more than 5 %\n")
    assert "uart/12B" in failed.stdout, "the table is printed all the same"
    code, content = compared(airwire, "--slower-than", "5%")
    assert (code, content["slower_than"], content["rows"][0]["fails"]) == (1, 0.05, True)
    for most in ("8%", "50%"):
        assert airwire("compare", "a", "b", "--slower-than", most).returncode == 0
    # The other way round it is faster, by more than that.
    assert airwire("compare", "b", "a", "--slower-than", "5%").returncode == 0


def test_a_shift_that_is_not_sure_passes_the_gate(airwire: Airwire, measure: Measure) -> None:
    measure("a", "samples = 30\npayloads = [12]\n[links.uart]\n", spread(100, 90))
    measure("b", "samples = 30\npayloads = [12]\n[links.uart]\n", spread(108, 90))
    code, content = compared(airwire, "--slower-than", "1%")
    (row,) = content["rows"]
    assert (code, row["shift"], row["fails"]) == (0, "same", False)
    assert row["slower"] > 0.01


def test_a_rate_is_slower_where_it_falls(airwire: Airwire, measure: Measure) -> None:
    measure("a", BOARDS, spread(100, 0))
    measure("b", BOARDS, spread(125, 0))
    code, content = compared(airwire, "--slower-than", "22%")
    by_name = {row["row"]: row for row in content["rows"]}
    assert code == 1
    assert [row["row"] for row in content["rows"]] == ["slow", "fast"]
    fast, slow = by_name["fast"], by_name["slow"]
    assert (fast["unit"], fast["slower"], fast["shift"]) == ("messages/s", pytest.approx(0.2), "slower")
    assert (slow["unit"], slow["slower"], slow["shift"]) == ("ps", pytest.approx(0.25), "slower")
    assert (fast["fails"], slow["fails"]) == (False, True)


def test_a_row_that_lost_its_figure_fails_any_gate_and_stands_first(airwire: Airwire, measure: Measure) -> None:
    names = [f"lora sf={sf}/12B" for sf in (7, 8, 9)]
    measure("a", SUITE, dict.fromkeys(names, spread(100)))
    measure("b", SUITE, {**dict.fromkeys(names, spread(900)), names[2]: [None]})
    failed = airwire("compare", "a", "b", "--only", "lora sf=9", "--slower-than", "100%")
    assert failed.returncode == 1
    assert failed.stderr == "airwire: lora sf=9/12B: no figure any more, where a has one\n"
    assert "lost 0 % -> 100 %" in failed.stdout
    rows = compared(airwire)[1]["rows"]
    assert (rows[0]["row"], rows[0]["shift"], rows[0]["after"]) == (names[2], "no_figure", None)


def test_few_messages_give_no_interval_and_pass(airwire: Airwire, measure: Measure) -> None:
    measure("a", "samples = 5\npayloads = [12]\n[links.uart]\n", spread(100))
    measure("b", "samples = 5\npayloads = [12]\n[links.uart]\n", spread(200))
    code, content = compared(airwire, "--slower-than", "5%")
    (row,) = content["rows"]
    assert (code, row["interval"], row["shift"]) == (0, None, "too_few")


def test_rows_that_only_one_run_has_are_named(airwire: Airwire, measure: Measure) -> None:
    measure("a", SUITE, spread(100))
    measure("b", SUITE.replace("[7, 8, 9]", "[8, 9, 10]"), spread(100))
    code, content = compared(airwire)
    assert code == 0
    assert (content["only_in_a"], content["only_in_b"]) == (["lora sf=7/12B"], ["lora sf=10/12B"])
    shown = airwire("compare", "a", "b").stdout
    assert "Only in a: lora sf=7/12B.\n" in shown
    assert "Only in b: lora sf=10/12B.\n" in shown
    assert "- text of the suite: 5 lines, " in shown


def test_runs_without_a_common_row_say_how_to_name_two(airwire: Airwire, measure: Measure) -> None:
    measure("a", SUITE, spread(100))
    measure("b", SUITE.replace("[7, 8, 9]", "[10, 11]"), spread(120))
    refused = airwire("compare", "a", "b")
    assert refused.returncode == 2
    said = "a and b: have no row in common; name one of each, such as a:lora sf=7/12B"
    assert refused.stderr == f"airwire: {said}\n"
    named = airwire("compare", "a:lora sf=7/12B", "b:lora sf=10/12B")
    assert named.returncode == 0, named.stderr
    assert named.stdout.startswith("lora sf=7/12B is faster than lora sf=10/12B by 20 us at the median")


def test_what_was_changed_between_two_runs_is_said_once_with_its_rows(airwire: Airwire, measure: Measure) -> None:
    measure("a", SUITE, spread(100))
    measure("b", SUITE.replace("sf =", "crc = 'off'\nsf ="), spread(100))
    content = compared(airwire)[1]
    changed = {one["what"]: one for one in content["changed"]}
    assert set(changed) == {"text of the suite", "crc"}
    assert changed["text of the suite"]["rows"] == []
    assert (changed["crc"]["before"], changed["crc"]["after"]) == ("on", "off")
    assert len(changed["crc"]["rows"]) == 3
    assert "- crc: on -> off (in lora sf=7/12B, lora sf=8/12B, lora sf=9/12B)\n" in airwire("compare", "a", "b").stdout


def test_an_image_that_was_built_anew_is_a_change(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    for out, name in (("a", "wiznet_settings"), ("b", "wiznet_pingpong")):
        folder = tmp_path / f"images-{out}"
        folder.mkdir()
        (folder / "own.elf").write_bytes((images / f"{name}.elf").read_bytes())
        suite = write(tmp_path, "[boards.own]\nskip = 1\nlimit = '3 s'\n")
        done = airwire("run", suite, "--firmware", folder, "--out", out)
        assert done.returncode == 0, done.stderr
    content = compared(airwire)[1]
    (firmware,) = (one for one in content["changed"] if one["what"] == "firmware")
    digests = [
        json.loads((tmp_path / out / "manifest.json").read_text())["rows"][0]["firmware"]["sha256"] for out in "ab"
    ]
    assert [firmware["before"], firmware["after"]] == [f"own.elf ({digest[:8]})" for digest in digests]
    assert firmware["rows"] == ["own"]
    assert content["rows"][0]["unit"] == "messages/s"


def test_one_row_is_named_behind_a_colon_or_with_only(airwire: Airwire, measure: Measure) -> None:
    measure("a", SUITE, spread(100))
    measure("b", SUITE, spread(130))
    single = airwire("compare", "a:lora sf=8", "b:lora sf=8/12B", "--slower-than", "10%")
    assert single.returncode == 1
    assert single.stdout.startswith("a:lora sf=8 is faster than b:lora sf=8/12B by 30 us at the median")
    assert single.stderr == "airwire: b:lora sf=8/12B is slower than a:lora sf=8 by 30 %, more than 10 %\n"
    assert [row["row"] for row in compared(airwire, "--only", "lora sf=8")[1]["rows"]] == ["lora sf=8/12B"]
    both = compared(airwire, "--only", "lora sf=8", "--only", "lora sf=9/12B")[1]["rows"]
    assert {row["row"] for row in both} == {"lora sf=8/12B", "lora sf=9/12B"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("a:lora sf=6", "b:lora sf=8"), "a: has no row lora sf=6; it has lora sf=7/12B, lora sf=8/12B, lora sf=9/12B"),
        (("a", "b", "--only", "uart"), "a and b: have no row uart; they have lora sf=7/12B, lora sf=8/12B"),
        (("a", "b:lora sf=8"), "a: holds 3 captures; name one of them, such as a:lora sf=7/12B"),
        (("a", "b", "--slower-than", "fast"), "`fast` is no share; write it as 5%, 200% or 0.05"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_what_to_do(
    airwire: Airwire, measure: Measure, arguments: tuple[str, ...], says: str
) -> None:
    measure("a", SUITE, spread(100))
    measure("b", SUITE, spread(100))
    refused = airwire("compare", *arguments)
    assert refused.returncode == 2
    assert says in " ".join(refused.stderr.split())


def test_two_variants_of_one_name_are_told_apart_by_what_differs() -> None:
    slow, fast = package.simulate([("lora", 12, {"sf": 9}), ("lora", 12, {"sf": 7, "crc": "off"})], samples=50)
    sentence = package.compare(slow, fast).sentence
    assert sentence.startswith("lora/12B with crc=off, sf=7 is faster than lora/12B with crc=on, sf=9 by ")
    again = package.simulate([("lora", 12, {"sf": 9})], samples=50, seed=2)[0]
    assert "the first lora/12B and the second lora/12B" in package.compare(slow, again).sentence


def test_captures_of_one_name_keep_their_names_and_can_be_gated(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(messages=300, slot_ns=10_000_000).write_csv(tmp_path / "before.csv")
    SlottedLink(messages=300).write_csv(tmp_path / "after.csv")
    gated = airwire("compare", "before.csv", "after.csv", "--slower-than", "5%")
    assert gated.returncode == 1
    assert gated.stderr.startswith("airwire: after.csv is slower than before.csv by ")
    assert airwire("compare", "after.csv", "before.csv", "--slower-than", "5%").returncode == 0


def test_a_slower_row_names_the_stage_that_has_grown_most(airwire: Airwire, tmp_path: Path) -> None:
    for out, sf in (("a", 7), ("b", 9)):
        suite = write(
            tmp_path, f"name = 'own'\nsamples = 100\npayloads = [12]\n[links.radio]\nlink = 'lora'\nsf = {sf}\n"
        )
        assert airwire("run", suite, "--out", out).returncode == 0
    failed = airwire("compare", "a", "b", "--slower-than", "5%")
    assert failed.stderr.startswith("airwire: radio/12B is slower by ")
    assert ", more than 5 %: packet on the air takes " in failed.stderr
    (row,) = compared(airwire)[1]["rows"]
    assert row["grown_stage"] == "packet on the air"
    assert 0.9 * (row["after"] - row["before"]) < row["grown_ps"] <= row["after"] - row["before"]
    (row,) = json.loads(airwire("compare", "b", "a", "--json").stdout)["rows"]
    assert (row["shift"], row["grown_stage"], row["grown_ps"]) == ("faster", None, None)


def test_another_number_of_messages_is_a_change(airwire: Airwire, tmp_path: Path) -> None:
    suite = write(tmp_path, SUITE, "own.toml")
    for out, samples in (("a", "200"), ("b", "20")):
        assert airwire("run", suite, "--only", "lora sf=7", "--samples", samples, "--out", out).returncode == 0
    said = airwire("compare", "a", "b").stdout
    assert "- messages: 200 -> 20" in said and "Nothing was changed" not in said


def test_rows_of_a_capture_cannot_be_chosen(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(messages=40).write_csv(tmp_path / "12B.csv")
    done = airwire("compare", "12B.csv", "12B.csv", "--only", "x")
    assert done.returncode == 2
    assert "it chooses rows of two run folders, and here is a capture" in " ".join(done.stderr.split())
