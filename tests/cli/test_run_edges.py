"""``airwire run`` with messages that are edges: from the trigger pin of one board to the done pin of another."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from board_suites import run_rows, write

from schemas import validate

Airwire = Callable[..., subprocess.CompletedProcess[str]]
Row = dict[str, Any]

SIZES = (12, 128, 1024)
# A byte crosses SPI twice, at 33.25 MHz, and the wire once, at 100 Mbit/s.
BYTE_ON_TWO_BUSES_AND_THE_WIRE_PS = 2 * 8 / 33.25e6 * 1e12 + 80e3
POLL_PS = 5e9


def agents(name: str, image: str, transport: str, more: str = "", peer: str = "", trigger: str = "") -> str:
    """An entry of two one-way agents."""
    firmware = f"w5500-evb-pico/oneway-{image}.elf"
    place = f'role = "receiver", transport = "{transport}", address = "192.168.1.1", mac_last = 1'
    return f"""
[boards.{name}]
firmware = "{firmware}"
settings = {{ transport = "{transport}"{more} }}
peer = {{ firmware = "{firmware}", settings = {{ {place}{peer} }} }}
trigger = {{ pin = "GP2", done = 3{trigger} }}
skip = 1
samples = 60
"""


LENGTHS = f", payload_bytes = [{', '.join(map(str, SIZES))}]"
POLLED = ", wiznet_int = false, wiznet_poll_us = 5000, wiznet_poll_raster = true"
ROWS = "".join(
    (
        agents("tcp", "hardware", "tcp", LENGTHS),
        agents("udp", "lwip_raw", "udp", LENGTHS),
        agents("sockets", "lwip_sockets", "udp", LENGTHS),
        agents("polled", "lwip_raw", "udp", peer=POLLED),
        agents("slow", "hardware", "tcp", ', spi_hz = "1 MHz", payload_bytes = 1024'),
    )
)


@pytest.fixture(scope="module")
def run_folder(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Row]]:
    return run_rows(tmp_path_factory.mktemp("edges"), ROWS, firmware)


@pytest.fixture(scope="module")
def rows(run_folder: tuple[Path, dict[str, Row]]) -> dict[str, Row]:
    return run_folder[1]


def samples(folder: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(folder / "samples" / "*.parquet").filter(pl.col("run") == name)


@pytest.mark.parametrize("entry", ["tcp", "udp", "sockets"])
def test_the_latency_grows_by_two_buses_and_the_wire(rows: dict[str, Row], entry: str) -> None:
    found = [rows[f"{entry} payload_bytes={size}"]["figure"] for size in SIZES]
    assert [(one["n"], one["unit"], one["statistic"]) for one in found] == [(60, "ps", "median")] * 3
    for (small, large), (before, after) in zip(pairwise(SIZES), pairwise(found), strict=True):
        least = (large - small) * BYTE_ON_TWO_BUSES_AND_THE_WIRE_PS
        assert least <= after["value"] - before["value"] <= 2 * least, (entry, small, large)


def test_nothing_but_the_message_is_in_its_latency(run_folder: tuple[Path, dict[str, Row]]) -> None:
    """An agent that printed while messages come would show here."""
    folder, rows = run_folder
    for name in (name for name in rows if "payload_bytes" in name):
        latencies = samples(folder, name)["latency_ps"]
        assert latencies.max() - latencies.min() < 60e6, name  # type: ignore[operator]


def test_every_trigger_has_its_done_edge_and_the_distances_vary(run_folder: tuple[Path, dict[str, Row]]) -> None:
    folder, rows = run_folder
    found = samples(folder, "udp payload_bytes=128")
    assert found.height == 60 and set(found["outcome"]) == {"paired"} and set(found["payload_bytes"]) == {128}
    assert set(found["traffic"]) == {"one-way"}
    apart = found["trigger_ps"].diff().drop_nulls()
    assert apart.min() >= 20e9 and apart.max() < 30e9 and apart.n_unique() > 50  # type: ignore[operator]
    manifest = json.loads((folder / "manifest.json").read_text())
    row = next(row for row in manifest["rows"] if row["run"] == "udp payload_bytes=128")
    assert row["trigger"] == "GP2 to 3, every 20 ms plus up to 10 ms at random, from 5 s on"
    assert row["payload_bytes"] == 128 and rows["udp payload_bytes=128"]["trigger"] == row["trigger"]


def test_the_stages_of_a_message_fill_it_and_each_has_its_owner(run_folder: tuple[Path, dict[str, Row]]) -> None:
    folder, rows = run_folder
    spans = pl.read_parquet(folder / "spans" / "*.parquet")
    length = (pl.col("end_ps") - pl.col("start_ps")).sum().alias("ps")
    totals = (
        spans.group_by("run", "index")
        .agg(length)
        .join(pl.read_parquet(folder / "samples" / "*.parquet"), on=["run", "index"])
    )
    assert set(totals["run"]) == set(rows) and totals["ps"].to_list() == totals["latency_ps"].to_list()
    unexplained = spans.filter(pl.col("cause") == "empirical").select(length).item() or 0
    assert unexplained < 0.01 * spans.select(length).item()
    own = spans.filter(pl.col("run") == "udp payload_bytes=1024").sort("index", "start_ps")
    # 1024 bytes and 28 of IPv4 and UDP, 14 of Ethernet, 12 of preamble and check sequence (IEEE 802.3).
    wire = own.filter(pl.col("cause") == "wire").group_by("index").agg(length)
    assert set(wire["ps"]) == {(1024 + 28 + 14 + 12) * 8 * 10_000}
    for _, message in own.group_by("index"):
        at_peer = (message["site"] == "peer").to_list()
        wire_at = message["cause"].to_list().index("wire")
        assert not any(at_peer[: wire_at + 1]) and all(at_peer[wire_at + 1 :]), "the board, the wire, then the peer"


def test_a_receiver_that_polls_is_named_with_its_period(run_folder: tuple[Path, dict[str, Row]]) -> None:
    folder, rows = run_folder
    verdict = rows["polled"]["verdict"]
    assert "waits for a poll every 5 ms (the peer): wire the INT pin" in verdict
    # Triggers meet its raster at every phase: the wait is anything from nothing to the period.
    found = samples(folder, "polled")["latency_ps"]
    quick = rows["udp payload_bytes=12"]["figure"]["value"]
    assert found.median() - quick == pytest.approx(POLL_PS / 2, rel=0.3)
    assert found.max() - found.min() == pytest.approx(POLL_PS, rel=0.1)  # type: ignore[operator]


def test_a_slow_bus_is_named_at_the_board_that_has_it(rows: dict[str, Row]) -> None:
    assert "is SPI at 993 kHz: raise SCK to 33.3 MHz; " in rows["slow"]["verdict"]
    assert rows["slow"]["causes"][0]["ps"] > 1024 * 8 / 993e3 * 1e12


def test_the_first_message_finds_caches_empty(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    text = agents("all", "lwip_raw", "udp").replace("skip = 1\nsamples = 60", "samples = 20")
    assert airwire("run", write(tmp_path, text), "--firmware", firmware, "--out", "run").returncode == 0
    found = samples(tmp_path / "run", "all").sort("index")["latency_ps"].to_list()
    assert found[0] > 2 * max(found[1:])


def test_the_result_does_not_depend_on_workers(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    suite = write(tmp_path, agents("tcp", "lwip_raw", "tcp", LENGTHS).replace("samples = 60", "samples = 20"))
    for workers in ("1", "3"):
        done = airwire("run", suite, "--firmware", firmware, "--out", f"w{workers}", "--workers", workers)
        assert done.returncode == 0, done.stderr
    for name in ("manifest.json", "samples/part-00000.parquet", "spans/part-00000.parquet"):
        assert len({(tmp_path / f"w{workers}" / name).read_bytes() for workers in (1, 3)}) == 1, name


def test_messages_that_come_too_soon_are_missed_with_the_reason(
    airwire: Airwire, firmware: Path, tmp_path: Path
) -> None:
    """The agent's done pin is high for 1 to 2 ms."""
    text = agents("fast", "hardware", "udp", trigger=', period = "1 ms", by = "2 ms"')
    done = airwire("run", write(tmp_path, text), "--firmware", firmware, "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    found = samples(tmp_path / "run", "fast")
    assert 0 < found.filter(pl.col("outcome") == "missed").height < found.height
    assert "was high from the message before; give trigger.period a longer time" in found["error"].drop_nulls()[0]
    never = text.replace('by = "2 ms"', 'by = "0 s"')
    done = airwire("run", write(tmp_path, never), "--firmware", firmware, "--out", "never", "--json")
    assert done.returncode == 1
    assert "GP3 was high from the message before" in json.loads(done.stdout)["boards"][0]["problem"]


def test_what_cannot_be_is_one_sentence_with_its_line(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    good = agents("a", "hardware", "tcp")
    without_peer = "\n".join(line for line in good.splitlines() if not line.startswith("peer"))
    for text, sentence in [
        (without_peer, "boards.a.trigger: it is given, but there is no peer"),
        (good.replace('pin = "GP2", ', ""), 'boards.a.trigger: pin is missing, such as pin = "GP2"'),
        (good.replace('"GP2"', '"GP77"'), "boards.a.trigger.pin: board w5500-evb-pico has no pin GP77"),
        (good.replace('"GP2"', "true"), "boards.a.trigger.pin: board w5500-evb-pico has no pin true"),
        (good.replace('"GP2"', "[2]"), "boards.a.trigger.pin is a list, but it takes a pin"),
        (good.replace("done = 3", "dome = 3"), "boards.a.trigger.dome: there is no such field; the nearest is done"),
        (good.replace("done = 3", "done = 4"), "done_pin is 3, but trigger names GP4 of this board"),
        (good.replace("done = 3", 'done = 3, period = "1 us"'), 'trigger.period is "1 us", but it takes a time from'),
        (good.replace("done = 3", 'done = 3, from = "10 s"'), "the first edge is at 10 s, and the row ends at 10 s"),
        (good + 'measure = "messages"\n', 'it is "messages", but edges tell a latency; leave measure out'),
        (good.replace('role = "receiver"', 'role = "sender"'), "role is sender, but this board is the receiver here"),
        (good.replace('"tcp"', '"udp"', 1), "transport is tcp, but the board has udp; set both to one"),
        (good.replace('"tcp"', '"uart"'), "transport is uart, but between the two boards of a row is an Ethernet wire"),
        (good.replace('"192.168.1.1"', '"192.168.1.9"'), "the board calls 192.168.1.1 (its setting peer)"),
    ]:
        done = airwire("run", write(tmp_path, text), "--firmware", firmware, "--out", "run")
        assert done.returncode == 2, (text, done.stdout, done.stderr)
        assert sentence in done.stderr and done.stderr.count("\n") == 1, (text, done.stderr)
        assert "suite.toml:" in done.stderr and not (tmp_path / "run").exists()


def test_a_receiver_that_never_raises_its_pin_is_told(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    # An image of another kind, which listens to nobody on that port.
    text = agents("deaf", "hardware", "udp").replace("samples = 60", 'limit = "6 s"')
    text = text.replace('peer = { firmware = "w5500-evb-pico/oneway', 'peer = { firmware = "w5500-evb-pico/streams')
    text = text.replace('role = "receiver", transport = "udp", ', "")
    done = airwire("run", write(tmp_path, text), "--firmware", firmware, "--out", "run", "--json")
    row = json.loads(done.stdout)["boards"][0]
    assert done.returncode == 1 and row["figure"] is None
    assert "GP2 of the board rose, and GP3 of the peer never did" in row["problem"]


def test_editors_check_triggers_by_the_schema(airwire: Airwire) -> None:
    schema = json.loads(airwire("schema", "suite").stdout)
    validate(tomllib.loads(ROWS), schema)
    with pytest.raises(jsonschema.ValidationError):
        validate(tomllib.loads("[boards.a]\ntrigger = { pim = 2 }\n"), schema)
