"""Boards that have much to do at once, against real time: PIO programs, two cores; and many boards in one process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benches.board import ROUNDS, build_images

BUSY = {
    "busy_pio": ("PIO runs freely at 31 MHz, a core computes", "160 ms"),
    "busy_pio_fed": ("PIO at 31 MHz is fed by DMA, a core computes", "160 ms"),
    "busy_cores": ("each of two cores computes, code in flash", "110 ms"),
    "busy_cores_ram": ("each of two cores computes, code in SRAM", "110 ms"),
    "busy_cores_dma": ("the same, and the DMA copies without a pause", "110 ms"),
}
MANY = 100

BUSY_RUN = """
import json, sys, time
from airwire.board import Board
board = Board("pico", sys.argv[1], record="record" in sys.argv)
start = time.process_time()
ended = board.run(sys.argv[2])
print(json.dumps({"cpu_s": time.process_time() - start, "virtual_s": ended.time_ps / 1e12}))
"""

MANY_BOARDS = """
import json, sys, time
from airwire.board import Board
def resident_kib():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0])
def board():
    one = Board("w5500-evb-pico", sys.argv[1], record=False)
    one.run("200 ms")
    return one
boards = [board()]
before, start = resident_kib(), time.process_time()
boards += [board() for _ in range(int(sys.argv[2]))]
cpu_s = time.process_time() - start
print(json.dumps({"kib": (resident_kib() - before) / int(sys.argv[2]), "cpu_s": cpu_s / int(sys.argv[2])}))
"""


def run_busy() -> list[str]:
    """Rows of Markdown: virtual time by processor time, without and with the edges of all pins kept."""
    rows = ["| whole image, 125 MHz | of real time | every edge of its pins kept |", "|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        built = build_images(Path(folder))
        for name, (title, virtual) in BUSY.items():
            rates: dict[str, list[float]] = {"": [], "record": []}
            for _ in range(ROUNDS):
                for kept, found in rates.items():
                    told = _python(BUSY_RUN, str(built / f"{name}.elf"), virtual, kept)
                    found.append(told["virtual_s"] / told["cpu_s"])
            rows.append(f"| {title} | {_times(rates[''])} | {_times(rates['record'])} |")
    return rows


def run_many() -> list[str]:
    """Rows of Markdown: what each further board takes of memory and time."""
    rows = [f"| each of {MANY} further boards of one image | memory | started and run for 200 ms |", "|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        image = build_images(Path(folder)) / "wiznet_http.elf"
        told = [_python(MANY_BOARDS, str(image), str(MANY)) for _ in range(3)]
    memory = statistics.median(one["kib"] for one in told) / 1024
    cpu_ms = statistics.median(one["cpu_s"] for one in told) * 1000
    rows.append(f"| W5500-EVB-Pico, wiznet_http | {memory:.1f} MiB | {cpu_ms:.1f} ms of processor time |")
    return rows


def _times(rates: list[float]) -> str:
    return f"{statistics.median(rates):.2f} x [{min(rates):.2f}-{max(rates):.2f}]"


def _python(script: str, *arguments: str) -> dict[str, float]:
    command = [sys.executable, "-c", script, *arguments]
    told: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told


def main() -> None:
    """Print both tables."""
    print("\n".join([*run_busy(), "", *run_many()]))


if __name__ == "__main__":
    main()
