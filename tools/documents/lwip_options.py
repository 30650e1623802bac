"""Writes the table of docs/explanation/lwip-options.md: TCP throughput by lwIP's options, on virtual boards.

    make firmware && python tools/documents/lwip_options.py

Builds an image for each option alone and for each option left out (firmware/option_shares.cmake) into build/options,
which takes minutes, and runs the firmware's sink for 10 s of virtual time on each.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from airwire.board import Board, board_header

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "explanation" / "lwip-options.md"
TABLE = re.compile(r"(<!-- options -->\n).*?(<!-- end of options -->)", re.DOTALL)
BUILD = REPOSITORY / "build" / "options"
OTHERS = ("MEM_SIZE", "MEMP_NUM_PBUF", "MEMP_NUM_TCP_SEG", "PBUF_POOL_SIZE", "TCP_SND_BUF")
ROWS = {
    "defaults": ["default"],
    "defaults with `TCP_MSS` 1460": ["with-TCP_MSS"],
    "defaults with `TCP_WND` of 11 segments": ["with-TCP_WND"],
    "defaults with any other option as published": [f"with-{option}" for option in OTHERS],
    "published, but `TCP_MSS` 536": ["without-TCP_MSS"],
    "published, but `TCP_WND` of 4 segments": ["without-TCP_WND"],
    "published, but any other option by default": [f"without-{option}" for option in OTHERS],
    "published": ["published"],
}


@dataclass(frozen=True)
class Setup:
    """A column of the table."""

    title: str
    board: str
    transport: str
    impair: str | None = None


SETUPS = (
    Setup("ideal MAC, raw", "ideal-mac", "lwip_raw"),
    Setup("ideal MAC, sockets", "ideal-mac", "lwip_sockets"),
    Setup("the same 0.5 ms away, raw", "ideal-mac", "lwip_raw", "delay=0.5ms"),
    Setup("sockets", "ideal-mac", "lwip_sockets", "delay=0.5ms"),
    Setup("W5500, raw", "w5500-evb-pico", "lwip_raw"),
    Setup("W5500, sockets", "w5500-evb-pico", "lwip_sockets"),
)


def build(board: str) -> None:
    """The images of a board, as ``make firmware`` builds its own."""
    folder = BUILD / board
    (folder / "generated").mkdir(parents=True, exist_ok=True)
    (folder / "generated" / "board.h").write_text(board_header(board), encoding="utf-8")
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    configure = ["cmake", "-S", str(REPOSITORY / "firmware"), "-B", str(folder), "-G", "Ninja"]
    configure += ["-DCMAKE_TOOLCHAIN_FILE=cmake/arm-none-eabi.cmake", f"-DBOARD_DIR={folder / 'generated'}"]
    sinks = [f"sink-{way}-{options}" for way in ("lwip_raw", "lwip_sockets") for options in ("default", "published")]
    subprocess.run(configure, env=tools, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "--target", "option_shares", *sinks], env=tools, check=True)


def rate(folder: Path, setup: Setup, options: str, time: str = "10s") -> float:
    """What the sink says that it received, in Mbit/s."""
    image = folder / f"sink-{setup.transport}-{options}.elf"
    board = Board(setup.board, image, record=False, traffic=[f"bulk to=board:9 time={time}"], impair=setup.impair)
    board.run("40 s", until="kbit/s")
    found = re.search(r"(\d+) kbit/s", board.console)
    assert found, f"{image}: {board.console}"
    return int(found[1]) / 1000


def cell(setup: Setup, images: list[str]) -> str:
    """The figure of all images of a row, or their range."""
    rates = sorted({f"{rate(BUILD / setup.board, setup, options):.1f}" for options in images}, key=float)
    return " to ".join(dict.fromkeys((rates[0], rates[-1])))


def main() -> None:
    """Write the table."""
    for board in dict.fromkeys(setup.board for setup in SETUPS):
        build(board)
    with ThreadPoolExecutor() as pool:
        found = {(row, s): pool.submit(cell, s, images) for row, images in ROWS.items() for s in SETUPS}
        lines = [f"| settings | {' | '.join(setup.title for setup in SETUPS)} |", "|---|" + "--:|" * len(SETUPS)]
        for row in ROWS:
            print(row, flush=True)
            lines.append(f"| {row} | {' | '.join(found[row, setup].result() for setup in SETUPS)} |")
    table = "\n".join(lines)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda match: f"{match[1]}{table}\n{match[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    main()
