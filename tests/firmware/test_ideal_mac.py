"""The firmware's images on the board with an ideal MAC, built as ``make firmware`` builds them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airwire.board import Board

ROUNDS = 1000


@pytest.fixture(scope="module")
def built(firmware: Path) -> Path:
    """The folder of the images."""
    return firmware / "ideal-mac"


def console_of(built: Path, image: str, traffic: str, until: str) -> str:
    """What an image says until it has said ``until``."""
    board = Board("ideal-mac", built / f"{image}.elf", traffic=[traffic])
    run = board.run("30 s", until=until)
    assert run.reason == "text", run.sentence + board.console
    return board.console


def number(console: str, pattern: str) -> int:
    found = re.search(pattern, console)
    assert found, console
    return int(found[1])


def test_ping_pong_is_as_fast_as_the_stack_alone(built: Path) -> None:
    console = console_of(built, "pingpong_client-lwip_raw", "pingpong-server port=5000", "done\n")
    assert "ideal MAC\n" in console
    assert number(console, r"messages (\d+)") == ROUNDS
    microseconds = number(console, r"microseconds in all (\d+)") / ROUNDS
    # Two frames of 60 bytes with preamble and check sequence at 100 Mbit/s are the least; a W5500 at 33 MHz takes
    # 149 us, of which its SPI is half.
    assert 2 * 72 * 8 / 100 < microseconds < 120


def test_the_published_options_of_lwip_beat_its_defaults(built: Path) -> None:
    rates = []
    # Full segments of either size in even number: the last one's acknowledgement does not wait for lwIP's timer.
    traffic = f"bulk to=board:9 send={7 * 2 * 536 * 1460}B"
    for name in ("default", "published"):
        console = console_of(built, f"sink-lwip_raw-{name}", traffic, "kbit/s")
        rates.append(number(console, r"(\d+) kbit/s") / 1000)
    default, published = rates
    # 1460 of 1538 bytes on the wire are payload at the most.
    assert 30 < default < published < 100 * 1460 / 1538
