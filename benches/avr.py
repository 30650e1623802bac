"""The virtual AVR beside avr8js: one busy loop of an ATmega328P at 16 MHz, in processor time, interleaved."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benches.avr8js import ask, install
from benches.rp2040js import NoOracle

SOURCE = Path(__file__).resolve().parents[1] / "tests" / "images" / "avr" / "busy.c"
ROUNDS = 5
CLOCK_HZ = 16_000_000
SECONDS = 10
"""Of virtual time, in each round."""

TIMED_RUN = """
import json, sys, time
from airwire.board import Board
board = Board("arduino-uno", sys.argv[1], record=False)
start = time.process_time()
ended = board.run(sys.argv[2])
print(json.dumps({"cpu_s": time.process_time() - start, "cycles": ended.cores[0].busy_cycles}))
"""


def run_loop() -> list[str]:
    """Rows of Markdown: the loop here and under avr8js."""
    if shutil.which("avr-gcc") is None:
        return ["Left out: avr-gcc is not on this machine (Debian: gcc-avr avr-libc binutils-avr)"]
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        try:
            oracle = install(Path(folder) / "oracle")
        except NoOracle as missing:
            return [f"Left out: {missing}"]
        image = Path(folder) / "busy.elf"
        subprocess.run(["avr-gcc", "-Os", "-mmcu=atmega328p", str(SOURCE), "-o", str(image)], check=True)
        binary = image.with_suffix(".bin")
        subprocess.run(["avr-objcopy", "-O", "binary", str(image), str(binary)], check=True)
        request = {"flash": binary.read_bytes().hex(), "cycles": CLOCK_HZ * SECONDS}
        for _ in range(ROUNDS):
            command = [sys.executable, "-c", TIMED_RUN, str(image), f"{SECONDS} s"]
            told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            ours.append(told["cycles"] / told["cpu_s"] / 1e6)
            answer = ask(oracle, request)
            theirs.append(answer["cycles"] / answer["cpu_us"])
    times = statistics.median(ours) / statistics.median(theirs)
    real = statistics.median(ours) * 1e6 / CLOCK_HZ
    return [
        "| busy loop, ATmega328P at 16 MHz | Airwire | of real time | avr8js 0.21.1 | Airwire is |",
        "|---|---|---|---|---|",
        f"| processor time | {_range(ours)} | {real:.0f} x | {_range(theirs)} | {times:.1f} x as fast |",
    ]


def _range(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} MHz [{min(values):.0f}-{max(values):.0f}]"


if __name__ == "__main__":
    print("\n".join(run_loop()))
