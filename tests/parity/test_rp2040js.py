"""Our own images here and under rp2040js, a third party's emulator: same consoles, same pin edges, same cycles.

Lines of the console that begin with ``~`` are times and those with ``?`` are wrong there (tests/images/README.md).
Where time can agree it must, but for what the oracle is known to leave out; each such allowance is stated with its
reason. The oracle's runs go on side by side in the background and are waited for by the tests.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from benches.rp2040js import NoOracle, install, run

from airwire.board import Board, BoardRun

CYCLE_PS = 8_000
"""At 125 MHz, which every image but the loops sets."""
UNHEARD = {"spi_poll": {18, 19}}
"""Pins of SPI, of which the oracle knows no edges, as of UART0's GP0 in every image."""
XIP_MISS_CYCLES = 50
"""A 32-bit read of flash past the cache, at clock divider 2 (about 400 ns: oberon-rtk.org, "code loading")."""


@dataclass(frozen=True)
class Case:
    """An image, and what both sides are given."""

    seconds: str = "2"
    typed: str = ""
    until: str = ""
    wires: tuple[tuple[int, int], ...] = ()
    speed: bool = False

    @property
    def options(self) -> list[str]:
        """The oracle's."""
        options = ["--for", self.seconds, *(["--speed"] if self.speed else [])]
        options += ["--input", self.typed] if self.typed else []
        options += ["--until", self.until] if self.until else []
        for pin, to in self.wires:
            options += ["--wire", f"{pin}:{to}"]
        return options


LOOP = Case(speed=True)
HELLO = Case("0.2", typed="parity", until="parity")
CASES = {
    # The long ones first, so that both processors have work to the end.
    "loops_a": LOOP,
    "loops_a_ram": LOOP,
    "countdown_ram": Case(),
    "loops_b": LOOP,
    "loops_b_ram": LOOP,
    "spi_dma": Case(),
    "float_bench": Case(),
    "dma_memcpy": Case(),
    "blink_timer": Case(),
    "systick": Case(),
    "gpio_irq": Case(wires=((14, 15),)),
    "spi_poll": Case(wires=((19, 16),)),
    "pio_squarewave": Case(),
    "pio_serial": Case(),
    "divider": Case(),
    "pwm": Case(),
    "adc": Case(),
    "flash_write": Case(),
    "xip_read": Case(),
    "xip_read_slow": Case(),
    "hello_uart": HELLO,
    "hello_uart_slow": HELLO,
    "hello_uart_ram": HELLO,
}
WITH_CONSOLE = [name for name, case in CASES.items() if not case.speed]
Ours = tuple[Board, BoardRun]


@pytest.fixture(scope="module")
def theirs(images: Path, pytestconfig: pytest.Config) -> Iterator[dict[str, Future[dict[str, Any]]]]:
    """The oracle's reports, as they come in."""
    try:
        oracle = install(pytestconfig.cache.mkdir("rp2040js"))
    except NoOracle as reason:
        pytest.skip(str(reason))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        started = {
            name: pool.submit(run, oracle, images / f"{name}.elf", *case.options) for name, case in CASES.items()
        }
        yield started
        pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def ours(images: Path) -> dict[str, Ours]:
    """Our runs."""
    return {name: ran_here(images, name, case) for name, case in CASES.items()}


def ran_here(images: Path, name: str, case: Case) -> Ours:
    board = Board("pico", images / f"{name}.elf")
    for pin, to in case.wires:
        board.wire(pin, to)
    seconds = "60 s" if case.speed else f"{case.seconds} s"
    typed = [case.typed] if case.typed else []
    return board, board.run(seconds, until=case.until or None, send=typed)


def contract(console: str) -> list[str]:
    return [line for line in console.splitlines() if not line.startswith(("~", "?"))]


def figure(console: str, name: str) -> list[int]:
    return [int(line.rsplit(maxsplit=1)[1]) for line in console.splitlines() if line.startswith(name)]


def edges_here(board: Board) -> dict[int, list[tuple[int, int]]]:
    edges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for edge in board.edges:
        edges[board.pins[edge.pin].gpio].append((int(edge.level), edge.time_ps))
    return edges


def edges_there(report: dict[str, Any]) -> dict[int, list[tuple[int, int]]]:
    edges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for pin, level, cycle in report["edges"]:
        edges[pin].append((level, cycle))
    return edges


def intervals(board: Board, report: dict[str, Any], pin: int) -> list[tuple[float, int]]:
    """Cycles from each edge of a pin to its next, here and there."""
    here, there = edges_here(board)[pin], edges_there(report)[pin]
    return [
        ((b - a) / CYCLE_PS, d - c)
        for (_, a), (_, b), (_, c), (_, d) in zip(here, here[1:], there, there[1:], strict=False)
    ]


@pytest.mark.parametrize("name", WITH_CONSOLE)
def test_both_print_the_same(ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]], name: str) -> None:
    board, ended = ours[name]
    report = theirs[name].result()
    assert ended.fault is None and not ended.failed, ended.sentence
    assert contract(board.console) == contract(report["console"])
    assert contract(board.console)


@pytest.mark.parametrize("name", WITH_CONSOLE)
def test_the_edges_of_each_pin_come_in_the_same_order(
    ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]], name: str
) -> None:
    here, there = edges_here(ours[name][0]), edges_there(theirs[name].result())
    # Those of the far end of a wire are the near end's; the oracle gives them to one only.
    unheard = {0} | UNHEARD.get(name, set()) | {to for _, to in CASES[name].wires}
    levels_here = {pin: [level for level, _ in edges] for pin, edges in here.items() if pin not in unheard}
    levels_there = {pin: [level for level, _ in edges] for pin, edges in there.items()}
    assert levels_here == levels_there


