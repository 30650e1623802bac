"""``airwire run`` with two boards back to back: figures, shares, run folder, workers, and what cannot be played."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from board_suites import write

from schemas import validate

Airwire = Callable[..., subprocess.CompletedProcess[str]]

CLIENT = "w5500-evb-pico/pingpong_client-hardware.elf"
ON_LWIP = "w5500-evb-pico/pingpong_client-lwip_raw.elf"
SERVER = "w5500-evb-pico/pingpong_server-hardware.elf"
PLACE = 'address = "192.168.1.1", mac_last = 1'

# A board with the PC on either side gives each board's turn; the PC's own time is known.
ROWS = f"""
[boards.client]
firmware = "{CLIENT}"
skip = 1
samples = 300
limit = "10 s"
[boards.server]
firmware = "w5500-evb-pico/pingpong_server-hardware.elf"
traffic = ["pingpong to=board:5000 rounds=301"]
skip = 1
samples = 300
[boards.two]
same_but = "client"
peer = {{ firmware = "{SERVER}", settings = {{ {PLACE} }} }}
[boards.slow-peer]
same_but = "two"
peer = {{ settings = {{ spi_hz = "2 MHz" }} }}
"""


def run(airwire: Airwire, folder: Path, firmware: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    return airwire("run", write(folder, text), "--firmware", firmware, "--out", "run", *options)


def rows_of(done: subprocess.CompletedProcess[str], code: int = 0) -> dict[str, dict[str, Any]]:
    assert done.returncode == code, done.stderr
    return {row["row"]: row for row in json.loads(done.stdout)["boards"]}


@pytest.fixture
def rows(airwire: Airwire, firmware: Path, tmp_path: Path) -> dict[str, dict[str, Any]]:
    return rows_of(run(airwire, tmp_path, firmware, ROWS, "--json"))


def test_two_boards_play_and_each_part_of_a_message_has_its_owner(
    rows: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    two, slow = rows["two"], rows["slow-peer"]
    assert (two["figure"]["n"], two["figure"]["unit"], two["problem"]) == (300, "messages/s", None)
    assert two["peer"]["firmware"] == SERVER and two["peer"]["settings"]["address"] == "192.168.1.1"
    assert f"With peer {SERVER} instead of the PC" in two["verdict"]
    assert "the board's, " in two["verdict"] and "the wire's and " in two["verdict"]
    assert "the PC" not in two["verdict"].partition("With peer")[0]
    assert "is SPI at 1.96 MHz (the peer): raise SCK to 33.3 MHz; " in slow["verdict"]
    assert slow["same_but"]["what"] == "peer.spi_hz" and slow["figure"]["value"] < two["figure"]["value"] / 2

    samples = pl.read_parquet(tmp_path / "run" / "samples" / "*.parquet").filter(pl.col("run") == "two")
    assert samples.height == 300 and set(samples["outcome"]) == {"paired"}
    assert samples["trigger_ps"].to_list()[1:] == samples["done_ps"].to_list()[:-1], "rounds follow each other"
    spans = pl.read_parquet(tmp_path / "run" / "spans" / "*.parquet").filter(pl.col("run") == "two")
    length = (pl.col("end_ps") - pl.col("start_ps")).alias("ps")
    totals = spans.group_by("index").agg(length.sum()).join(samples, on="index")
    assert totals.height >= 10 and totals["ps"].to_list() == totals["latency_ps"].to_list()
    peers = spans.filter(pl.col("site") == "peer")
    assert {"bus", "cpu"} <= set(peers["cause"]) and "wire" not in set(peers["cause"])
    # A number there and its answer back: 72 bytes each with preamble and check sequence, at 100 Mbit/s (IEEE 802.3).
    wire = spans.filter(pl.col("cause") == "wire").group_by("index").agg(length.sum())
    assert set(wire["ps"]) == {2 * 72 * 8 * 10_000}
    unexplained = spans.filter(pl.col("cause") == "empirical").select(length.sum()).item()
    assert unexplained < 0.01 * spans.select(length.sum()).item()
    assert b"message " in (tmp_path / "run" / "wire" / "two.pcapng").read_bytes()


def test_the_result_does_not_depend_on_workers(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    text = ROWS.replace("samples = 300", "samples = 60").replace("rounds=301", "rounds=61")
    suite = write(tmp_path, text)
    for workers in ("1", "2", "8"):
        done = airwire("run", suite, "--firmware", firmware, "--out", f"w{workers}", "--workers", workers)
        assert done.returncode == 0, done.stderr
    for name in ("manifest.json", "samples/part-00000.parquet", "spans/part-00000.parquet", "wire/two.pcapng"):
        found = {(tmp_path / f"w{workers}" / name).read_bytes() for workers in (1, 2, 8)}
        assert len(found) == 1, name


def test_what_cannot_play_is_one_sentence_with_its_line(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    def peer(fields: str, more: str = "") -> str:
        return f'[boards.a]\nfirmware = "{CLIENT}"\npeer = {{ {fields} }}\n{more}'

    good = f'firmware = "{SERVER}", settings = {{ {PLACE} }}'
    for text, sentence in [
        (peer('firmware = "none.elf"'), "suite.toml:1: boards.a.peer.firmware: none.elf is not in "),
        (peer(f'firmware = "{SERVER}", settings = {{ spi_hzz = 1 }}'), "boards.a.peer.settings: "),
        (peer(f'firmware = "{SERVER}", settings = {{ spi_hzz = 1 }}'), "has no setting spi_hzz; the nearest is spi_hz"),
        (
            peer(f"{good}, bord = 'pico'"),
            "suite.toml:3: boards.a.peer.bord: there is no such field; the nearest is board",
        ),
        (peer(f"{good}, board = 'pico'"), "boards.a.peer.board: board pico has no chip with Ethernet"),
        (peer(f'firmware = "{CLIENT}", settings = {{ {PLACE} }}'), "cannot play the peer: it calls a server itself"),
        (
            peer(f'firmware = "w5500-evb-pico/ping-lwip_raw.elf", settings = {{ {PLACE} }}'),
            "cannot play the peer: it has no setting port",
        ),
        (
            f'[boards.a]\nfirmware = "w5500-evb-pico/ping-lwip_raw.elf"\npeer = {{ {good} }}\n',
            "boards.a.firmware: w5500-evb-pico/ping-lwip_raw.elf cannot play with a peer",
        ),
        (
            peer(f'firmware = "{SERVER}"'),
            "boards.a.peer.settings: address is 192.168.1.50, but the board calls 192.168.1.1 (its setting server); "
            'set address = "192.168.1.1"',
        ),
        (
            peer(f'firmware = "{SERVER}"', 'settings = { server = "192.168.1.50" }\n'),
            "both boards have address 192.168.1.50; give the peer another",
        ),
        (
            peer(f'firmware = "{SERVER}", settings = {{ address = "192.168.1.1" }}'),
            "both boards have mac_last 80; give the peer another, such as mac_last = 1",
        ),
        (
            peer(f'firmware = "{SERVER}", settings = {{ {PLACE}, port = 7 }}'),
            "boards.a.peer.settings: port is 7, but the board calls 5000",
        ),
        (
            peer(good, 'settings = { dhcp = "on" }\n').replace(CLIENT, ON_LWIP),
            "boards.a.settings: dhcp is on, but nobody between two boards",
        ),
        (peer(good, 'settings = { dhcp = "on" }\n'), "pingpong_client-hardware.elf has no setting dhcp"),
        (
            peer(good, 'network = { cable = { impair = "loss=1%" } }\n'),
            "boards.a.network: between two boards is a plain",
        ),
        (peer(good, 'traffic = ["ping to=board"]\n'), "suite.toml:4: boards.a.traffic: with a peer there is no PC"),
        (peer(good, 'measure = "bulk"\n'), 'suite.toml:4: boards.a.measure: it is "bulk", but two boards play'),
    ]:
        done = run(airwire, tmp_path, firmware, text)
        assert done.returncode == 2, (text, done.stdout, done.stderr)
        assert sentence in done.stderr and done.stderr.count("\n") == 1, (text, done.stderr)
        assert not (tmp_path / "run").exists(), "nothing is written before all rows are known to be right"


def test_boards_that_do_not_meet_in_time_have_no_figure(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    text = f"""
[boards.short]
firmware = "{CLIENT}"
limit = "10 ms"
peer = {{ firmware = "{SERVER}", settings = {{ {PLACE} }} }}
"""
    row = rows_of(run(airwire, tmp_path, firmware, text, "--json"), code=1)["short"]
    assert row["figure"] is None
    assert row["problem"].startswith("peer measured no message: the board did not call the peer (")


def test_a_peer_that_listens_and_answers_nothing_is_told(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    text = f"""
[boards.mute]
firmware = "{CLIENT}"
settings = {{ server_port = 5001 }}
limit = "5 s"
peer = {{ firmware = "w5500-evb-pico/iperf-hardware.elf", settings = {{ {PLACE} }} }}
"""
    row = rows_of(run(airwire, tmp_path, firmware, text, "--json"), code=1)["mute"]
    assert row["figure"] is None and row["causes"] == []
    assert row["problem"].startswith("peer measured no message: the peer answered nothing (")


def test_editors_check_peers_by_the_schema(airwire: Airwire) -> None:
    schema = json.loads(airwire("schema", "suite").stdout)
    validate(tomllib.loads(ROWS), schema)
    for text in ("[boards.a]\npeer = 'x.elf'\n", "[boards.a]\npeer = { firmwere = 'x' }\n"):
        with pytest.raises(jsonschema.ValidationError):
            validate(tomllib.loads(text), schema)
