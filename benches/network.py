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
PARTS = {
    "wiznet_pingpong_2mhz": "ping-pong, polled, 2 MHz",
    "wiznet_pingpong": "ping-pong, polled, 33 MHz",
    "wiznet_pingpong_int_2mhz": "ping-pong, INTn, 2 MHz",
    "wiznet_pingpong_int": "ping-pong, INTn, 33 MHz",
    "wiznet_bulk": "bulk, 4 MiB each way, DMA, 33 MHz",
    "wiznet_bulk_sleep": "the same, asleep during DMA",
}
"""What is measured: from the link's being up to the end of the image, as the wait for the link would flatter it."""
TIMED_RUN = """
import json, sys, time
from airwire.board import Board
board, image, start, until = sys.argv[1:5]
board = Board(board, image, record=False)
if start:
    board.run("30 s", until=start)
began_ps, began_s = board.time_ps, time.process_time()
ended = board.run(sys.argv[5], until=until or None)
cpu_s = time.process_time() - began_s
assert ended.reason == ("text" if until else "time"), board.console
print(json.dumps({"cpu_s": cpu_s, "virtual_s": (board.time_ps - began_ps) / 1e12}))
"""


def timed(board: str, image: Path, for_: str, *, start: str = "", until: str = "") -> tuple[float, float]:
    """Virtual seconds, and those of the processor that they took, of a run in a process of its own."""
    command = [sys.executable, "-c", TIMED_RUN, board, str(image), start, until, for_]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told["virtual_s"], told["cpu_s"]


def run_network() -> list[str]:
    """Rows of Markdown: each image's speed against real time, and against the bare board with SPI and DMA busy."""
    rows = ["| image | virtual | of real time | of the bare board |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        images = build(Path(folder))
        speeds: dict[str, list[float]] = {name: [] for name in ("bare", *PARTS)}
        lengths: dict[str, float] = {}
        for _ in range(ROUNDS):
            virtual_s, cpu_s = timed("pico", images / "spi_dma_long.elf", "700 ms", start="run.\n")
            speeds["bare"].append(virtual_s / cpu_s)
            for name in PARTS:
                image = images / f"{name}.elf"
                lengths[name], cpu_s = timed("w5500-evb-pico", image, "60 s", start="link is up.\n", until="done\n")
                speeds[name].append(lengths[name] / cpu_s)
    bare = statistics.median(speeds["bare"])
    rows.append(f"| SPI and DMA on a bare board, 62.5 MHz | 0.7 s | {bare:.2f} x | |")
    for name, title in PARTS.items():
        speed = statistics.median(speeds[name])
        rows.append(f"| {title} | {lengths[name]:.3f} s | {speed:.2f} x | {speed / bare:.0%} |")
    return rows


def build(folder: Path) -> Path:
    """The images, in a folder."""
    command = ["make", "-s", "-j2", "-C", str(REPOSITORY / "tests" / "images"), f"OUT={folder}"]
    subprocess.run([*command, f"PYTHON={sys.executable}"], check=True, capture_output=True)
    return folder


if __name__ == "__main__":
    print("\n".join(run_network()))
