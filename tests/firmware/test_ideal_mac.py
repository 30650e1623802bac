"""The firmware's images on the board with an ideal MAC, built as ``make firmware`` builds them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from http_host import FIRMWARE

from airwire.board import Board, board_header

IMAGES = ("pingpong_client-lwip_raw", "sink-lwip_raw-default", "sink-lwip_raw-published")
ROUNDS = 1000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the images."""
    for tool in ("arm-none-eabi-gcc", "cmake", "ninja", "cargo"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not on this machine")
    folder = tmp_path_factory.mktemp("ideal-mac")
    (folder / "board.h").write_text(board_header("ideal-mac"), encoding="utf-8")
    toolchain = FIRMWARE / "cmake" / "arm-none-eabi.cmake"
    given = (f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DBOARD_DIR={folder}")
    for command in (
        ["cmake", "-S", FIRMWARE, "-B", folder / "build", "-G", "Ninja", "--log-level=WARNING", *given],
        ["cmake", "--build", folder / "build", "--target", *IMAGES],
    ):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build"


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
    # At least two frames of 60 bytes with preamble and check sequence at 100 Mbit/s. A W5500 at 33 MHz takes 149 us.
    assert 2 * 72 * 8 / 100 < microseconds < 120


def test_the_published_options_of_lwip_beat_its_defaults(built: Path) -> None:
    rates = []
    for name in ("default", "published"):
        console = console_of(built, f"sink-lwip_raw-{name}", "bulk to=board:9 time=1s", "kbit/s")
        rates.append(number(console, r"(\d+) kbit/s") / 1000)
    default, published = rates
    # 1460 of 1538 bytes on the wire are payload at the most.
    assert 30 < default < published < 100 * 1460 / 1538
