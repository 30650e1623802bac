"""Sketches on Arduino's own core: what they measure of their board with its functions is what the datasheet says.

Nothing of the core is ours: it sets up timers, converter, UART, buses and watchdog by the registers that it knows.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from arduino_core import MEGA, UNO, build_sketch

from airwire.board import Board


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """What the sketch ``measures`` prints before and after the watchdog ends it, by name."""
    board = Board("arduino-uno", build_sketch("measures", UNO, tmp_path_factory.mktemp("sketch")))
    board.run("2 s")
    figures: dict[str, list[int]] = {}
    for line in board.console.splitlines():
        name, figure = line.split(" ")
        figures.setdefault(name, []).append(int(figure))
    return figures


@pytest.mark.parametrize(
    ("name", "expected", "tolerance"),
    [
        # micros() counts in 4 us, and its callers take a few more.
        ("delay_us", 10_000, 12),
        ("short_delay_us", 500, 12),
        # Phase-correct at clk/64: 64 of 510 counts up and 64 down, and a count is 4 us; pulseIn() loses a loop or two.
        ("pwm9_us", 512, 8),
        ("pwm3_us", 80, 3),
        ("pwm3_low_us", 4 * 510 - 80, 16),
        ("tone_us", 500, 16),
        ("rises", 5, 0),
        ("changes", 7, 0),
        ("compares", 100, 1),
        # 13 cycles of the converter's clock, 125 kHz, from the next of its edges on.
        ("analog_read_us", 110, 10),
        # The reference is 1.1 V, and the supply 5 V.
        ("bandgap", 225, 1),
        # 13 cycles at 500 kHz.
        ("conversions", 50_000 // 26, 2),
        # 16 half bits of a megahertz, and some 20 cycles of the loop.
        ("spi_us", 100 * 8, 200),
        # No acknowledgement of the address, in the core's own numbers.
        ("twi_without_target", 2, 0),
        ("eeprom", 0xA7, 0),
        # 3.3 ms by the datasheet, and what is left of the clock tick in which micros() is asked.
        ("eeprom_write_us", 3_400, 200),
        ("product", -1234 * 5678, 0),
        ("root", 141_421, 0),
        # The clock of millis() stands while the board is powered down, until the watchdog's interrupt.
        ("clock_stood_for_ms", 0, 1),
        ("barked", 1, 0),
    ],
)
def test_a_sketch_measures_what_the_datasheet_says(
    told: dict[str, list[int]], name: str, expected: int, tolerance: int
) -> None:
    (figure,) = told[name]
    assert figure == pytest.approx(expected, abs=tolerance)


def test_the_causes_of_resets_are_power_on_and_then_the_watchdog(told: dict[str, list[int]]) -> None:
    assert told["reset_cause"] == [1, 8]


def test_what_is_typed_comes_back(tmp_path: Path) -> None:
    board = Board("arduino-mega", build_sketch("echo", MEGA, tmp_path))
    board.run("1 s", send=["first\r", "second\r"])
    assert board.console == "ready\r\nFIRST\r\nSECOND\r\n"
