"""A page by the Arduino core for the RP2040 with a W5500: what the sketches in ``arduino`` do on the virtual board.

Their builds are not in the repository (README.md says what they are built of). Each test asks for what every sound
build does, by whatever compiler: what the core's source says of its polls, what the bus alone takes, and what the
core's author has published.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from public_images import REPOSITORY, built_image

import airwire
from airwire.board import Board
from airwire.explain.verdicts import verdicts_of

MS = 10**9
PAGE = REPOSITORY / "firmware" / "sites" / "demo" / "static.html"
POLLED, POLLED_5_MS, INTERRUPT = "arduino_pico_page.elf", "arduino_pico_page_5ms.elf", "arduino_pico_page_int.elf"
FASTER_BUS, SOCKETS = "arduino_pico_page_int_sck.elf", "arduino_pico_sockets.elf"
ALL = (POLLED, POLLED_5_MS, INTERRUPT, FASTER_BUS, SOCKETS)
# A frame with an echo request of 56 bytes and one with its answer, of 98 bytes each, at the library's 4 MHz.
PING_OVER_SPI_PS = 2 * 98 * 8 * 250_000
# Pings at this distance meet a poll of 5 or 20 ms at every phase.
PINGS = "ping kind=ping to=board count=60 interval=37ms"


def pings_ps(image: str) -> list[int]:
    board = Board("w5500-evb-pico", built_image(image), traffic=(PINGS,))
    ended = board.run("20 s", until_done=True)
    assert ended.reason == "done", ended.sentence
    return sorted(sample["done_ps"] - sample["trigger_ps"] for sample in board.traffic.samples("ping"))


def pages_ps(image: str) -> list[int]:
    """The times of 20 pages, each of which came with the right bytes on a connection of its own."""
    crc32 = f"{zlib.crc32(PAGE.read_bytes()):08x}"
    client = f"http kind=http to=board path=/static.html requests=20 body_crc32={crc32}"
    board = Board("w5500-evb-pico", built_image(image), traffic=(client,))
    ended = board.run("20 s", until_done=True)
    assert ended.reason == "done", ended.sentence
    http = board.traffic["http"]
    assert http.failure is None
    assert {counter.name: counter.value for counter in http.counters}["answered"] == 20
    return sorted(sample["done_ps"] - sample["trigger_ps"] for sample in board.traffic.samples("http"))


def median(values: Sequence[int]) -> int:
    return values[len(values) // 2]


@pytest.mark.parametrize("image", ALL)
def test_a_sketch_gets_an_address_and_serves_the_page_to_the_byte(image: str) -> None:
    board = Board("w5500-evb-pico", built_image(image))
    board.run("12 s", until="serving at 192.168.1.")
    assert "serving at 192.168.1." in board.console
    assert pages_ps(image)[0] > 0


def test_the_library_polls_each_20_ms_so_that_a_ping_takes_ten_on_average() -> None:
    # LwipEthernet.cpp of the core has 20 ms, and begins to count them behind the last look.
    pings = pings_ps(POLLED)
    assert pings[0] >= PING_OVER_SPI_PS
    spread = pings[-1] - pings[0]
    assert 18 * MS < spread < 21 * MS
    assert 8 * MS < median(pings) < 13 * MS


def test_a_ping_at_polls_of_5_ms_is_where_the_cores_author_measured_it() -> None:
    # earlephilhower/arduino-pico#1703: 1.36 to 5.79 ms, from a PC that takes some time of its own.
    pings = pings_ps(POLLED_5_MS)
    assert pings[-1] < 6.5 * MS
    assert 2 * MS < median(pings) < 4.7 * MS


def test_with_the_chips_interrupt_a_ping_is_bound_by_the_bus_and_below_the_published_one() -> None:
    # earlephilhower/arduino-pico#1986: about 1.5 ms, with the PC.
    pings = pings_ps(INTERRUPT)
    assert PING_OVER_SPI_PS < median(pings) < 1.5 * MS
    assert median(pings_ps(FASTER_BUS)) < median(pings) - PING_OVER_SPI_PS / 2


def test_a_page_waits_for_a_poll_and_then_for_nothing_but_bus_and_processor() -> None:
    polled, interrupt, faster = (median(pages_ps(image)) for image in (POLLED, INTERRUPT, FASTER_BUS))
    assert polled > interrupt + 20 * MS
    assert faster < interrupt < 15 * MS


def test_the_chip_answers_pings_where_its_own_tcp_serves() -> None:
    assert median(pings_ps(SOCKETS)) < 0.1 * MS


def test_the_verdict_on_the_polled_sketch_is_the_poll_and_the_board_is_found_without_a_name(tmp_path: Path) -> None:
    client = "http to=board path=/static.html requests=30"
    answer = airwire.why(built_image(POLLED), traffic=(client,), out=tmp_path / "run")
    assert answer.board == "w5500-evb-pico" and not answer.board_was_given
    assert answer.row is not None
    assert "waits for a poll" in verdicts_of(answer.row)[0].line


def test_a_library_that_asks_for_three_chips_is_tried_with_the_one_that_answers_most(tmp_path: Path) -> None:
    """Arduino's Ethernet library asks for a W5200, a W5500 and a W5100, where the last has no answer to the others."""
    answer = airwire.why(built_image(SOCKETS), out=tmp_path / "run")
    assert answer.board == "w5500-evb-pico" and not answer.board_was_given


def test_no_faster_bus_is_advised_than_the_clock_of_the_spi_gives(tmp_path: Path) -> None:
    """At 200 MHz the SDK leaves clk_peri at the 48 MHz of USB, of which the SPI gives half."""
    client = "http to=board path=/static.html requests=30"
    answer = airwire.why(built_image(INTERRUPT), traffic=(client,), out=tmp_path / "run")
    assert answer.row is not None
    assert any("raise SCK to 24 MHz" in verdict.line for verdict in verdicts_of(answer.row))
