"""A MAC of PIO and DMA behind a PHY: frames cross RMII, and who reckons their check sequence decides the rate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airwire.board import Board

REPOSITORY = Path(__file__).resolve().parents[2]
BOARD = "pico-lan8720"
WIRE_MBIT_PER_S = 100 * 1460 / 1538
"""Payload of full segments: 1538 bytes on the wire with preamble, check sequence and gap."""


@pytest.fixture(scope="module")
def board_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The board with a PHY that needs no time to negotiate."""
    text = (REPOSITORY / "boards" / f"{BOARD}.toml").read_text(encoding="utf-8")
    file = tmp_path_factory.mktemp("board") / f"{BOARD}.toml"
    file.write_text(text.replace('kind = "lan8720"', 'kind = "lan8720"\nlink_up = "0 s"'), encoding="utf-8")
    return file


@pytest.mark.parametrize("crc", ["cpu", "dma"])
@pytest.mark.parametrize("system_mhz", [100, 150, 200, 250, 300])
def test_pings_of_every_alignment_come_back(firmware: Path, board_file: Path, crc: str, system_mhz: int) -> None:
    image = firmware / BOARD / f"raw_server-{crc}_flash.elf"
    pings = [f"p{size} kind=ping to=board count=2 interval=1ms size={size}B" for size in (0, 41, 42, 43, 1472)]
    board = Board(board_file, image, traffic=pings, record=False, settings={"system_hz": f"{system_mhz} MHz"})
    run = board.run("2 s", until_done=True)
    assert run.reason == "done", run.sentence + board.console
    for one in (one for one in run.traffic if one.client):
        assert all(sample["outcome"] == "ok" for sample in board.traffic.samples(one.name)), one.name
    assert not [note for note in run.notes if "PHY" in note]


def rate_of(firmware: Path, board_file: Path, image: str) -> float:
    """What the image says that it took in, in Mbit/s, at 150 MHz."""
    # Full segments in even number: the last one's acknowledgement does not wait for lwIP's timer.
    traffic = [f"bulk to=board:5001 send={100 * 1460}B"]
    board = Board(board_file, firmware / BOARD / f"{image}.elf", traffic=traffic, record=False)
    run = board.run("5 s", until="kbit/s")
    assert run.reason == "text", run.sentence + board.console
    found = re.search(r"(\d+) kbit/s", board.console)
    assert found, board.console
    return int(found[1]) / 1000


def test_with_the_sniffer_the_wire_is_the_limit_and_with_the_processor_it_is_not(
    firmware: Path, board_file: Path
) -> None:
    sniffer, processor = (rate_of(firmware, board_file, f"raw_server-{name}") for name in ("dma_sram", "cpu_sram-8k"))
    assert sniffer == pytest.approx(WIRE_MBIT_PER_S, rel=0.03)
    assert 40 < processor < 60


def test_a_ring_of_two_frames_and_a_half_overflows_where_the_processor_is_slower_than_the_wire(
    firmware: Path, board_file: Path
) -> None:
    whole, overflown = (rate_of(firmware, board_file, f"raw_server-{name}") for name in ("cpu_sram-8k", "cpu_sram"))
    assert overflown < whole / 4
