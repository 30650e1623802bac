"""The stopwatch's image on a virtual Pico, wired to a board that answers, and what an analyser at the pins saw."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from airwire import Board, PinWire, SerialPort, WiredBoards
from airwire.instruments.pico import Setup, Stopwatch, open_stream
from airwire.instruments.pico_stream import Edge

TRIGGER, DONE = 2, 3
DELAY_PS = 2_000_000
# Until the PC has found the serial port.
ENUMERATION = "150 ms"


@dataclass
class Bench:
    """Both boards, the stopwatch at its port, and every edge that it told."""

    stopwatch_board: Board
    target: Board
    boards: WiredBoards
    stopwatch: Stopwatch
    told: list[Edge]

    @property
    def seen(self) -> list[tuple[int, int, bool]]:
        """Time, channel and level of every edge at the stopwatch's pins, as the simulation has them."""
        return seen_at(self.stopwatch_board)


def seen_at(board: Board) -> list[tuple[int, int, bool]]:
    """Every edge at the pins of the trigger and of done."""
    edges = board.edges_by_gpio()
    return [(time_ps, gpio - TRIGGER, level) for time_ps, gpio, level in edges if gpio in (TRIGGER, DONE)]


def bench_of(images: Path, **target_settings: str) -> Bench:
    """A bench whose stopwatch has been found by the PC."""
    stopwatch_board = Board("pico", images / "stopwatch-usb.elf", record=False)
    target = Board("pico", images / "trigger_reply-gpio.elf", record=False, settings=target_settings)
    wires = [PinWire("first", TRIGGER, TRIGGER, DELAY_PS), PinWire("second", DONE, DONE, DELAY_PS)]
    boards = WiredBoards(stopwatch_board, target, wires)
    boards.run(ENUMERATION)
    stopwatch = open_stream(SerialPort(stopwatch_board, boards.run, timeout_s=0.02))
    for board in (stopwatch_board, target):
        board._core.record()
    return Bench(stopwatch_board, target, boards, stopwatch, [])


def measured(bench: Bench, setup: Setup, edges: int, most_reads: int = 20_000) -> None:
    """Run until the stopwatch has told so many edges, then stop it."""
    bench.stopwatch.configure(setup)
    bench.stopwatch.start()
    for _ in range(most_reads):
        if len(bench.told) >= edges:
            break
        bench.told += bench.stopwatch.read()
    bench.told += bench.stopwatch.stop()


def latencies_ps(edges: list[tuple[int, int, bool]]) -> list[int]:
    """From each rise of the trigger to the next rise of done."""
    found, begun = [], None
    for time_ps, channel, level in edges:
        if level and channel == 0:
            begun = time_ps
        elif level and begun is not None:
            found.append(time_ps - begun)
            begun = None
    return found


def told_edges(bench: Bench) -> list[tuple[int, int, bool]]:
    """What the stopwatch told, as tuples."""
    return [(edge.time_ps, edge.channel, edge.level) for edge in bench.told]
