"""Boards with a WIZnet chip: firmware that drives the chip by its registers, the chip, the wire and a PC, together."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from airwire.board import Board

BOARDS = {"w5500-evb-pico": "", "w5100s-evb-pico": "_w5100s"}
CHIPS = {"w5500-evb-pico": "W5500", "w5100s-evb-pico": "W5100S"}
NO_PC = '[pc]\naddress = "none"\n'
both_boards = pytest.mark.parametrize("board", BOARDS)


def board_with(
    board: str, images: Path, name: str, *, record: bool = False, network: Path | None = None, seed: int = 1
) -> Board:
    return Board(board, images / f"{name}{BOARDS[board]}.elf", record=record, network=network, seed=seed)


def ended(board: Board) -> str:
    """The console of an image that ends by itself."""
    run = board.run("30 s", until="done\n")
    assert run.reason == "text", run.sentence + board.console
    return board.console


def values(console: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"^(?:~ )?(.+) (\d+)$", console, re.MULTILINE)}


def network(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "network.toml"
    file.write_text(text)
    return file


@both_boards
@pytest.mark.parametrize("image", ["wiznet_udp", "wiznet_bitbang", "wiznet_pio"])
def test_a_datagram_goes_to_the_pc_and_back_over_every_bus(images: Path, board: str, image: str) -> None:
    console = ended(board_with(board, images, image))
    told = values(console)
    assert f"{CHIPS[board]} is there." in console
    # Eight bytes of address, port and length stand before the 64 of the datagram.
    assert told["bytes in the RX buffer"] == 72
    assert (told["from port"], told["length"], told["bytes that differ"]) == (7, 64, 0)


def test_pins_moved_one_by_one_are_slower_than_the_buses_of_the_chip(images: Path) -> None:
    times = [
        values(ended(board_with("w5500-evb-pico", images, image)))["microseconds"]
        for image in ("wiznet_udp", "wiznet_pio", "wiznet_bitbang")
    ]
    assert times == sorted(times)
    assert times[2] > 1.5 * times[0]


@both_boards
@pytest.mark.parametrize("image", ["wiznet_pingpong", "wiznet_pingpong_int"])
def test_a_thousand_numbers_come_back_one_larger(images: Path, board: str, image: str) -> None:
    told = values(ended(board_with(board, images, image)))
    # From 1, each round trip adds one on the PC and one on the board.
    assert (told["messages"], told["errors"], told["last number"]) == (1000, 0, 2001)
    assert told["shortest"] <= told["microseconds per message"] <= told["longest"]


@pytest.mark.parametrize("image", ["wiznet_pingpong", "wiznet_pingpong_int"])
def test_a_slow_bus_costs_what_its_bytes_cost(images: Path, image: str) -> None:
    fast, slow = (
        values(ended(board_with("w5500-evb-pico", images, name)))["microseconds per message"]
        for name in (image, f"{image}_2mhz")
    )
    # A message takes some 60 bytes in a dozen transactions at the least, 4 us each at 2 MHz.
    assert slow - fast > 60 * 4 * 0.9
    assert slow < 1000


@both_boards
def test_who_connects_before_the_link_is_up_times_out_and_then_succeeds(images: Path, board: str) -> None:
    console = ended(board_with(board, images, "wiznet_early"))
    outcomes = re.findall(r"link: (up|down), (.*)\n~ milliseconds (\d+)\n", console)
    assert outcomes[0][0] == "down"
    assert "error" in outcomes[0][1]
    # ARP is asked for nine times, 200 ms apart, with RTR and RCR as they are after reset.
    assert int(outcomes[0][2]) == pytest.approx(1800, abs=5)
    assert outcomes[-1][1] == "connected"
    assert f"failures {len(outcomes) - 1}\n" in console


@pytest.mark.slow
def test_which_error_an_early_connection_ends_with_depends_on_when_the_driver_looks(images: Path) -> None:
    consoles = [
        ended(board_with("w5500-evb-pico", images, name))
        for name in ("wiznet_early", "wiznet_early_2mhz", "wiznet_early_6mhz", "wiznet_early_20mhz")
    ]
    first = [re.search(r"link: down, .*error (-\d+)\n~ milliseconds (\d+)\n", console) for console in consoles]
    # SOCKERR_TIMEOUT and SOCKERR_SOCKCLOSED: the same program, whose bus is faster or slower.
    assert {match[1] for match in first if match} == {"-13", "-4"}
    assert all(int(match[2]) == pytest.approx(1800, abs=5) for match in first if match)


@both_boards
def test_software_answers_arp_and_ping_through_a_raw_socket(images: Path, board: str, tmp_path: Path) -> None:
    file = network(tmp_path, '[traffic.ping]\nto = "192.168.1.50"\ncount = 3\ninterval = "100 ms"\nstart = "5 s"\n')
    raw = board_with(board, images, "wiznet_macraw", network=file)
    raw.run("4.9 s")
    assert "MACRAW is open." in raw.console
    assert "answered" not in raw.console
    raw.run("2 s")
    assert raw.console.endswith("ARP answered\necho answered\n")


@both_boards
def test_bulk_goes_both_ways_at_the_speed_of_the_bus(images: Path, board: str) -> None:
    console = ended(board_with(board, images, "wiznet_bulk"))
    told = values(console)
    assert told["bytes sent"] == told["bytes received"] == 4 << 20
    assert told["errors"] == 0
    for kbit_s in map(int, re.findall(r"kbit/s (\d+)", console)):
        assert 8_000 < kbit_s < 33_250


def test_an_image_without_a_pc_says_that_nobody_answers(images: Path, tmp_path: Path) -> None:
    console = ended(board_with("w5500-evb-pico", images, "wiznet_udp", network=network(tmp_path, NO_PC)))
    assert "error: nobody has the PC's address" in console


def test_the_wrong_chip_is_no_chip(images: Path) -> None:
    console = ended(Board("w5500-evb-pico", images / "wiznet_udp_w5100s.elf", record=False))
    assert "error: no W5100S answers" in console


@both_boards
def test_the_same_image_gives_the_same_console_and_edges(images: Path, board: str) -> None:
    first, second = (board_with(board, images, "wiznet_udp", record=True, seed=7) for _ in range(2))
    assert ended(first) == ended(second)
    assert first.time_ps == second.time_ps
    edges = first.edges_by_gpio()
    assert edges == second.edges_by_gpio()
    assert len(edges) > 10_000


@pytest.mark.parametrize("image", ["wiznet_pingpong", "wiznet_pingpong_int"])
def test_a_run_in_pieces_equals_a_run_in_one(images: Path, image: str) -> None:
    whole, pieces = (board_with("w5500-evb-pico", images, image) for _ in range(2))
    pieces.run("2.48 s")
    for number in range(500):
        pieces.run(10**8 - 1 if number % 2 else 10**8 + 1)
    assert ended(pieces) == ended(whole)
    assert pieces.time_ps == whole.time_ps
    assert pieces.memory[0x2000_0000:0x2000_2000] == whole.memory[0x2000_0000:0x2000_2000]


@contextmanager
def served(board: Board, wall_time: str) -> Iterator[str]:
    """The address of the board's port 80 on this machine, while the board runs at the pace of the wall clock."""
    ready = threading.Event()
    addresses: list[str] = []

    def on_ready(found: list[str]) -> None:
        addresses.extend(found)
        ready.set()

    thread = threading.Thread(target=lambda: board.serve(wall_time, forward=["0:192.168.1.50:80"], on_ready=on_ready))
    thread.start()
    try:
        assert ready.wait(20)
        yield addresses[0]
    finally:
        thread.join()


@both_boards
def test_a_browser_of_this_machine_gets_both_pages(images: Path, board: str) -> None:
    server = board_with(board, images, "wiznet_http")
    server.run("5 s", until="sockets for HTTP")
    server.run("100 ms")
    with served(server, "3 s") as address:
        client = HTTPConnection(address, timeout=10)
        client.request("GET", "/")
        assert len(client.getresponse().read()) == 137
        client.request("GET", "/big")
        lines = client.getresponse().read().decode().splitlines()
        client.close()
    assert {len(line) for line in lines} == {63}
    assert len(lines) == 320
    # The letters go on from line to line, with one more after each 64 bytes.
    assert [line[0] for line in lines[:3]] == ["a", "n", "a"]


@both_boards
@pytest.mark.parametrize("keep_alive", [True, False])
def test_http_requests_of_the_pc_are_all_answered(images: Path, board: str, keep_alive: bool, tmp_path: Path) -> None:
    file = network(
        tmp_path,
        f'[traffic.http]\nto = "board:80"\nrequests = 1000\nstart = "4 s"\nkeep_alive = {str(keep_alive).lower()}\n',
    )
    server = board_with(board, images, "wiznet_http", network=file)
    assert server.run("30 s", until="requests 1000\n").reason == "text", server.console
