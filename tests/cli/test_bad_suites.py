"""Everything that a user can get wrong with suites, links and run folders: one sentence that says what, where and what
would be right, a documented exit code, and nothing of Python's own. What was finished before is kept."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench_suites import ENDLESS, OVERLOADED, QUICK, write

Airwire = Callable[..., subprocess.CompletedProcess[str]]
NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")


def sentence(result: subprocess.CompletedProcess[str]) -> str:
    """What was said, after checking that it is a refusal and nothing worse."""
    assert result.returncode == 2, (result.returncode, result.stderr)
    assert "Traceback" not in result.stderr
    assert "panicked" not in result.stderr
    return " ".join(result.stderr.split())


SUITES = {
    "an unknown link": ("[links.lorra]\n", "1: links.lorra: there is no link lorra; the nearest is lora"),
    "an unknown link by name": ("[links.x]\nlink = 'urt'\n", "2: links.x: there is no link urt; the nearest is uart"),
    "an unknown setting": ("[links.lora]\nsff = 9\n", "2: links.lora.sff: lora has no setting sff; the nearest is sf"),
    "sf 13": (
        "seed = 1\n\n[links.lora]\nsf = 13\n",
        "4: links.lora.sf is 13, but it takes a whole number from 6 to 12",
    ),
    "mtu 0": ("[links.nrf52840-ble]\nmtu = 0\n", "2: links.nrf52840-ble.mtu is 0, but it takes 23 to 517 B"),
    "a negative baud rate": ("[links.uart]\nbaud = -9600\n", "2: links.uart.baud is -9600, but it takes 300 to"),
    "no number at all": ("[links.lora]\ninterference = nan\n", "2: links.lora.interference is nan, but it takes 0 to"),
    "a word for a number": ("[links.lora]\nsf = 'nine'\n", '2: links.lora.sf is "nine", but it takes a whole number'),
    "a switch for a number": ("[links.lora]\nsf = true\n", '2: links.lora.sf is "true", but it takes a whole number'),
    "a table for a setting": ("[links.lora]\nsf = { a = 1 }\n", "2: links.lora.sf: a setting is a text, a number"),
    "a table in a list": ("[links.lora]\nsf = [7, { a = 1 }]\n", "2: links.lora.sf: a setting is a text, a number"),
    "a date": ("[links.lora]\nsf = 2020-01-01\n", "2: links.lora.sf: a setting is a text, a number"),
    "no value": ("[links.lora]\nsf = []\n", "2: links.lora.sf: a setting is a text, a number"),
    "a value twice": (
        "payloads = [12]\n[links.lora]\nsf = [7, 8, 7]\n",
        "2: links.lora: there are two rows lora sf=7/12B",
    ),
    "settings that do not go together": ("[links.lora]\nsf = 6\n", "1: links.lora: sf is 6, which the SX1276 allows"),
    "a rate too slow for its window": ("[links.sik]\nair_rate = 2\n", "1: links.sik: air_rate is 2, but"),
    "payload 0": (
        "payloads = [0]\n[links.lora]\n",
        "2: links.lora.payloads: the payload is 0 bytes, but lora carries 1",
    ),
    "a payload below 0": ("payloads = [-5]\n[links.lora]\n", "1: payloads is -5, but it takes sizes in bytes, such as"),
    "a payload beyond the link": (
        "[links.gpio]\npayloads = [12]\n",
        "2: links.gpio.payloads: the payload is 12 bytes, but gpio carries 1 to 1",
    ),
    "a payload in words": ("payloads = ['12B']\n[links.lora]\n", '1: payloads is "12B", but it takes sizes in bytes'),
    "payloads without a list": ("payloads = 12\n[links.lora]\n", "1: payloads is 12, but it takes sizes in bytes"),
    "no payload": ("payloads = []\n[links.lora]\n", "1: payloads is an empty list, but it takes sizes in bytes"),
    "a payload twice": ("payloads = [12, 12]\n[links.lora]\n", "2: links.lora: there are two rows lora/12B"),
    "samples 0": ("samples = 0\n[links.lora]\n", "1: samples is 0, but it takes a whole number from 1 to"),
    "negative samples": (
        "[links.lora]\nsamples = -5\n",
        "2: links.lora.samples is -5, but it takes a whole number from 1",
    ),
    "samples in words": (
        "samples = 'many'\n[links.lora]\n",
        '1: samples is "many", but it takes a whole number from 1',
    ),
    "half a sample": ("samples = 1.5\n[links.lora]\n", "1: samples is 1.5, but it takes a whole number from 1"),
    "a negative seed": ("seed = -1\n[links.lora]\n", "1: seed is -1, but it takes a whole number from 0"),
    "a zero trigger interval": (
        "[links.lora]\ntrigger = { period = '0s' }\n",
        "2: links.lora.trigger.period is 0 s, but messages need time between them; give for example 250ms",
    ),
    "a trigger before time": (
        "trigger = { period = '-1s' }\n[links.lora]\n",
        "1: trigger.period is -1s, but time runs",
    ),
    "an interval without a unit": (
        "trigger = { period = 5 }\n[links.lora]\n",
        "1: trigger.period is 5, but it takes a text",
    ),
    "an unknown unit": (
        "trigger = { period = '5min' }\n[links.lora]\n",
        "1: trigger.period: `5min` has the unit `min`, but",
    ),
    "an unknown trigger": (
        "trigger = { kind = 'dithred' }\n[links.lora]\n",
        '1: trigger.kind is "dithred", but it is one of dithered, fixed, swept, poisson, locked, closed-loop; '
        "the nearest is dithered",
    ),
    "an unknown field of a trigger": (
        "trigger = { perod = '1s' }\n[links.lora]\n",
        "1: trigger.perod: there is no such field; the nearest is period",
    ),
    "a trigger in a word": ("trigger = 'fixed'\n[links.lora]\n", '1: trigger is "fixed", but it takes a table'),
    "locked to nothing": (
        "trigger = { kind = 'locked' }\n[links.lora]\n",
        "1: trigger.gate is missing: a locked trigger",
    ),
    "locked to a gate of another link": (
        "payloads = [12]\n[links.lora]\ntrigger = { kind = 'locked', gate = 'beacon' }\n",
        '3: links.lora.trigger.gate is "beacon", but the link has no such gate; it has chip clock',
    ),
    "a gate that nothing follows": (
        "[links.lora]\ntrigger = { kind = 'fixed', gate = 'chip clock' }\n",
        "2: links.lora.trigger.gate: a fixed trigger has none; beside its kind it has period",
    ),
    "a sweep that never moves": (
        "payloads = [12]\n[links.lora]\ntrigger = { kind = 'swept', by = '1ms', step = '5ms' }\n",
        "3: links.lora.trigger.step is 5 ms, but by is 1 ms, so the interval would never grow",
    ),
    "a run of years": (
        "samples = 100000\npayloads = [12]\n[links.lora]\ntrigger = { period = '1000000s' }\n",
        "3: links.lora.samples is 100000, but with up to 1000000 s for each the run would last longer than 96 days",
    ),
    "a duplicate key": ("samples = 5\nsamples = 6\n[links.lora]\n", "2: this is not TOML: duplicate key, at `samples`"),
    "a duplicate table": ("[links.lora]\n[links.lora]\n", "2: this is not TOML: duplicate key, at `lora`"),
    "an open bracket": ("seed = 1\n[links.lora\n", "2: this is not TOML: unclosed table, expected `]`"),
    "a value forgotten": ("samples =\n[links.lora]\n", "1: this is not TOML: "),
    "an empty file": ("", "1: links: a suite names at least one link, such as [links.lora]"),
    "a suite of comments": ("# later\n", "1: links: a suite names at least one link, such as [links.lora]"),
    "an unknown field": ("sampels = 5\n[links.lora]\n", "1: sampels: there is no such field; the nearest is samples"),
    "an unknown table": ("[link.lora]\n", "1: link: there is no such field; the nearest is links"),
    "a name without quotes' text": ("name = 5\n[links.lora]\n", "1: name is 5, but it takes a text in quotes"),
    "links in a list": ("links = ['lora']\n", "1: links is a list, but it takes a table, such as [links]"),
    "a link in a word": ("[links]\nlora = 'x'\n", '2: links.lora is "x", but it takes a table, such as [links.lora]'),
    "a published median of no row": (
        "payloads = [12]\n[links.lora]\nsf = [7, 9]\npublished = [{ sf = 8, median = '1 ms', source = 'x' }]\n",
        "4: links.lora.published[0].sf is 8, but no row of this entry has that; give one of 7, 9",
    ),
    "a published median of two rows": (
        "payloads = [12]\n[links.lora]\nsf = [7, 9]\npublished = [{ median = '1 ms', source = 'x' }]\n",
        "4: links.lora.published[0]: rows lora sf=7/12B and lora sf=9/12B are both meant; name sf as well",
    ),
    "a published median without a unit": (
        "payloads = [12]\n[links.lora]\npublished = [{ median = '1 m', source = 'x' }]\n",
        "3: links.lora.published[0].median: `1 m` has the unit `m`, but",
    ),
    "a published median twice": (
        "payloads = [12]\n[links.lora]\npublished = [{ median = '1 ms', source = 'x' },\n"
        "{ payload = 12, median = '2 ms', source = 'y' }]\n",
        "4: links.lora.published[1]: row lora/12B has a published median on line 3; keep one of both",
    ),
    "a line break in a name": (
        '[links."lo\\nra"]\n',
        "1: links.lo\\nra: there is no link lo\\nra; the nearest is lora",
    ),
}


@pytest.mark.parametrize(("text", "says"), SUITES.values(), ids=SUITES.keys())
def test_a_bad_suite_is_one_sentence_with_file_line_and_field(
    airwire: Airwire, tmp_path: Path, text: str, says: str
) -> None:
    result = airwire("run", write(tmp_path, text).name)
    assert f"airwire: suite.toml:{says}" in sentence(result)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("nowhere.toml", None, "nowhere.toml: cannot read this suite: No such file"),
        ("folder", None, "folder: is a folder, and no suite; name a TOML file"),
        ("latin.toml", "name = 'Tür'\n[links.lora]\n".encode("latin-1"), "latin.toml: cannot read this suite: "),
        ("picture.toml", bytes(range(256)), "picture.toml: cannot read this suite: "),
        ("nul.toml", b"[links.lora]\nsf = '7\x00'\n", "nul.toml:2: this is not TOML: "),
    ],
)
def test_a_file_that_is_no_suite_is_one_sentence(
    airwire: Airwire, tmp_path: Path, name: str, content: bytes | None, says: str
) -> None:
    (tmp_path / "folder").mkdir()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = airwire("run", name)
    assert f"airwire: {says}" in sentence(result)
    assert result.stderr.count("\n") == 1


COMMANDS = [
    (["run", "suite.toml", "--samples", "0"], "0 is not in the range 1<=x<=100000000"),
    (["run", "suite.toml", "--samples", "-3"], "-3 is not in the range 1<=x<=100000000"),
    (["run", "suite.toml", "--samples", "9" * 25], "is not in the range 1<=x<=100000000"),
    (["run", "suite.toml", "--samples", "x"], "'x' is not a valid int."),
    (["run", "suite.toml", "--samples", "100000000"], "lora sf=7/128B: samples is 100000000, but with up to"),
    (["run", "suite.toml", "--seed", "9" * 25], "is not in the range 0<=x<=9223372036854775807"),
    (["run", "suite.toml", "--workers", "9" * 25], "is not in the range 1<=x<=1024"),
    (["run", "suite.toml", "--only", "uart"], "suite quick has no entry uart; it has lora sf=7, lora sf=9"),
    (["run", "suite.toml", "--out", "suite.toml/run"], "suite.toml: cannot write it: "),
    (["link", "lorra"], "there is no link lorra; the nearest is lora"),
    (["link", "gpio", "--payload", "128"], "the payload is 128 bytes, but gpio carries 1 to 1"),
    (["link", "lora", "--payload", "0"], "the payload is 0 bytes, but lora carries 1 to"),
    (["link", "lora", "--payload", "70000"], "the payload is 70000 bytes, but lora carries 1 to"),
    (["link", "lora", "--payload", "-1"], "`-1` is out of range"),
    (["link", "lora", "--set", "sff=9"], "lora has no setting sff; the nearest is sf"),
    (["link", "lora", "--set", "sf=13"], "sf is 13, but it takes a whole number from 6 to 12"),
    (["link", "lora", "--set", "sf"], "write it as NAME=VALUE"),
    (["link", "lora", "--set", "sf=7\n8"], 'sf is "7\\n8", but it takes'),
    (["link", "uart", "--set", "baud=-9600"], "baud is -9600, but it takes 300 to"),
    (["link", "nrf52840-ble", "--set", "mtu=0"], "mtu is 0, but it takes 23 to 517 B"),
    (["link", "sik", "--set", "air_rate=2"], "has no room for a packet; use air_rate = 4 or more"),
    (["link", "nrf52840-ble", "--set", "connection_interval=2003.9ms"], "steps of 1.25 ms. Use 2.00375 s."),
    (["choose"], "give at least one of --p95, --p50 and --loss"),
    (["choose", "--p95", "20"], "the known units are"),
    (["choose", "--p95", "0s"], "p95 is bound to 0 s, but every message takes time"),
    (["choose", "--p50", "-5ms"], "p50 is bound to -5 ms, but every message takes time"),
    (["choose", "--loss", "120%"], "is no share"),
    (["choose", "--p95", "20ms", "--payload", "0"], "the payload is 0 bytes, but a message has 1 at least"),
    (["choose", "--p95", "20ms", "--link", "lorra"], "there is no link lorra; the nearest is lora"),
    (["choose", "--p95", "20ms", "--seed", "9" * 25], "is not in the range 0<=x<=9223372036854775807"),
    (["explain", "nowhere"], "nowhere is not there; give a run folder of airwire run, or a capture"),
    (["explain", "empty"], "empty: is no run folder: manifest.json: No such file"),
    (["explain", "suite.toml"], "name the link that it was made with"),
    (["explain", "suite.toml", "--link", "lora"], "its name does not say the payload; give --payload"),
    (["explain", "12B.vcd", "--link", "lora"], "12B.vcd"),
    (["explain", "12B.vcd", "--link", "lorra"], "there is no link lorra; the nearest is lora"),
    (["explain", "12B.vcd", "--link", "lora", "--set", "sff=9"], "lora has no setting sff; the nearest is sf"),
]


@pytest.mark.parametrize(("arguments", "says"), COMMANDS, ids=[" ".join(arguments)[:60] for arguments, _ in COMMANDS])
def test_a_mistake_on_the_command_line_is_one_sentence(
    airwire: Airwire, tmp_path: Path, arguments: list[str], says: str
) -> None:
    write(tmp_path, QUICK)
    (tmp_path / "empty").mkdir()
    (tmp_path / "12B.vcd").write_text("not a dump of value changes")
    assert says in sentence(airwire(*arguments))


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


def test_a_trigger_faster_than_the_link_is_called_so_and_every_message_still_arrives(
    airwire: Airwire, tmp_path: Path
) -> None:
    suite = write(tmp_path, OVERLOADED)
    shown = airwire("run", suite, "--out", "a").stdout
    assert "- lora: " in shown
    assert " of p95 waits behind earlier messages, overloaded: " in shown
    content = json.loads(airwire("run", suite, "--out", "b", "--json").stdout)
    (warning,) = content["warnings"]
    assert warning["row"] == "lora/128B"
    (line,) = (line for line in shown.splitlines() if line.startswith("- lora: "))
    assert warning["message"].startswith(f"{line.removeprefix('- lora: ')}. ")
    assert " messages deep." in warning["message"]
    assert next(row["value"] for row in content["rows"] if row["metric"] == "loss") == 0
    row = json.loads((tmp_path / "b" / "manifest.json").read_text())["rows"][0]
    assert row["samples"] == 60
    assert 50 <= row["longest_queue"] < 60


def test_a_lossy_link_that_is_overloaded_keeps_loss_and_queue_apart(airwire: Airwire, tmp_path: Path) -> None:
    suite = write(tmp_path, OVERLOADED + 'interference = "0.5 /s"\n')
    content = json.loads(airwire("run", suite, "--out", "run", "--samples", "300", "--json").stdout)
    assert [warning["row"] for warning in content["warnings"]] == ["lora/128B"]
    # Bursts of 0.5 a second on 1.19 s of air destroy 45 %, whether a message has waited or not.
    loss = next(row["value"] for row in content["rows"] if row["metric"] == "loss")
    assert loss == pytest.approx(0.45, abs=0.1)


def test_an_idle_link_is_not_warned_of(airwire: Airwire, tmp_path: Path) -> None:
    content = json.loads(airwire("run", write(tmp_path, QUICK), "--out", "run", "--json").stdout)
    assert content["warnings"] == []


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


SOON_DONE = """
[links.gpio]
samples = 200000
payloads = [1]

