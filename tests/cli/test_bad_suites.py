"""Everything that a user can get wrong with suites and links: one sentence that says what, where and what
would be right, a documented exit code, and nothing of Python's own. What was finished before is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_suites import OVERLOADED, QUICK, write
from refusals import Airwire, sentence

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
    "a time in hours": (
        '[boards.b]\nlimit = "1h"\n',
        '2: boards.b.limit is "1h", but it takes a time of at most 86400 s, such as "60 s"; '
        "h is no unit of time here, but ps, ns, us, ms and s are",
    ),
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
