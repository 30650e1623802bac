"""Builds the images of ``tests/images/timing`` and measures on the virtual board what others have published."""

from __future__ import annotations

import importlib.util
import re
import shutil
import statistics
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from airwire.board import Board

IMAGES = Path(__file__).resolve().parents[2] / "tests" / "images" / "timing"
COMPILER = "arm-none-eabi-gcc"
# A package of the Python registry that carries CoreMark's sources, unchanged where it counts.
COREMARK_PACKAGE = "pythondata_cpu_ibex"
_COREMARK_FOLDER = Path("system_verilog", "vendor", "eembc_coremark")
# CRCs of the lists, matrices and states of CoreMark's performance run with 2000 bytes.
_COREMARK_CRCS = ("crclist       : 0xe714", "crcmatrix     : 0x1fd7", "crcstate      : 0x8e3a")
_CYCLE_PS = 8_000
_LONG_ENOUGH = "30 s"
_FIGURE = re.compile(r"^([A-Za-z0-9 ]+?) (\d+)$", re.MULTILINE)


def compiler_version() -> str | None:
    """The version of the compiler, or None without one."""
    if shutil.which(COMPILER) is None:
        return None
    return subprocess.run([COMPILER, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()


def coremark_sources() -> Path | None:
    """The folder of CoreMark's sources, where the package that carries them is installed."""
    package = importlib.util.find_spec(COREMARK_PACKAGE)
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / _COREMARK_FOLDER
    return folder if folder.is_dir() else None


def build(folder: Path) -> None:
    """Build every image; CoreMark where its sources are."""
    command = ["make", "-j2", "-C", str(IMAGES), f"OUT={folder}", f"PYTHON={sys.executable}"]
    coremark = coremark_sources()
    if coremark is not None:
        command.append(f"COREMARK={coremark}")
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise RuntimeError(f"the images in {IMAGES} cannot be built: {built.stderr.strip()}")


def measure(folder: Path) -> dict[str, float]:
    """Every timing, by the key of its target, from the images in ``folder``."""
    return {
        **_code(folder),
        **_waves(folder),
        **_coremark(folder),
        **_bus(folder),
        **_flash(folder),
        **_memory(folder),
        **_rates(folder),
        **_pio(folder),
    }


def _run(folder: Path, name: str) -> tuple[Board, dict[str, int]]:
    """The board after an image has said that it is done, and the figures that it printed."""
    board = Board("pico", folder / f"{name}.elf")
    board.run(_LONG_ENOUGH, until="done\n")
    if not board.console.endswith("done\n") or board.unknown:
        raise RuntimeError(f"{name} did not run to its end: {board.console!r}, {board.unknown}")
    return board, {match[1]: int(match[2]) for match in _FIGURE.finditer(board.console)}


def _figures(folder: Path, name: str) -> dict[str, int]:
    return _run(folder, name)[1]


def _code(folder: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for memory, name in (("RAM", "countdown_ram"), ("flash", "countdown")):
        figures = _figures(folder, name)
        found[f"countdown, {memory}"] = figures["countdown us"] / 1000
        found[f"divisions, {memory}"] = figures["divisions us"] / 1000
    pair = _figures(folder, "pin_pair")
    systick = _figures(folder, "systick_reads")
    return {
        **found,
        "pin pair": pair["us"] / pair["turns"],
        "SysTick reads": systick["two reads cycles"],
        "SysTick handler": systick["handler cycles"],
    }


def _steady_intervals(folder: Path, name: str) -> list[int]:
    """Times between edges of GP2, once caches are warm."""
    board = Board("pico", folder / f"{name}.elf")
    board.run("20 ms")
    times = [edge.time_ps for edge in board.edges if edge.pin == "GP2"][-65:]
    return [after - before for before, after in pairwise(times)]


def _waves(folder: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, name in (("square wave", "square_wave"), ("half wave", "half_wave")):
        found[key] = _only({interval / _CYCLE_PS for interval in _steady_intervals(folder, name)}, name)
    for nops in range(5):
        intervals = _steady_intervals(folder, f"pin_nops_{nops}")
        turns = {round(sum(turn) * 24e6 / 1e12, 2) for turn in zip(intervals[::2], intervals[1::2], strict=True)}
        found[f"pin loop, {nops}"] = _only(turns, f"pin_nops_{nops}")
    board = Board("pico", folder / "edge_to_pin.elf")
    board.wire("GP21", "GP19")
    board.run("20 ms")
    edges = {pin: [edge.time_ps for edge in board.edges if edge.pin == pin][-8:] for pin in ("GP19", "GP20")}
    found["edge to pin"] = _only(
        {(b - a) / 1000 for a, b in zip(edges["GP19"], edges["GP20"], strict=True)}, "edge_to_pin"
    )
    return found


def _only(values: set[float], name: str) -> float:
    if len(values) != 1:
        raise RuntimeError(f"{name} is not steady: {sorted(values)}")
    return values.pop()


def _coremark(folder: Path) -> dict[str, float]:
    if coremark_sources() is None:
        return {}
    found = {}
    for key, name in (("CoreMark, RAM", "coremark_ram_og"), ("CoreMark, flash", "coremark_flash_o3")):
        console = _run(folder, name)[0].console
        ticks, turns = (
            re.search(rf"^{word} +: (\d+)$", console, re.MULTILINE) for word in ("Total ticks", "Iterations")
        )
        if ticks is None or turns is None or not all(crc in console for crc in _COREMARK_CRCS):
            raise RuntimeError(f"{name} computed something else: {console}")
        found[key] = int(turns[1]) / int(ticks[1]) * 1e6
    return found


def _bus(folder: Path) -> dict[str, float]:
    figures = _figures(folder, "bus_accesses")
    kinds = ("SRAM load", "SRAM store", "SIO load", "SIO store", "AHB load", "AHB store", "APB load", "APB store")
    return {**{kind: figures[kind] for kind in (*kinds, "UART alias store")}, "divider": figures["divider nops"]}


def _flash(folder: Path) -> dict[str, float]:
    quad, slow = _figures(folder, "flash_loads"), _figures(folder, "flash_loads_slow")
    # A load from SRAM takes two cycles.
    word, slow_word = (figures["cycles beyond SRAM"] / figures["reads"] + 2 for figures in (quad, slow))
    return {
        "flash word": word * 8,
        "flash word, 03h": slow_word * 8 / 1000,
        "flash code": quad["code cycles"] * 8 / quad["code accesses"],
        "flush": _figures(folder, "rates")["flush cycles"],
    }


def _memory(folder: Path) -> dict[str, float]:
    rom, dma = _figures(folder, "rom_copies"), _figures(folder, "dma_rate")
    return {
        "ROM copy": rom["copy"],
        "ROM odd copy": rom["odd copy"],
        "ROM fill": rom["fill"],
        "DMA word": dma["cycles"] / dma["words"],
    }


def _rates(folder: Path) -> dict[str, float]:
    spi, rates = _figures(folder, "spi_frames"), _figures(folder, "rates")
    frames = spi["frames"]
    return {
        "SPI 8 bits, phase 0": spi["8 bits phase 0"] / frames / 12,
        "SPI 8 bits, phase 1": spi["8 bits phase 1"] / frames / 12,
        "SPI 16 bits, phase 0": spi["16 bits phase 0 fast"] / frames * 8,
        "UART letter": rates["letter cycles"],
        "ADC sample": rates["samples cycles"] * 8 / 100 / 1000,
        "timer": rates["1000 ticks cycles"],
    }


def _pio(folder: Path) -> dict[str, float]:
    board, figures = _run(folder, "pio_latency")
    copied: dict[str, list[float]] = {"GP4": [], "GP6": []}
    outputs = {"GP4": "GP5", "GP6": "GP7"}
    for pin, latencies in copied.items():
        level = False
        for phase_ps in range(0, _CYCLE_PS, 500):
            level = not level
            board.run(1_000_000 + phase_ps + -board.time_ps % _CYCLE_PS)
            driven_ps = board.time_ps
            board.pins[pin].drive(level)
            board.run(1_000_000)
            answer = next(e for e in board.edges if e.pin == outputs[pin] and e.time_ps >= driven_ps)
            latencies.append((answer.time_ps - driven_ps) / _CYCLE_PS)
    return {
        "PIO own pin": figures["synchronised"],
        "PIO own pin, bypass": figures["bypassed"],
        "PIO pin to pin": statistics.mean(copied["GP4"]),
        "PIO pin to pin, bypass": statistics.mean(copied["GP6"]),
    }
