"""``airwire.why``: the board of an image, what it does there, and what is measured, against what it was built for."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import airwire
from airwire.board import Board
from airwire.board.network import Service
from airwire.cli.why_lines import does
from airwire.diagnosis.ask import question_for
from airwire.diagnosis.discover import Discovery, discover
from airwire.diagnosis.going_on import run_past_faults
from airwire.diagnosis.identify import identify
from airwire.diagnosis.spi_bus import Edge, spi_bus
from airwire.explain.verdicts import verdicts_of

SCK, SELECT, MOSI, LED, UART = 10, 13, 11, 25, 0
HALF_CLOCK_PS, UART_BIT_PS = 1_000_000, 8_680_555
"""Of SCK at 500 kHz, and of a UART at 115 200 baud."""


def edges_of(transactions: Sequence[bytes], idle_sck: bool = False) -> list[Edge]:
    """The edges of a bus in mode 0 (or 3), bit by bit."""
    edges: list[Edge] = [(0, SELECT, True), (0, SCK, idle_sck)]
    now_ps, mosi = 0, "0"
    for transaction in transactions:
        now_ps += HALF_CLOCK_PS
        edges.append((now_ps, SELECT, False))
        for bit in "".join(f"{byte:08b}" for byte in transaction):
            if idle_sck:
                edges.append((now_ps, SCK, False))
            if mosi != bit:
                edges.append((now_ps, MOSI, bit == "1"))
                mosi = bit
            edges.append((now_ps + HALF_CLOCK_PS, SCK, True))
            now_ps += 2 * HALF_CLOCK_PS
            if not idle_sck:
                edges.append((now_ps, SCK, False))
        edges.append((now_ps, SELECT, True))
    return edges


@given(st.lists(st.binary(min_size=1, max_size=12), min_size=8, max_size=30), st.booleans())
def test_the_bytes_of_every_transaction_come_back_in_both_modes(sent: list[bytes], idle_sck: bool) -> None:
    found = spi_bus(edges_of(sent, idle_sck))
    if found is None:
        # Too few clocks for a bus, or a chip select that moves as often as the clock.
        assert sum(map(len, sent)) * 8 < 3 * len(sent) * 8
        return
    assert (found.sck, found.select) == (SCK, SELECT)
    changing = any(byte not in (0, 255) for transaction in sent for byte in transaction)
    assert not changing or list(found.transactions) == sent


# What Mongoose's driver for the W5500 says before it gives up: eight transactions of a clock slower than a console.
OPENING = [bytes.fromhex(text) for text in ("00000480", "002e0400", "002e04f8", "001e0c10", "001f0c10", "00000c04")]


@pytest.mark.parametrize("first", range(0, 9_000_000, 600_000))
def test_a_console_that_prints_beside_the_bus_is_not_its_data(first: int) -> None:
    bus = edges_of(OPENING)
    uart = [(at, UART, bit % 2 == 1) for bit, at in enumerate(range(first, bus[-1][0], UART_BIT_PS))]
    found = spi_bus(sorted(bus + uart, key=lambda edge: edge[0]))
    assert found is not None and found.mosi == MOSI and list(found.transactions) == OPENING


def test_data_may_change_at_the_very_instant_of_the_falling_edge() -> None:
    edges = edges_of(OPENING)
    data_first = sorted(edges, key=lambda edge: (edge[0], edge[1] == SCK))
    found = spi_bus(data_first)
    assert found is not None and found.mosi == MOSI and list(found.transactions) == OPENING


def test_two_pins_that_move_more_than_the_clock_do_not_hide_the_bus() -> None:
    bus = edges_of(OPENING)
    pwm = [(at, pin, at // 700_000 % 2 == 1) for pin in (UART, LED) for at in range(0, bus[-1][0], 700_000)]
    found = spi_bus(sorted(bus + pwm, key=lambda edge: edge[0]))
    assert found is not None and (found.sck, found.select) == (SCK, SELECT)
    assert list(found.transactions) == OPENING


def test_clocks_behind_the_last_chip_select_do_not_hide_the_bus() -> None:
    # An Arduino's Ethernet library that finds no chip clocks on, and selects none any more.
    selected = [bytes.fromhex("0000800180")] * 8
    behind = [(edge[0] + 10**12, *edge[1:]) for edge in edges_of([bytes(600)]) if edge[1] == SCK]
    found = spi_bus(edges_of(selected) + behind)
    assert found is not None and (found.sck, found.select) == (SCK, SELECT)
    assert list(found.transactions) == selected


def test_a_pin_that_was_low_once_around_a_few_bytes_is_no_chip_select() -> None:
    clocks = [edge for edge in edges_of([bytes(100)]) if edge[1] == SCK]
    assert spi_bus([(0, LED, False), *clocks[:17], (clocks[16][0], LED, True), *clocks[17:]]) is None


def test_a_pin_that_blinks_is_no_bus() -> None:
    assert spi_bus([(level, LED, level % 2 == 0) for level in range(1000)]) is None


def test_a_display_on_a_dozen_pins_is_no_bus_and_is_seen_through_soon() -> None:
    # An image for a HUB75 panel: a clock, data that changes with most of its edges, a latch and an address.
    rows = [
        edge
        for clock in range(20_000)
        for edge in [
            *((10 * clock, pin, (clock * 2654435761 >> pin) % 2 == 1) for pin in range(6)),
            (10 * clock + 5, 11, True),
            (10 * clock + 9, 11, False),
            *([(10 * clock + 9, 12, clock % 256 < 128)] if clock % 128 == 0 else []),
        ]
    ]

    def by_pin() -> None:
        places: dict[int, list[tuple[int, bool]]] = {}
        for index, (_, pin, level) in enumerate(rows):
            places.setdefault(pin, []).append((index, level))

    assert spi_bus(rows) is None
    # To look at all edges of every pin beside each clock takes seven times as long as to tell the pins apart.
    assert least_time(lambda: spi_bus(rows)) < 4 * least_time(by_pin)


def least_time(work: Callable[[], object]) -> float:
    """The processor time of the quickest of a few goes, as others may be busy too."""
    times = []
    for _ in range(4):
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 29), st.booleans()), max_size=300))
def test_any_edges_are_read_without_an_error(edges: list[Edge]) -> None:
    spi_bus(edges)


@pytest.mark.parametrize("board", ["w5500-evb-pico", "w5100s-evb-pico", "pico-w5100", "pico-w5200"])
@pytest.mark.parametrize("transport", ["hardware", "lwip_raw"])
def test_the_board_is_the_one_that_the_image_was_built_for(firmware: Path, board: str, transport: str) -> None:
    identity = identify(firmware / board / f"http_server-{transport}.uf2", None, {})
    assert identity.boards[0] == board
    bus = identity.bus
    assert bus is not None and (bus.sck, bus.select, bus.mosi) == (18, 17, 19)


def found(firmware: Path, image: str) -> Discovery:
    board, _, _ = image.partition("/")
    return discover(firmware / image, board, symbols=None, settings={}, network=None, seed=1)


@pytest.mark.parametrize("transport", ["hardware", "lwip_raw", "lwip_sockets"])
def test_a_web_server_is_found_by_its_port(firmware: Path, transport: str) -> None:
    seen = found(firmware, f"w5500-evb-pico/http_server-{transport}.elf")
    assert [(one.port, one.speaks) for one in seen.services] == [(80, "http")]
    assert seen.answers_ping and not seen.called and seen.address == "192.168.1.50"


@pytest.mark.parametrize("transport", ["hardware", "lwip_raw", "lwip_sockets"])
def test_a_ping_pong_server_is_found_by_its_answer(firmware: Path, transport: str) -> None:
    seen = found(firmware, f"w5500-evb-pico/pingpong_server-{transport}.elf")
    assert [(one.port, one.speaks) for one in seen.services] == [(5000, "counter")]


def test_the_services_of_streams_are_told_apart(firmware: Path) -> None:
    seen = found(firmware, "w5500-evb-pico/streams-lwip_raw.elf")
    assert {one.port: one.speaks for one in seen.services} == {7: "echo", 9: "sink", 19: "source"}


@pytest.mark.parametrize(
    ("image", "server"),
    [
        ("pingpong_client-hardware", "pingpong-server"),
        ("mqtt_client-lwip_raw", "mqtt"),
        ("coap_client-hardware", "coap"),
    ],
)
def test_a_client_is_known_by_the_server_that_it_speaks_to(firmware: Path, image: str, server: str) -> None:
    seen = found(firmware, f"w5500-evb-pico/{image}.elf")
    assert [one.kind for one in seen.called] == [server]


def test_an_image_that_only_answers_pings_is_pinged(firmware: Path) -> None:
    answer = airwire.why(firmware / "w5500-evb-pico" / "ping-lwip_raw.uf2")
    assert answer.question is not None and answer.question.measure == "latency"
    assert answer.row is not None and answer.row.target.figure is not None
    assert answer.row.target.figure.unit == "ps"


def test_an_image_that_has_ipv6_alone_is_measured_over_that(firmware: Path) -> None:
    image = firmware / "w5500-evb-pico" / "pingpong_server-lwip_raw-ipv6.elf"
    answer = airwire.why(image, settings={"address": "0.0.0.0"})
    assert answer.found is not None and answer.found.address == "fe80::ff:fe41:5750"
    assert answer.found.host == "board6" and answer.found.answers_ping
    assert answer.question is not None and "to=board6 " in answer.question.traffic[0]
    assert answer.row is not None and answer.row.target.figure is not None
    assert answer.row.target.figure.unit == "ps"


def test_the_client_of_a_service_goes_to_the_address_at_which_it_was_found(firmware: Path) -> None:
    seen = found(firmware, "w5500-evb-pico/pingpong_server-lwip_raw-ipv6.elf")
    over_ipv4, over_ipv6 = question_for(seen), question_for(replace(seen, host="board6"))
    assert over_ipv4 is not None and "to=board:5000 " in over_ipv4.traffic[0]
    assert over_ipv6 is not None and "to=board6:5000 " in over_ipv6.traffic[0]


def test_a_measured_image_has_the_figure_of_the_same_row_of_a_suite(firmware: Path, tmp_path: Path) -> None:
    image = firmware / "w5500-evb-pico" / "http_server-lwip_raw.elf"
    answer = airwire.why(image)
    suite = tmp_path / "suite.toml"
    traffic = json.dumps(["http kind=http to=board:80 requests=1000000"])
    row = f'firmware = {json.dumps(str(image))}\ntraffic = {traffic}\nmeasure = "requests"\nskip = 1'
    suite.write_text(f'[boards.row]\n{row}\nstop_within = "2 %"\nlimit = "30 s"\n')
    (expected,) = airwire.rows_of_boards(airwire.run(suite, out=tmp_path / "run"))
    assert answer.row is not None and answer.row.target.figure == expected.target.figure
    assert answer.board == "w5500-evb-pico" and not answer.board_was_given


@pytest.mark.slow
def test_a_sensor_that_sends_13_bytes_every_125_ms_sends_832_bits_a_second_by_the_clock(images: Path) -> None:
    answer = airwire.why(images / "wiznet_sensor.elf")
    assert answer.row is not None and answer.row.target.figure is not None
    assert answer.row.target.figure.value == pytest.approx(832, rel=1e-3)
    verdict, *_ = verdicts_of(answer.row)
    assert (verdict.kind, verdict.cause) == ("busy_wait", "waits for the clock in main")
    assert verdict.share > 0.99


def test_a_udp_server_is_found_told_and_measured(images: Path) -> None:
    answer = airwire.why(images / "wiznet_udp_echo.elf")
    assert answer.found is not None and answer.found.services == [Service("udp", 7, "echo", None)]
    assert does(answer.found) == "serves echo on UDP port 7 and answers pings"
    assert answer.found.tried.tcp > 1000 and answer.found.tried.udp > 40
    assert answer.question is not None and answer.question.traffic[0].startswith("udp kind=udp to=board:7 ")
    assert answer.row is not None and answer.row.target.figure is not None
    assert answer.row.target.figure.unit == "messages/s" and answer.row.outcomes["missed"] == 0


def test_a_udp_port_that_answers_nothing_is_told_where_the_board_refuses_others(images: Path) -> None:
    seen = discover(images / "wiznet_udp_silent.elf", "w5500-evb-pico", symbols=None, settings={}, network=None, seed=1)
    assert seen.services == [Service("udp", 69, "silent", None)]
    assert does(seen) == "has UDP port 69 open, which answers no datagram and answers pings"


def test_an_image_that_asks_once_is_measured_once(images: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def counted(*arguments: Any, **options: Any) -> airwire.Analysis:
        runs.append(arguments)
        return airwire.run(*arguments, **options)

    monkeypatch.setattr("airwire.diagnosis.answer.run_suite", counted)
    answer = airwire.why(images / "wiznet_settings.elf", settings={"rounds": 1})
    assert answer.row is not None and answer.row.target.figure is not None
    assert (answer.row.target.figure.n, answer.row.target.skip, len(runs)) == (1, 0, 1)


def test_an_spi_whose_data_changes_while_the_clock_is_high_has_no_chip_that_is_known(images: Path) -> None:
    # Without a line of data all bytes are zero, and a W5500 would take them for reads of its first registers.
    identity = identify(images / "spi_poll.elf", None, {})
    assert (identity.boards, identity.chips) == ([], [])


def test_an_image_for_no_network_says_what_it_does(images: Path) -> None:
    answer = airwire.why(images / "hello_uart.elf")
    assert answer.row is None and answer.board is None
    assert answer.reason is not None and "no network chip" in answer.reason


def test_a_board_without_a_network_is_no_place_to_ask(firmware: Path) -> None:
    with pytest.raises(airwire.AirwireError, match="board pico has no chip with Ethernet"):
        airwire.why(firmware / "w5500-evb-pico" / "ping-hardware.elf", board="pico")


def test_an_image_whose_look_ctrl_c_ended_has_no_answer(firmware: Path) -> None:
    board = Board("w5500-evb-pico", firmware / "w5500-evb-pico" / "http_server-lwip_raw.elf", record=False)
    stop = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    stop.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_past_faults(board, "100000 s")
    finally:
        stop.cancel()
