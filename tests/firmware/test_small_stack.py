"""The small stack's images on virtual boards with an AVR: that they work, and what a byte costs on their bus."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from airwire.board import Board, SerialLine, WiredBoards

BOARDS = ("goldilocks-1284p-w5200", "goldilocks-1284p-w5100", "arduino-uno-w5100", "arduino-mega-w5500")
MEGA = BOARDS[3]
LARGE = (BOARDS[0], MEGA)
"""Those with more than 2 KB of RAM, one for each chip."""
REPOSITORY = Path(__file__).resolve().parents[2]
POLLED = {"wiznet_int": "off", "wiznet_poll_us": "0"}
GOLDILOCKS_HZ = 22_118_400


@pytest.fixture(scope="module")
def built(firmware_of_avrs: Path) -> Path:
    """The folder of the images."""
    return firmware_of_avrs


def board_of(built: Path, board: str, image: str, *traffic: str, impair: str | None = None, **settings: str) -> Board:
    path = built / board / image
    return Board(board, path, traffic=list(traffic), impair=impair, settings=settings, record=False)


def outcomes(board: Board, client: str, limit: str = "30 s") -> list[str]:
    """How each message of a client ended."""
    board.run(limit, until_done=True)
    return [sample["outcome"] for sample in board.traffic.samples(client)]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("settings", [{}, POLLED], ids=["by its pin", "polled"])
def test_pings_of_every_size_are_answered(built: Path, board: str, settings: dict[str, str]) -> None:
    sizes = (0, 1, 56, 500)
    clients = [f"of{size} kind=ping to=board count=3 size={size}" for size in sizes]
    pinged = board_of(built, board, "ping-small.elf", *clients, **settings)
    pinged.run("30 s", until_done=True)
    for size in sizes:
        assert [one["outcome"] for one in pinged.traffic.samples(f"of{size}")] == ["ok"] * 3, (size, pinged.console)


def test_a_frame_that_finds_no_room_in_2_kb_is_dropped_and_the_next_one_is_not(built: Path) -> None:
    long, short = (
        "long kind=ping to=board count=2 size=1300 timeout=200ms",
        "short kind=ping to=board count=4 size=500 start=4s",
    )
    pinged = board_of(built, "arduino-uno-w5100", "ping-small.elf", long, short)
    pinged.run("30 s", until_done=True)
    ended = {name: [one["outcome"] for one in pinged.traffic.samples(name)] for name in ("long", "short")}
    assert ended == {"long": ["timed_out"] * 2, "short": ["ok"] * 4}


@pytest.mark.parametrize("board", BOARDS)
def test_ping_pong_in_both_roles(built: Path, board: str) -> None:
    client = board_of(built, board, "pingpong_client-small.elf", "pingpong-server port=5000")
    run = client.run("30 s", until="done\n")
    assert run.reason == "text", run.sentence + client.console
    told = {name: int(value) for name, value in re.findall(r"^(.+) (\d+)$", client.console, re.MULTILINE)}
    assert (told["messages"], told["errors"], told["last number"]) == (1000, 0, 2000)
    server = board_of(built, board, "pingpong_server-small.elf", "pingpong to=board:5000 rounds=200")
    assert outcomes(server, "pingpong") == ["ok"] * 200


@pytest.mark.parametrize("board", BOARDS)
def test_a_coap_server_answers_over_udp(built: Path, board: str) -> None:
    asking = board_of(built, board, "coap_client-small.elf", requests="3", period_ms="100")
    run = asking.run("30 s", until="done\n")
    assert run.reason == "text", run.sentence + asking.console
    assert asking.console.count("2.05 Hello world!") == 3


@pytest.mark.parametrize("quality", ["0", "1", "2"])
@pytest.mark.parametrize("board", LARGE)
def test_an_mqtt_client_hears_what_it_publishes(built: Path, board: str, quality: str) -> None:
    # The virtual PC's broker hands messages on with a quality of service of 0 or 1.
    client = board_of(built, board, "mqtt_client-small.elf", "mqtt", quality=quality, period_ms="200")
    run = client.run("30 s", until="airwire/count 4\n")
    assert run.reason == "text", run.sentence + client.console
    said = client.console
    assert said.count("connected\n") == 1 and "error" not in said
    assert re.findall(r"^airwire/count (\d+)$", said, re.MULTILINE) == [str(count) for count in range(5)]


def test_an_mqtt_client_comes_back_from_a_late_broker(built: Path) -> None:
    client = board_of(built, MEGA, "mqtt_client-small.elf", "mqtt start=6s")
    client.run("12 s", until="airwire/count 1\n")
    assert client.console.count("error: there is no connection to the broker\n") in range(1, 4)
    assert "connected\nairwire/count 0\nairwire/count 1\n" in client.console


@pytest.mark.parametrize("board", LARGE)
def test_a_web_server_has_its_pages_in_flash(built: Path, board: str) -> None:
    clients = [
        f"{name} kind=http to=board path={path} requests=6 keep_alive={keeps} start={3000 + 1500 * n}ms"
        for n, (name, path, keeps) in enumerate(
            [("plain", "/static.html", "true"), ("live", "/", "true"), ("none", "/nowhere", "false")]
        )
    ]
    server = board_of(built, board, "http_server-small.elf", *clients)
    server.run("30 s", until_done=True)
    ended = {name: [one["status"] for one in server.traffic.samples(name)] for name in ("plain", "live", "none")}
    assert ended == {"plain": [200] * 6, "live": [200] * 6, "none": [404] * 6}, server.console
    page = (REPOSITORY / "firmware" / "sites" / "small" / "static.html").read_bytes()
    first = server.traffic.samples("plain")[0]
    assert first["response_bytes"] >= len(page)


@pytest.mark.parametrize("other", [MEGA, "w5500-evb-pico"])
def test_ping_pong_over_serial_lines(built: Path, other: str) -> None:
    """USART1 on D18 (out) and D19 (in); UART1 of the Pico on GP4 and GP5."""
    asks = board_of(built, MEGA, "serial_pingpong-small.elf", rounds="40")
    is_mega = other == MEGA
    image = f"serial_pingpong-{'small' if is_mega else 'hardware'}.elf"
    answers = board_of(built, other, image, role="answers")
    out, into = ("D18", "D19") if is_mega else ("GP4", "GP5")
    pair = WiredBoards(asks, answers, [SerialLine("first", "D18", into), SerialLine("second", out, "D19")])
    pair.run("3.2 s")
    assert "messages 40\nerrors 0\nlast number 80\ndone\n" in asks.console


def test_ping_pong_survives_a_wire_that_loses_frames(built: Path) -> None:
    client = "pingpong to=board:5000 rounds=200"
    server = board_of(built, BOARDS[0], "pingpong_server-small.elf", client, impair="loss=5%")
    assert outcomes(server, "pingpong", "600 s") == ["ok"] * 200


def test_one_connection_after_the_other(built: Path) -> None:
    clients = [f"client{n} kind=pingpong to=board:5000 rounds=20 start={3000 + 5 * n}ms" for n in range(3)]
    server = board_of(built, BOARDS[0], "pingpong_server-small.elf", *clients)
    server.run("60 s", until_done=True)
    for n in range(3):
        assert [one["outcome"] for one in server.traffic.samples(f"client{n}")] == ["ok"] * 20, n


def test_a_hex_file_does_what_its_elf_does(built: Path) -> None:
    pinged = [
        board_of(built, BOARDS[0], f"ping-small.{ending}", "ping to=board count=4 size=500")
        for ending in ("elf", "hex")
    ]
    assert [outcomes(board, "ping") for board in pinged] == [["ok"] * 4] * 2
    latencies = [[one["latency_ps"] for one in board.traffic.samples("ping")] for board in pinged]
    assert latencies[0] == latencies[1]


def test_a_board_without_its_chip_says_so(built: Path) -> None:
    board = Board("goldilocks-1284p", built / BOARDS[0] / "ping-small.elf")
    board.run("2 s")
    assert "error: No W5200 answers on the SPI" in board.console


def test_the_watchdog_starts_a_board_anew_whose_loop_stands_still(built: Path) -> None:
    board = board_of(built, BOARDS[0], "ping-small.elf", watchdog_ms="500")
    board.run("10 s")
    assert board.report.resets == 0
    board.set_register(
        "pc", board.address_of("__stop_program")
    )  # avr-libc's end of a program: CLI, and a jump to itself
    board.run("2 s")
    assert board.report.resets == 1
    assert "error: the watchdog has started the board anew" in board.console


SELECT, CLOCK = 12, 15
"""PB4 and PB7, as board files number the pins of an ATmega1284P."""


def recorded(built: Path, board: str, image: str, **settings: str) -> tuple[list[tuple[int, int, bool]], list[int]]:
    """The edges of chip select and of the clock while a ping of 1300 B is answered; and when it began and ended."""
    pinged = Board(
        board, built / board / image, traffic=["ping to=board count=2 size=1300"], settings={**POLLED, **settings}
    )
    pinged.run("30 s", until_done=True)
    last = pinged.traffic.samples("ping")[-1]
    span = [last["trigger_ps"], last["done_ps"]]
    return [edge for edge in pinged.edges_by_gpio() if span[0] <= edge[0] <= span[1]], span


def cycles(time_ps: float) -> float:
    return time_ps * GOLDILOCKS_HZ / 1e12


def test_no_interrupt_costs_a_byte_that_comes_in(built: Path) -> None:
    """What came in has to be taken before the next byte is whole, whatever interrupts there are meanwhile."""
    client = "ping to=board count=300 size=1300 interval=7ms timeout=20ms"
    pinged = board_of(built, BOARDS[0], "ping-small_task.elf", client, **POLLED)
    assert outcomes(pinged, "ping") == ["ok"] * 300


def test_a_byte_to_and_from_a_w5200_takes_22_cycles(built: Path) -> None:
    """The report of 2014 saw 1.34 ms for the 1342 bytes of a frame on its oscilloscope, which are 22 cycles a byte."""
    edges, _ = recorded(built, "goldilocks-1284p-w5200", "ping-small.elf")
    starts = [time for time, pin, level in edges if pin == CLOCK and level][::8]
    gaps = [round(cycles(later - one)) for one, later in pairwise(starts)]
    # Within a burst a byte follows the one before at once; it is read first, and the answer written then.
    bursts = [gap for gap in gaps if gap < 30]
    half = len(bursts) // 2
    assert (median(bursts[:half]), median(bursts[half:])) == (22, 22)


def test_a_byte_to_and_from_a_w5100_takes_163_cycles_with_interrupts_held(built: Path) -> None:
    """Four bytes of SPI, each transaction by itself: 36 us a byte, as a report has it, would be 796 cycles."""
    settings = {"spi_hz": "5.55 MHz"}
    edges, _ = recorded(built, "goldilocks-1284p-w5100", "ping-small_task-bytes.elf", **settings)
    falls = [time for time, pin, level in edges if pin == SELECT and not level]
    gaps = [round(cycles(later - fall)) for fall, later in pairwise(falls)]
    bursts = [gap for gap in gaps if gap < 200]
    half = len(bursts) // 2
    assert (median(bursts[:half]), median(bursts[half:])) == (163, 163)


def test_a_register_costs_27_us_with_a_mutex_around_each_byte(built: Path) -> None:
    """The report says 28 us for an access to a register."""
    edges, span = recorded(built, "goldilocks-1284p-w5200", "ping-small_task-bytes.elf")
    falls = [time for time, pin, level in edges if pin == SELECT and not level and time < span[1]]
    gaps = [(later - fall) / 1e6 for fall, later in pairwise(falls) if later - fall < 50e6]
    assert 26 < median(gaps) < 29