@pytest.mark.parametrize(("name", "lists_with_lr_or_pc"), [("loops_a_ram", 0), ("loops_b_ram", 3)])
def test_loops_in_ram_take_the_same_cycles(
    ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]], name: str, lists_with_lr_or_pc: int
) -> None:
    # The oracle leaves out the cycle of LR in PUSH and of PC in POP (Cortex-M0+ TRM 3.3: N counts them).
    board, ended = ours[name]
    report = theirs[name].result()
    core = ended.cores[0]
    assert board.memory.word(board.address_of("result")) == report["result"]
    assert core.instructions == report["instructions"]
    assert core.busy_cycles == report["cycles"] + lists_with_lr_or_pc


@pytest.mark.parametrize(("name", "lists_with_lr_or_pc"), [("loops_a", 0), ("loops_b", 3)])
def test_loops_in_flash_take_the_same_cycles_but_for_one_miss_of_each_word(
    ours: dict[str, Ours],
    theirs: dict[str, Future[dict[str, Any]]],
    images: Path,
    name: str,
    lists_with_lr_or_pc: int,
) -> None:
    # The oracle's flash has no wait states; ours reads each word of the image past the cache at most once.
    board, ended = ours[name]
    report = theirs[name].result()
    words = ((images / f"{name}.bin").stat().st_size + 3) // 4
    more = ended.cores[0].busy_cycles - report["cycles"] - lists_with_lr_or_pc
    assert board.memory.word(board.address_of("result")) == report["result"]
    assert ended.cores[0].instructions == report["instructions"]
    assert 0 < more <= words * XIP_MISS_CYCLES


def test_the_timer_blinks_at_the_same_pace(ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]]) -> None:
    # The first interval is left out: ours loads the handler from flash within it. The oracle rounds a wait to its
    # clock's nanoseconds and wakes up to 125 cycles, one microsecond, off the alarm's own.
    pairs = intervals(ours["blink_timer"][0], theirs["blink_timer"].result(), 25)[1:]
    assert len(pairs) == 498
    assert all(here == 125_000 and abs(here - there) <= 125 for here, there in pairs)
    assert sum(here for here, _ in pairs) == pytest.approx(sum(there for _, there in pairs), abs=125)


def test_systick_interrupts_at_the_same_pace(ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]]) -> None:
    # Once the handlers are in the cache: 12 500 cycles from rise to rise. There a wait may end some cycles early. The
    # last interval is left out: the handler's last turn stops the timer, in code that is read from flash only then.
    pairs = intervals(ours["systick"][0], theirs["systick"].result(), 25)[4:-1]
    assert all(abs(here - there) <= 3 for here, there in pairs)
    assert all(here + after == 12_500 for (here, _), (after, _) in zip(pairs[::2], pairs[1::2], strict=False))


def test_edges_by_software_come_at_the_same_times(
    ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]]
) -> None:
    # A loop polls for 10 microseconds; an interrupt falls within it. An interval may end a turn of the poll, 8 cycles,
    # earlier or later, and by 2 cycles of the interrupt. The first is left out: ours reads code from flash within it.
    pairs = intervals(ours["gpio_irq"][0], theirs["gpio_irq"].result(), 14)[1:]
    assert len(pairs) == 8
    assert all(abs(here - there) <= 10 for here, there in pairs)
    assert sum(here for here, _ in pairs) == pytest.approx(sum(there for _, there in pairs), abs=10)


def test_pwm_edges_are_the_same_cycles_apart(ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]]) -> None:
    pairs = intervals(ours["pwm"][0], theirs["pwm"].result(), 8)
    assert [here for here, _ in pairs] == [there for _, there in pairs]


@pytest.mark.parametrize(("name", "pin", "longest"), [("pio_squarewave", 2, 50), ("pio_squarewave", 3, 100)])
def test_pio_pulses_are_the_same_cycles_apart(
    ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]], name: str, pin: int, longest: int
) -> None:
    # Within a burst; between bursts the image prints, which takes no time there.
    pairs = intervals(ours[name][0], theirs[name].result(), pin)
    within = [(here, there) for here, there in pairs if there <= longest]
    assert len(within) == len(pairs) - 1
    assert all(here == there for here, there in within)


def test_pio_serial_bits_are_the_same_cycles_apart(
    ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]]
) -> None:
    # A clock edge each 8 cycles while a byte is on its way; where the machine waits for data the core sets the time.
    pairs = intervals(ours["pio_serial"][0], theirs["pio_serial"].result(), 3)
    bits = [(here, there) for here, there in pairs if there == 8]
    assert len(bits) > 150
    assert all(here == there for here, there in bits)


def test_a_countdown_in_ram_takes_the_same_time(
    ours: dict[str, Ours], theirs: dict[str, Future[dict[str, Any]]]
) -> None:
    # Without calls: equal. With divisions: ours counts 7 cycles more for each, of PUSH with LR and POP with PC.
    here, there = (
        figure(console, "~ microseconds")
        for console in (ours["countdown_ram"][0].console, theirs["countdown_ram"].result()["console"])
    )
    assert here[0] == there[0] == 80_000
    assert here[1] - there[1] == pytest.approx(138_140 * 7 / 125, abs=2)
