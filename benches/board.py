"""The virtual RP2040: megahertz beside rp2040js, whole images against real time, boots, snapshots."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benches.rp2040js import NoOracle, install, run
from benches.timing import Timing

REPOSITORY = Path(__file__).resolve().parent.parent
PUBLIC = Path(os.environ.get("AIRWIRE_IMAGES") or REPOSITORY.parent / "shared" / "images")
ROUNDS = 5
LOOPS = {"loops_a_ram": 0, "loops_b_ram": 3, "loops_a": 0, "loops_b": 3}
"""The loops, with the cycles that rp2040js leaves out: that of LR in PUSH and of PC in POP."""
TITLES = {
    "loops_a_ram": "A, registers, from RAM",
    "loops_b_ram": "B, memory, from RAM",
    "loops_a": "A, registers, from flash",
    "loops_b": "B, memory, from flash",
}
BOOTS = {
    "circuitpython-9.2.1.uf2": ("CircuitPython 9.2.1, USB", "\r\n"),
    "micropython-v1.21.0.uf2": ("MicroPython 1.21, USB, after Enter", "\r\n"),
}
PADDED_BYTES = 1_500_000

TIMED_RUN = """
import json, sys, time
from airwire.board import Board
board = Board("pico", sys.argv[1], record="record" in sys.argv)
start = time.perf_counter()
ended = board.run(sys.argv[2])
wall_s = time.perf_counter() - start
core = ended.cores[0]
print(json.dumps({"wall_s": wall_s, "cycles": core.busy_cycles, "instructions": core.instructions,
                  "virtual_s": ended.time_ps / 1e12, "sum": board.memory.word(board.address_of("result"))
                  if "result" in sys.argv else 0, "console": board.console}))
"""


@dataclass(frozen=True)
class Told:
    """What a run in a process of its own tells."""

    wall_s: float
    cycles: int
    instructions: int
    virtual_s: float
    sum: int
    console: str


def run_loops() -> list[str]:
    """Rows of Markdown: the two loops here and under rp2040js, interleaved, counts and results compared."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            oracle = install(Path(folder) / "oracle")
        except NoOracle as missing:
            return [f"Left out: {missing}"]
        images = build_images(Path(folder))
        ours: dict[str, list[float]] = {name: [] for name in LOOPS}
        theirs: dict[str, list[float]] = {name: [] for name in LOOPS}
        for number in range(ROUNDS + 1):
            for name, left_out in LOOPS.items():
                told = _timed(images / f"{name}.elf", "60 s", "result")
                report = run(oracle, images / f"{name}.elf", "--speed")
                _check(name, told, report, left_out)
                if number:
                    ours[name].append(told.cycles / told.wall_s / 1e6)
                    theirs[name].append(report["mhz"])
    rows = ["| loop, one core | Airwire | rp2040js 1.4.1 | Airwire is |", "|---|---|---|---|"]
    for name, title in TITLES.items():
        ratio = statistics.median(ours[name]) / statistics.median(theirs[name])
        rows.append(f"| {title} | {_mhz(ours[name])} | {_mhz(theirs[name])} | {ratio:.1f} x as fast |")
    return rows


def _check(name: str, told: Told, report: dict[str, int], left_out: int) -> None:
    """Both did the same; from flash ours takes what reading the code once from the flash takes, too."""
    assert (told.sum, told.instructions) == (report["result"], report["instructions"]), name
    more = told.cycles - report["cycles"] - left_out
    assert more == 0 if name.endswith("_ram") else 0 < more < 5_000, f"{name}: {more} cycles more"


