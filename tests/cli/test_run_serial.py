"""``airwire run`` with two boards on serial lines: one-way latency by edges, and ping-pong heard on the lines."""

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
from board_suites import run_rows, write

import airwire
from schemas import validate

Airwire = Callable[..., subprocess.CompletedProcess[str]]
Row = dict[str, Any]

SUITES = Path(__file__).resolve().parents[2] / "suites"
BAUDS = (115200, 921600)
BITS = 10
BYTES = 12
THERE = '[{ from = "board.GP4", to = "peer.GP5" }]'
BOTH = '[{ from = "board.GP4", to = "peer.GP5" }, { from = "peer.GP4", to = "board.GP5" }]'


def agents(name: str, baud: int, peer_baud: int | None = None, lines: str = THERE) -> str:
    """An entry of two one-way agents."""
    firmware = "w5500-evb-pico/oneway-hardware.elf"
    place = f'role = "receiver", transport = "uart", uart_baud = {peer_baud or baud}'
    return f"""
[boards.{name}]
firmware = "{firmware}"
settings = {{ transport = "uart", uart_baud = {baud} }}
peer = {{ firmware = "{firmware}", settings = {{ {place} }} }}
lines = {lines}
trigger = {{ pin = "GP2", done = "GP3", from = "3 s" }}
skip = 1
samples = 40
"""


PLAYERS = f"""
[boards.players]
firmware = "w5500-evb-pico/serial_pingpong-hardware.elf"
peer = {{ firmware = "w5500-evb-pico/serial_pingpong-hardware.elf", settings = {{ role = "answers" }} }}
lines = {BOTH}
skip = 9
samples = 35
limit = "20 s"
"""
ROWS = "".join(agents(f"at-{baud}", baud) for baud in BAUDS) + PLAYERS


@pytest.fixture(scope="module")
def run_folder(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Row]]:
    return run_rows(tmp_path_factory.mktemp("serial"), ROWS, firmware)


@pytest.fixture(scope="module")
def rows(run_folder: tuple[Path, dict[str, Row]]) -> dict[str, Row]:
    return run_folder[1]


def on_line_ps(characters: int, baud: int) -> float:
    return characters * BITS / baud * 1e12


@pytest.mark.parametrize("baud", BAUDS)
def test_a_message_takes_ten_bits_for_each_byte_and_the_firmware_at_both_ends(rows: dict[str, Row], baud: int) -> None:
    figure = rows[f"at-{baud}"]["figure"]
    assert (figure["n"], figure["unit"], figure["statistic"]) == (40, "ps", "median")
    # Measured: some 20 us, of which the divider's rounding is less than a microsecond.
    assert 0 < figure["value"] - on_line_ps(BYTES, baud) < 40e6


def test_a_round_of_ping_pong_takes_both_numbers_and_the_silence_that_ends_each(rows: dict[str, Row]) -> None:
    """Two digits and the end of a line are less than the FIFO's level of 4, so that a silence of 32 bits ends them."""
    characters, silence_ps = 2 * 3, 32 / 115200 * 1e12
    least = on_line_ps(characters, 115200) + 2 * silence_ps
    assert 0.999 < 1e12 / rows["players"]["figure"]["value"] / least < 1.03


def test_the_stages_of_a_message_fill_it_and_the_line_has_its_characters(
    run_folder: tuple[Path, dict[str, Row]],
) -> None:
    folder, rows = run_folder
    spans = pl.read_parquet(folder / "spans" / "*.parquet")
    length = (pl.col("end_ps") - pl.col("start_ps")).sum().alias("ps")
    totals = (
        spans.group_by("run", "index")
        .agg(length)
        .join(pl.read_parquet(folder / "samples" / "*.parquet"), on=["run", "index"])
    )
    assert set(totals["run"]) == set(rows) and totals["ps"].to_list() == totals["latency_ps"].to_list()
    for baud in BAUDS:
        own = spans.filter(pl.col("run") == f"at-{baud}").sort("index", "start_ps")
        line = own.filter(pl.col("cause") == "wire").group_by("index").agg(length, pl.col("bytes").sum())
        assert set(own.filter(pl.col("cause") == "wire")["subject"]) == {"characters"}
        assert set(line["bytes"]) == {BYTES}
        assert all(abs(ps / on_line_ps(BYTES, baud) - 1) < 0.002 for ps in line["ps"])
        for _, message in own.group_by("index"):
            assert set(message["site"]) == {"board", "wire", "peer"}
    assert "characters on the serial line" in rows["at-115200"]["verdict"]
    assert not (folder / "wire").exists() or not list((folder / "wire").glob("at-*"))