"""
# The first row's samples compress well; those of the second are as random as a link can be.
TWO_PARTS = """
samples = 140000

[links.gpio]
build = "stm32-ll-o3"
payloads = [1]

[links.esp32-wifi-udp]
payloads = [12]
"""


def run_with_files_up_to(limit_bytes: int, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """``airwire run`` on a system that refuses longer files, as a full disk would."""
    resource = pytest.importorskip("resource", reason="this system has no limits for processes")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    command = [sys.executable, "-m", "airwire.cli", "run", str(write(tmp_path, TWO_PARTS)), "--out", "run"]
    return subprocess.run(
        command, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_run_that_does_not_fit_on_the_disk_keeps_the_parts_before(airwire: Airwire, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    assert run_with_files_up_to(1 << 30, whole).returncode == 0
    sizes = [(whole / f"run/samples/part-0000{n}.parquet").stat().st_size for n in (0, 1)]
    assert sizes[0] < sizes[1]
    result = run_with_files_up_to(sum(sizes) // 2, tmp_path)
    assert "run/samples/part-00001.parquet: cannot write it: " in sentence(result)
    assert result.stderr.count("\n") == 1
    assert "gpio" in result.stdout
    assert not list((tmp_path / "run").rglob("*.partial"))
    kept = json.loads(airwire("explain", "run", "--changes", "0", "--json").stdout)["rows"]
    assert [row["row"] for row in kept] == ["gpio/1B"]
    assert kept[0]["waterfalls"]


def test_a_disk_without_any_room_is_one_sentence(tmp_path: Path) -> None:
    result = run_with_files_up_to(100, tmp_path)
    assert "run/manifest.json: cannot write it: " in sentence(result)
    assert result.stderr.count("\n") == 1


def test_ctrl_c_ends_a_run_with_130_and_what_is_kept_can_be_read(airwire: Airwire, tmp_path: Path) -> None:
    # One row that is soon finished and kept, and then those that outlast everybody's patience.
    suite = write(tmp_path, ENDLESS.replace("[links.lora]", SOON_DONE + "[links.lora]"))
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "run", suite, "--out", "run"],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = tmp_path / "run" / "samples" / "part-00000.parquet"
    deadline = time.monotonic() + 60
    while not first.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, (output, errors)
    assert errors.startswith("airwire: stopped by Ctrl-C; ")
    assert errors.count("\n") == 1
    assert "gpio" in output
    rows = json.loads(airwire("explain", "run", "--changes", "0", "--json").stdout)["rows"]
    assert rows[0]["row"] == "gpio/1B"
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["rows"][0]["samples"] == 200_000