def run_images() -> list[str]:
    """Rows of Markdown: an image that drives SPI and DMA all the time, alone and beside another."""
    rows = ["| whole image, SPI and DMA without a pause | wall | of real time |", "|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        image = build_images(Path(folder)) / "spi_dma_long.elf"
        alone: list[Told] = []
        recorded: list[Told] = []
        threads: list[tuple[float, float]] = []
        processes: list[tuple[float, float]] = []
        for number in range(ROUNDS + 1):
            single, in_threads, in_processes = _timed(image, "3 s"), _two_threads(image), _two_processes(image)
            assert "errors 0" in single.console, single.console
            if number:
                alone.append(single)
                recorded.append(_timed(image, "3 s", "record"))
                threads.append(in_threads)
                processes.append(in_processes)
    one, with_edges = (statistics.median(told.virtual_s / told.wall_s for told in runs) for runs in (alone, recorded))
    rows.append(f"| one board | {Timing(tuple(told.wall_s for told in alone))} | {one:.2f} x |")
    wall = Timing(tuple(told.wall_s for told in recorded))
    rows.append(f"| the same, every edge of its pins kept | {wall} | {with_edges:.2f} x |")
    for title, told in (("threads", threads), ("processes", processes)):
        each = statistics.median(virtual_s / wall_s for wall_s, virtual_s in told)
        wall = Timing(tuple(wall_s for wall_s, _ in told))
        rows.append(f"| each of two in two {title} | {wall} | {each:.2f} x, {each / one:.0%} of one alone |")
    return rows


def _two_threads(image: Path) -> tuple[float, float]:
    """Wall and virtual seconds of two boards that run at once in one process."""
    from airwire.board import Board

    boards = [Board("pico", image, record=False) for _ in range(2)]
    start = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda board: board.run("3 s"), boards))
    return time.perf_counter() - start, ended[0].time_ps / 1e12


def _two_processes(image: Path) -> tuple[float, float]:
    """The slower one's wall and virtual seconds of two boards in a process each."""
    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(lambda _: _timed(image, "3 s"), range(2)))
    return max(one.wall_s for one in told), told[0].virtual_s


def run_boots() -> list[str]:
    """Rows of Markdown: from the file to the first line of the console, and snapshots of a board that runs."""
    from airwire.board import Board

    rows = ["| boot, from opening the file | virtual | wall |", "|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        images = build_images(Path(folder))
        padded = Path(folder) / "padded.bin"
        content = (images / "hello_uart.bin").read_bytes()
        padded.write_bytes(content + bytes(index % 251 for index in range(PADDED_BYTES - len(content))))
        boots = {padded: ("own image padded to 1.5 MB, UART", "")}
        boots |= {PUBLIC / name: told for name, told in BOOTS.items() if (PUBLIC / name).is_file()}
        for image, (title, typed) in boots.items():
            walls, virtual_s = zip(*(_first_line(image, typed) for _ in range(ROUNDS)), strict=True)
            rows.append(f"| {title}, {image.stat().st_size / 1e6:.1f} MB | {virtual_s[0]:.3f} s | {Timing(walls)} |")
        board = Board("pico", images / "spi_dma_long.elf", record=False)
        board.run("300 ms")
        snapshots, restores = [], []
        for _ in range(21):
            start = time.perf_counter()
            snapshot = board.snapshot()
            taken = time.perf_counter()
            board.run("1 ms")
            before = time.perf_counter()
            board.restore(snapshot)
            restores.append(time.perf_counter() - before)
            snapshots.append(taken - start)
    rows += ["", "| state of a board that runs | wall |", "|---|---|"]
    rows += [f"| snapshot | {Timing(tuple(snapshots[1:]))} |", f"| restore | {Timing(tuple(restores[1:]))} |"]
    return rows


def _first_line(image: Path, typed: str) -> tuple[float, float]:
    """Wall and virtual seconds to the first whole line; where an image waits for a key it is pressed after 0.3 s."""
    from airwire.board import Board

    start = time.perf_counter()
    board = Board("pico", image, record=False)
    if typed:
        board.run("300 ms", until="\n")
    if "\n" not in board.console:
        if typed:
            board.send(typed, "usb")
        ended = board.run("5 s", until="\n")
        assert ended.reason == "text", ended.sentence
    return time.perf_counter() - start, board.time_ps / 1e12


def build_images(folder: Path) -> Path:
    """The images of tests/images, in a folder."""
    command = ["make", "-s", "-j2", "-C", str(REPOSITORY / "tests" / "images"), f"OUT={folder}"]
    subprocess.run([*command, f"PYTHON={sys.executable}"], check=True, capture_output=True)
    return folder


def _timed(image: Path, for_: str, *symbol: str) -> Told:
    command = [sys.executable, "-c", TIMED_RUN, str(image), for_, *symbol]
    return Told(**json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def _mhz(rates: list[float]) -> str:
    return f"{statistics.median(rates):.0f} MHz [{min(rates):.0f}-{max(rates):.0f}]"


if __name__ == "__main__":
    for table in (run_loops, run_images, run_boots):
        print("\n".join(table()), "\n", flush=True)