def test_the_manifest_names_the_lines(run_folder: tuple[Path, dict[str, Row]]) -> None:
    folder, _ = run_folder
    entries = {row["run"]: row for row in json.loads((folder / "manifest.json").read_text())["rows"]}
    assert entries["players"]["lines"] == ["board.GP4 to peer.GP5", "peer.GP4 to board.GP5"]
    row = next(row for row in airwire.load_run(folder).captures if row.path == "at-115200")
    assert isinstance(row.target, airwire.BoardRow)
    assert list(row.target.lines) == ["board.GP4 to peer.GP5"]


def test_rates_that_differ_bring_no_message(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    text = agents("apart", 115200, 57600).replace("samples = 40", 'limit = "3200 ms"')
    done = airwire("run", write(tmp_path, text), "--firmware", firmware, "--out", "run", "--json")
    row = json.loads(done.stdout)["boards"][0]
    assert done.returncode == 1 and row["figure"] is None
    assert "GP2 of the board rose, and GP3 of the peer never did" in row["problem"]


def test_lines_that_cannot_be_are_refused_with_the_nearest(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    good = agents("a", 115200)

    def with_line(start: str, end: str) -> str:
        return good.replace(THERE, f'[{{ from = "{start}", to = "{end}" }}]')

    peer = next(line for line in good.splitlines(keepends=True) if line.startswith("peer"))
    for text, sentence in [
        (with_line("bord.GP4", "peer.GP5"), 'such as "board.GP4"; the nearest is board.GP4'),
        (with_line("GP4", "peer.GP5"), "it begins with board. or peer."),
        (with_line("board.GP4", "board.GP5"), "has both ends on one board"),
        (with_line("board.GP44", "peer.GP5"), "board w5500-evb-pico has no pin GP44"),
        (with_line("board.W5500 CS", "peer.GP5"), "has no pin W5500 CS; the nearest is W5500 CSn"),
        (with_line("board.W5500 CSn", "peer.GP5"), "board.W5500 CSn is a pin of W5500 on board w5500-evb-pico"),
        (with_line("board.GP4", "peer.GP4"), "peer.GP4 is no receiving pin of a UART"),
        (with_line("peer.GP4", "board.GP5"), "no line goes from the board to the peer"),
        (good.replace("to = ", "two = "), "lines.two: there is no such field; the nearest is to"),
        (good.replace(', to = "peer.GP5"', ""), "to is missing, such as to = \"peer.GP5\""),
        (good.replace(THERE, "[]"), "lines has 0 lines, but it takes 1 to 16"),
        (good.replace(THERE, '"GP4"'), "it takes a list, such as"),
        (good.replace(peer, ""), "lines: they are given, but there is no peer at their other end"),
        (good.replace('transport = "uart"', 'transport = "tcp"', 1), "between the two boards are serial lines alone"),
        (good.replace('"receiver"', '"sender"'), "role is sender, but this board is the receiver here"),
        (PLAYERS.replace(BOTH, THERE), "no line goes back from the peer, which is to answer"),
        (PLAYERS.replace('"answers"', '"asks"'), "role is asks, but this board answers here"),
    ]:  # fmt: skip
        done = airwire("run", write(tmp_path, text), "--firmware", firmware, "--out", "run")
        assert done.returncode == 2, (text, done.stdout, done.stderr)
        assert sentence in done.stderr and done.stderr.count("\n") == 1, (sentence, done.stderr)
        assert "suite.toml:" in done.stderr and not (tmp_path / "run").exists()


def test_lines_are_one_thing_that_rows_may_differ_in(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    text = PLAYERS + '[boards.others]\nsame_but = "players"\nlines = [{ from = "board.4", to = "peer.9" }]\n'
    done = airwire("run", write(tmp_path, text), "--firmware", firmware, "--out", "run")
    assert done.returncode == 2 and "no line goes back" in done.stderr, "the comparison itself is right"
    twice = PLAYERS + f'[boards.others]\nsame_but = "players"\nlines = {BOTH}\n'
    done = airwire("run", write(tmp_path, twice), "--firmware", firmware, "--out", "run")
    assert done.returncode == 2 and "it is the same as players" in done.stderr


def test_editors_check_lines_by_the_schema(airwire: Airwire) -> None:
    schema = json.loads(airwire("schema", "suite").stdout)
    for text in (ROWS, (SUITES / "serial.toml").read_text()):
        validate(tomllib.loads(text), schema)
    with pytest.raises(jsonschema.ValidationError):
        validate(tomllib.loads(ROWS.replace("to = ", "two = ")), schema)
