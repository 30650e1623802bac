"""Bramble, an emulator of the RP2040 in C, beside Airwire on the loops of tests/images; ``BRAMBLE`` names its program.

Its times are functional: it charges cycles to instructions, but no waits for flash, banks of memory or buses. So
instructions a second are compared and not cycles, and both have to execute the same number of them.
"""

from __future__ import annotations

import os
import re
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

from benches.board import ROUNDS, build_images
from benches.pace import processor_run

LOOPS = {"loops_a": "A, registers, from flash", "loops_b": "B, memory, from flash"}
SETTINGS = {"Bramble": (), "Bramble, -jit": ("-jit",)}
MOST_S = 120
ENDINGS = 16
"""By so many instructions the counts may differ: Bramble leaves out some at the end."""


def run_beside() -> list[str]:
    """Rows of Markdown: million instructions a second of processor time, in interleaved rounds."""
    program = os.environ.get("BRAMBLE")
    if not program:
        return ["Left out: BRAMBLE does not name the program of https://github.com/Night-Traders-Dev/Bramble"]
    rows = ["| loop, one core | who | million instructions/s | Airwire is |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        images = build_images(Path(folder))
        for name, title in LOOPS.items():
            rates: dict[str, list[float]] = {who: [] for who in ("Airwire", *SETTINGS)}
            for _ in range(ROUNDS):
                told = processor_run(images / f"{name}.elf", "60 s")
                rates["Airwire"].append(told["instructions"] / told["cpu_s"] / 1e6)
                for who, options in SETTINGS.items():
                    count, cpu_s = _bramble(program, images / f"{name}.elf", options)
                    assert abs(count - told["instructions"]) <= ENDINGS, f"{who}: {count} instructions"
                    rates[who].append(count / cpu_s / 1e6)
            ours = statistics.median(rates["Airwire"])
            for who, found in rates.items():
                rate = statistics.median(found)
                span = f"{rate:.0f} [{min(found):.0f}-{max(found):.0f}]"
                rows.append(f"| {title} | {who} | {span} | {ours / rate:.1f} x as fast |")
    return rows


def _bramble(program: str, image: Path, options: tuple[str, ...]) -> tuple[int, float]:
    """Instructions and seconds of processor time until the image ends by semihosting."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, str(image), "-clock", "125", "-semihosting", "-timeout", str(MOST_S), *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=2 * MOST_S, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"Total Instructions: (\d+)", ended.stdout + ended.stderr)
    assert found, f"{image.name} has not ended under {program}"
    return int(found[1]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    print("\n".join(run_beside()))
