"""Our own firmware on a virtual Pico W.

Its driver joins networks of each kind, says what is wrong with one that it cannot join, comes back to one that went,
and carries what the applications have to say.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airwire.board import Board, BoardRun

BOARD = "pico-w"
TRANSPORTS = ("lwip_raw", "lwip_sockets")
SECURITY = {
    "open": 'security = "open"',
    "wpa2": 'passphrase = "correct horse"',
    "wpa3": 'security = "wpa3"\npassphrase = "correct horse"',
}
on_each_transport = pytest.mark.parametrize("transport", TRANSPORTS)


@pytest.fixture(scope="module")
def built(firmware: Path) -> Path:
    return firmware / BOARD


def network(folder: Path, *lines: str) -> Path:
    path = folder / "air.toml"
    path.write_text("[access_points.lab]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def all_done(board: Board, for_: str = "60 s") -> BoardRun:
    run = board.run(for_, until_done=True)
    assert not run.failed, f"{run.sentence}\n{board.console}"
    return run


@pytest.mark.parametrize("security", SECURITY)
def test_it_joins_a_network_of_each_security_and_answers_ping(built: Path, tmp_path: Path, security: str) -> None:
    board = Board(
        BOARD,
        built / "ping-lwip_raw.elf",
        network=network(tmp_path, SECURITY[security]),
        traffic=["ping to=board count=20 interval=100ms"],
        settings={"ssid": "lab", "passphrase": "correct horse", "security": security},
        record=False,
    )
    run = all_done(board)
    assert "20 pings" in run.traffic[0].summary and "0 lost" in run.traffic[0].summary
    assert board.notes == []


@pytest.mark.parametrize("spi_hz", [2_000_000, 10_000_000, 20_000_000, 33_300_000])
def test_it_reaches_its_radio_at_any_clock_of_the_bus(built: Path, tmp_path: Path, spi_hz: int) -> None:
    # A bit of the radio goes some nanoseconds after the clock rises: at the fall of a slow clock another one is there.
    board = Board(
        BOARD,
        built / "ping-lwip_raw.elf",
        network=network(tmp_path, SECURITY["open"]),
        traffic=["ping to=board count=5 interval=100ms"],
        settings={"ssid": "lab", "security": "open", "spi_hz": str(spi_hz)},
        record=False,
    )
    assert "0 lost" in all_done(board).traffic[0].summary


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"ssid": "lab", "passphrase": "wrong horse"}, "The access point refuses the passphrase"),
        ({"ssid": "other", "passphrase": "correct horse"}, "The CYW43439 does not find its network"),
        ({"ssid": "lab", "security": "open"}, "The CYW43439 does not find its network"),
    ],
    ids=["wrong key", "no such network", "no such security"],
)
def test_it_says_why_it_cannot_join(built: Path, tmp_path: Path, settings: dict[str, str], sentence: str) -> None:
    air = network(tmp_path, SECURITY["wpa2"])
    board = Board(BOARD, built / "ping-lwip_raw.elf", network=air, record=False, settings=settings)
    board.run("30 s", until=sentence)
    assert sentence in board.console
    assert "ready at" not in board.console


@on_each_transport
def test_it_comes_back_to_a_network_that_was_gone(built: Path, tmp_path: Path, transport: str) -> None:
    air = network(tmp_path, SECURITY["wpa2"], 'gone_at = "8s"', 'back_at = "20s"')
    board = Board(
        BOARD,
        built / f"pingpong_server-{transport}.elf",
        network=air,
        traffic=[
            "before kind=pingpong to=board:5000 rounds=20 start=5s",
            "behind kind=pingpong to=board:5000 rounds=20 start=40s",
        ],
        settings={"ssid": "lab", "passphrase": "correct horse"},
        record=False,
    )
    run = board.run("60 s", until_done=True)
    assert not run.failed, f"{run.sentence}\n{board.console}"


@on_each_transport
def test_ping_pong_goes_to_its_end(built: Path, transport: str) -> None:
    board = Board(BOARD, built / f"pingpong_client-{transport}.elf", record=False, settings={"rounds": 200})
    board.run("20 s", until="done")
    assert re.search(r"messages 200\nerrors 0\nlast number 400\n", board.console), board.console


@on_each_transport
@pytest.mark.parametrize("path", ["static.html", "ssi.shtml"])
def test_pages_come_whole(built: Path, transport: str, path: str) -> None:
    board = Board(
        BOARD,
        built / f"http_server-{transport}.elf",
        traffic=[f"http to=board path=/{path} requests=100"],
        record=False,
    )
    assert "0 lost" in all_done(board).traffic[0].summary


@on_each_transport
def test_bulk_goes_both_ways_without_a_wrong_byte(built: Path, transport: str) -> None:
    for port, send in ((9, 200_000), (19, 0), (7, 100_000)):
        board = Board(
            BOARD,
            built / f"streams-{transport}.elf",
            traffic=[f"bulk to=board:{port} send={send}"],
            record=False,
            settings={"sink_check": 1, "source_bytes": 200_000, "source_pattern": 1},
        )
        all_done(board)
        assert "error" not in board.console


def test_power_save_makes_rare_pings_wait_and_leaves_frequent_ones_alone(built: Path) -> None:
    def median_ms(power_save: str, interval: str) -> float:
        board = Board(
            BOARD,
            built / "ping-lwip_raw.elf",
            traffic=[f"ping to=board count=20 interval={interval}"],
            record=False,
            settings={"power_save": power_save},
        )
        all_done(board)
        latency = board.traffic["ping"].latency
        assert latency is not None
        return latency.p50_ps / 1e9

    off, rare, frequent = median_ms("off", "1s"), median_ms("pm2", "1s"), median_ms("pm2", "100ms")
    # A station that sleeps hears of a frame with the next beacon that it listens to, each second one of 102.4 ms: on
    # average half of 204.8 ms later. Twenty pings a second apart meet few phases of it.
    assert off < 4 and frequent < 4
    assert 20 < rare < 210


@pytest.mark.slow
def test_the_lamp_of_the_page_is_the_led_behind_the_radio(built: Path) -> None:
    # The client's bodies are text/plain, which the server rightly refuses as a form: the parameter is in the query.
    board = Board(
        BOARD,
        built / "http_server-lwip_raw.elf",
        traffic=["http to=board path=/lamp?lamp=on method=POST requests=1"],
    )
    board.run("8 s")
    assert [edge.level for edge in board.edges if edge.pin == "LED"] == [True]


def test_a_board_without_a_radio_is_told_so(built: Path) -> None:
    board = Board("pico", built / "ping-lwip_raw.elf", record=False)
    board.run("2 s", until="is this board a Pico W?")
    assert "No CYW43439 answers: is this board a Pico W?" in board.console
