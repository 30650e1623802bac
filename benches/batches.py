"""Many boards in one process: what each takes of memory and time, and whether boards in threads hinder each other."""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benches.board import PUBLIC, ROUNDS, build_images
from benches.child import told_by

MANY = 1000
"""Boards at once, all of them kept."""
FEW = 20
"""Of images that take long to their prompt."""
THREADS = 2
MOST_MIB = 4.0
"""Of a further board, beside the flash that it shares with others of its image."""

MANY_BOARDS = """
import json, sys, time
from airwire.board import Board
def resident_kib():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0])
def board():
    one = Board(sys.argv[1], sys.argv[2], record=False)
    one.run(sys.argv[3])
    return one
boards = [board()]
before, start = resident_kib(), time.process_time()
boards += [board() for _ in range(int(sys.argv[4]))]
cpu_s = time.process_time() - start
print(json.dumps({"kib": (resident_kib() - before) / int(sys.argv[4]), "cpu_s": cpu_s / int(sys.argv[4]),
                  "total_mib": resident_kib() / 1024}))
"""

IN_THREADS = """
import json, sys, threading, time
from airwire.board import Board
def run(into):
    board = Board("pico", sys.argv[1], record=False)
    start = time.thread_time()
    board.run(sys.argv[2])
    into.append(time.thread_time() - start)
def in_threads(count, into):
    threads = [threading.Thread(target=run, args=(into,)) for _ in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
# The first boards of a thread take fresh memory from the system.
in_threads(int(sys.argv[3]), [])
alone, together = [], []
for _ in range(int(sys.argv[4])):
    in_threads(1, alone)
    in_threads(int(sys.argv[3]), together)
print(json.dumps({"alone_s": sorted(alone)[len(alone) // 2], "together_s": sorted(together)[len(together) // 2]}))
"""


@dataclass(frozen=True)
class Batch:
    """Boards of one image."""

    title: str
    board: str
    image: Path
    run_for: str
    boards: int


def run_many() -> list[str]:
    """Rows of Markdown: what each further board takes of memory and time."""
    rows = [
        "| further boards of one image, all of them kept | memory of each | of all | processor time of each |",
        "|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        own = build_images(Path(folder)) / "wiznet_http.elf"
        batches = [Batch("W5500-EVB-Pico, wiznet_http, 200 ms", "w5500-evb-pico", own, "200 ms", MANY)]
        for name, run_for in {"circuitpython-9.2.1": "5 s", "micropython-v1.21.0": "1 s"}.items():
            batches.append(Batch(f"Pico, {name}, {run_for}", "pico", PUBLIC / f"{name}.uf2", run_for, FEW))
        for batch in batches:
            if not batch.image.exists():
                rows.append(f"| {batch.title} | left out: {batch.image} is not there | | |")
                continue
            told = told_by(MANY_BOARDS, batch.board, str(batch.image), batch.run_for, str(batch.boards))
            mib, verdict = told["kib"] / 1024, "" if told["kib"] / 1024 <= MOST_MIB else f", above {MOST_MIB:g} MiB"
            rows.append(
                f"| {batch.boards} x {batch.title} | {mib:.1f} MiB{verdict} | {told['total_mib']:.0f} MiB "
                f"| {told['cpu_s'] * 1000:.1f} ms |"
            )
    return rows


def run_threads() -> list[str]:
    """Rows of Markdown: the pace of boards in threads of one process, by the processor time of each thread."""
    rows = [f"| each of {THREADS} boards in {THREADS} threads, processor time | of one alone |", "|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        built = build_images(Path(folder))
        for name, run_for in {"spi_dma": "200 ms", "busy_pio": "160 ms", "busy_cores_ram": "80 ms"}.items():
            told = [told_by(IN_THREADS, str(built / f"{name}.elf"), run_for, str(THREADS), "5") for _ in range(ROUNDS)]
            shares = [100 * one["alone_s"] / one["together_s"] for one in told]
            rows.append(f"| {name} | {statistics.median(shares):.0f} % [{min(shares):.0f}-{max(shares):.0f}] |")
    return rows


def main() -> None:
    """Print all tables."""
    for table in (run_many, run_threads):
        print("\n".join(table()), "\n", flush=True)


if __name__ == "__main__":
    main()
