"""Boards on a network: what chip, wire and PC cost beside the bare board, and ping-pong and bulk against real time."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
ROUNDS = 3
"""Each image, its title and what does the like on a bare board: for ping-pong the same driver, which asks for a
chip that is not there, for bulk SPI and DMA that nobody listens to."""
PARTS = {
    "wiznet_pingpong_2mhz": ("ping-pong, polled, 2 MHz", "wiznet_pingpong_2mhz"),
    "wiznet_pingpong": ("ping-pong, polled, 33 MHz", "wiznet_pingpong"),
    "wiznet_pingpong_int_2mhz": ("ping-pong, INTn, 2 MHz", "wiznet_pingpong_2mhz"),
    "wiznet_pingpong_int": ("ping-pong, INTn, 33 MHz", "wiznet_pingpong"),
    "wiznet_bulk": ("bulk, 4 MiB each way, DMA, 33 MHz", "spi_dma_long"),
    "wiznet_bulk_sleep": ("the same, asleep during DMA", "spi_dma_long"),
}
"""On a bare board: how long a run is before and while it is timed, and what the image prints before that. The drivers
ask for 200 ms."""
BARE = {
    "wiznet_pingpong_2mhz": ("2 ms", "150 ms", ""),
    "wiznet_pingpong": ("2 ms", "150 ms", ""),
    "spi_dma_long": ("30 s", "700 ms", "run.\n"),
}
"""What is timed: with a chip from the link's being up to the end of the image, as the wait for the link would flatter
it."""
TIMED_RUN = """
import json, sys, time
from airwire.board import Board
board, image, before, start, length, until = sys.argv[1:]
board = Board(board, image, record=False)
board.run(before, until=start or None)
began_ps, began_s = board.time_ps, time.process_time()
ended = board.run(length, until=until or None)
cpu_s = time.process_time() - began_s
assert ended.reason == ("text" if until else "time"), board.console
print(json.dumps({"cpu_s": cpu_s, "virtual_s": (board.time_ps - began_ps) / 1e12}))
"""


def timed(board: str, image: Path, *run: str) -> tuple[float, float]:
    """Virtual seconds, and those of the processor that they took, of a run in a process of its own."""
    command = [sys.executable, "-c", TIMED_RUN, board, str(image), *run]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told["virtual_s"], told["cpu_s"]


def run_network() -> list[str]:
    """Rows of Markdown: each image's speed against real time, and against the bare board with SPI and DMA busy."""
    rows = ["| image | virtual | of real time | bare board | of the bare board |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        images = build(Path(folder))
        speeds: dict[str, list[float]] = {name: [] for name in PARTS}
        bare_speeds: dict[str, list[float]] = {name: [] for name in BARE}
        lengths: dict[str, float] = {}
        for _ in range(ROUNDS):
            for name, (before, length, start) in BARE.items():
                virtual_s, cpu_s = timed("pico", images / f"{name}.elf", before, start, length, "")
                bare_speeds[name].append(virtual_s / cpu_s)
            for name in PARTS:
                image = images / f"{name}.elf"
                lengths[name], cpu_s = timed("w5500-evb-pico", image, "30 s", "link is up.\n", "60 s", "done\n")
                speeds[name].append(lengths[name] / cpu_s)
    for name, (title, bare_name) in PARTS.items():
        speed, bare = statistics.median(speeds[name]), statistics.median(bare_speeds[bare_name])
        rows.append(f"| {title} | {lengths[name]:.3f} s | {speed:.2f} x | {bare:.2f} x | {speed / bare:.0%} |")
    return rows


def build(folder: Path) -> Path:
    """The images, in a folder."""
    command = ["make", "-s", "-j2", "-C", str(REPOSITORY / "tests" / "images"), f"OUT={folder}"]
    subprocess.run([*command, f"PYTHON={sys.executable}"], check=True, capture_output=True)
    return folder


if __name__ == "__main__":
    print("\n".join(run_network()))
