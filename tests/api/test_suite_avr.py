"""The suite of boards with an AVR: its figures against what wires and clocks allow, and its verdicts against what each
row changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import airwire
from airwire.explain.verdicts import verdict_of
from airwire.runs.packaged import find_suite

US = 10**6
SPI_HZ = 8_000_000
# 16 MHz by twice 1 + 16, at double speed (ATmega2560 datasheet, "Examples of Baud Rate Setting").
BAUD = 16e6 / 8 / 17
CHARACTER_BITS = 10


@pytest.fixture(scope="module")
def ran(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("avr") / "run"
    airwire.run(find_suite("avr"), firmware=firmware, out=folder)
    return folder


@pytest.fixture(scope="module")
def figures(ran: Path) -> dict[str, float]:
    rows = airwire.rows_of_boards(airwire.load_run(ran))
    return {row.path: row.target.figure.value for row in rows if row.target.figure is not None}


def test_every_row_has_a_figure(figures: dict[str, float]) -> None:
    assert len(figures) == find_suite("avr").read_text().count("[boards.")


def test_a_ping_takes_what_its_bytes_take_on_the_spi_and_no_less(figures: dict[str, float]) -> None:
    # 14 bytes of Ethernet, 20 of IP and 8 of ICMP, in and out; a W5100 has four bytes on the SPI for each of them.
    frame = 14 + 20 + 8 + 56
    bits = 2 * 8 * frame
    assert figures["ping-mega"] > bits / SPI_HZ * 1e12
    assert figures["ping-uno"] > 4 * bits / SPI_HZ * 1e12
    # At an eighth of the rate the bits alone take so much longer.
    slower = figures["ping-mega-1mhz"] - figures["ping-mega"]
    assert slower > 7 * bits / SPI_HZ * 1e12


def test_a_look_each_millisecond_costs_half_of_one_on_average(figures: dict[str, float]) -> None:
    waited = figures["ping-uno-polled"] - figures["ping-uno"]
    assert 0 < waited < 1000 * US


def test_pages_on_one_connection_save_the_handshakes(figures: dict[str, float]) -> None:
    assert figures["page-mega-keep-alive"] < figures["page-mega"]
    assert figures["page-mega-1mhz"] > figures["page-mega-keep-alive"]


def test_counts_that_nobody_acknowledges_come_faster_than_those_with_quality_1(figures: dict[str, float]) -> None:
    assert figures["mqtt-mega-qos0"] > figures["mqtt-mega"]
    assert figures["mqtt-mega-console"] > figures["mqtt-mega"]


def test_numbers_on_a_serial_line_take_their_characters(figures: dict[str, float]) -> None:
    # Three digits and the end of the line, there and back, one after the other.
    most = BAUD / CHARACTER_BITS / (2 * 4)
    assert 0.6 * most < figures["serial-mega"] < most
    assert 1.5 < figures["serial-mega-250000"] / figures["serial-mega"] < 250_000 / BAUD


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ("ping-uno", "is SPI at 8 MHz: move less; the most is headers over SPI"),
        ("ping-mega-1mhz", "is SPI at 1 MHz: raise SCK to 8 MHz"),
        ("page-mega", "is the processor at work"),
        ("mqtt-mega-qos0", "waits for the console's UART: print less, or raise its baud rate"),
        ("serial-mega", "is characters on the serial line: raise the rate of both UARTs"),
    ],
)
def test_a_row_says_what_limits_it_in_one_line(ran: Path, row: str, verdict: str) -> None:
    (found,) = (one for one in airwire.rows_of_boards(airwire.load_run(ran)) if one.path == row)
    line = verdict_of(found)
    assert line is not None and verdict in line.line
