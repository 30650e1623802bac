"""The CircuitPython ping-pong on Adafruit's library and a virtual chip: ready in time, clear when not."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pico_board import FIRMWARE, Costs, PicoBoard, SpiController, no_chip

MS = 10**9
S = 10**12
ADDRESS = ("192.168.1.2", "255.255.255.0", "192.168.1.1", "192.168.1.1")
STATIC = {"ADDRESS": ADDRESS}
# A register costs Python some 0.1 ms or more on a microcontroller; without it a wait is a million looks at a register.
PYTHON = Costs(transaction_ps=100_000_000)
ADVICE = "let both sides speak this protocol, with newlines or without"
NO_DHCP = "[traffic.dhcp]\nanswers = 'no'\n"

MakeBoard = Callable[..., PicoBoard]

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("adafruit_wiznet5k") is None,
    reason="Adafruit's library is not installed (pip install --no-deps -r tests/drivers/requirements.txt)",
)


@pytest.fixture
def a_board(tmp_path: Path) -> MakeBoard:
    """Boards, each on a network of its own."""

    def make(chip: str = "w5500", *, network: str = "", link_up: str | None = None, end_ps: int = 120 * S) -> PicoBoard:
        file = tmp_path / "network.toml"
        file.write_text(network, encoding="utf-8")
        return PicoBoard(SpiController(chip, network=file, link_up=link_up), costs=PYTHON, end_ps=end_ps)

    return make


def refused(board: PicoBoard, name: str = "pingpong_client", **settings: Any) -> str:
    """Start what must fail with an error of our own; gives its sentence."""
    with pytest.raises(Exception) as error:
        board.start(name, **settings)
    assert type(error.value).__name__ in ("NotReadyError", "PingPongError"), repr(error.value)
    return str(error.value)


def ready_ms(board: PicoBoard) -> int:
    match = re.fullmatch(r"ready after (\d+) ms: 192\.168\.1\.\d+", board.console[0])
    assert match
    return int(match[1])


@pytest.mark.parametrize("chip", ["w5500", "w5100s"])
def test_the_client_as_it_is_plays_1000_messages_without_an_error(a_board: MakeBoard, chip: str) -> None:
    board = a_board(chip)
    board.run(FIRMWARE / "circuitpython" / "pingpong_client.py")
    assert len(board.console) == 2, "nothing is printed in the loop"
    assert re.fullmatch(r"1000 messages in \d\.\d{3} s: \d+\.\d messages/s", board.console[1])
    board.sleep(0.1)
    assert board.controller.traffic["pingpong-server"].summary == "answered 1000 messages"


@pytest.mark.parametrize("link_up", ["1.5 s", "2 s", "2.5 s", "3 s", "3.5 s"])
def test_the_client_is_ready_within_20_ms_of_a_late_link(a_board: MakeBoard, link_up: str) -> None:
    board = a_board(link_up=link_up)
    board.start("pingpong_client", readiness=STATIC, pingpong_client={"MESSAGES": 10})
    link_ms = float(link_up.split()[0]) * 1000
    assert link_ms <= ready_ms(board) + 1 <= link_ms + 20


def test_dhcp_adds_what_the_server_takes_and_not_a_repetition(a_board: MakeBoard) -> None:
    board = a_board(link_up="3.5 s")
    board.start("pingpong_client", pingpong_client={"MESSAGES": 10})
    # Half a second of Python at 0.1 ms a transaction, and no 4 s of waiting for a second DISCOVER.
    assert 3500 <= ready_ms(board) < 4100
    assert "192.168.1.100" in board.console[0], "the first address of the server's pool"


def test_a_chip_whose_link_is_up_is_not_reset_and_costs_only_the_librarys_own_sleeps(a_board: MakeBoard) -> None:
    first = a_board()
    first.start("pingpong_client", readiness=STATIC, pingpong_client={"MESSAGES": 1})
    again = PicoBoard(first.controller, costs=PYTHON)
    again.start("pingpong_client", readiness=STATIC, pingpong_client={"MESSAGES": 1})
    assert ready_ms(again) < 1250


def test_none_of_our_sleeps_is_longer_than_a_look_every_10_ms(a_board: MakeBoard) -> None:
    board = a_board(link_up="3.5 s")
    board.start("pingpong_client", pingpong_client={"MESSAGES": 100})
    ours = [seconds for file, seconds in board.sleeps if (FIRMWARE / "circuitpython" / file).exists()]
    theirs = sum(seconds for file, seconds in board.sleeps if file == "adafruit_wiznet5k.py")
    assert ours
    assert max(ours) <= 0.01
    assert theirs < 1.3, "the library sleeps 1 s, and 50 ms for each soft reset"


def test_a_cable_that_is_not_plugged_in_is_said_after_10_s(a_board: MakeBoard) -> None:
    board = a_board()
    board.controller.set_plugged(False)
    assert re.match(r"no link: .*plug it in.*\(waited 10000 ms\)", refused(board))
    assert 10 * S <= board.now_ps() < 10.02 * S


@pytest.mark.parametrize("answers", ["no", "nak"])
def test_a_dhcp_server_that_gives_no_address_is_said_after_10_s(a_board: MakeBoard, answers: str) -> None:
    board = a_board(network=f"[traffic.dhcp]\nanswers = '{answers}'\n")
    assert re.match(r"no address: no DHCP server answered; set ADDRESS", refused(board))
    assert 10 * S <= board.now_ps() < 10.1 * S


def test_without_a_dhcp_server_a_static_address_does(a_board: MakeBoard) -> None:
    board = a_board(network=NO_DHCP)
    board.start("pingpong_client", readiness=STATIC, pingpong_client={"MESSAGES": 10})
    assert board.console[0].endswith(": 192.168.1.2")


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_chip_that_is_not_there_is_said_within_a_second(a_board: MakeBoard, level: int) -> None:
    board = a_board()
    no_chip(board.controller, level)
    assert refused(board).startswith(f"no chip: its version register reads 0x{level:02x}; look at power")
    assert board.now_ps() < 1 * S


def test_the_wait_is_as_long_as_it_is_set(a_board: MakeBoard) -> None:
    board = a_board(link_up="8 s")
    assert refused(board, readiness={"WITHIN_MS": 3000}).endswith("(waited 3000 ms)")
    assert 3 * S <= board.now_ps() < 3.02 * S


def test_a_cable_that_is_pulled_while_they_play_is_said_at_once(a_board: MakeBoard) -> None:
    board = a_board()
    pull_at_message(board, 500)
    assert refused(board, readiness=STATIC).startswith("no link: ")
    assert "messages/s" not in "".join(board.console)


def pull_at_message(board: PicoBoard, message: int) -> None:
    """Pull the cable when the client sends a message."""
    stream = board.import_module("streams").Stream
    send = stream.send

    def pulled(self: Any, data: bytes) -> int:
        if data == str(2 * message - 1).encode():
            board.controller.set_plugged(False)
        return int(send(self, data))

    stream.send = pulled


def test_nobody_who_listens_is_said_with_the_address(a_board: MakeBoard) -> None:
    board = a_board()
    sentence = refused(board, readiness=STATIC, pingpong_client={"PORT": 4321})
    assert sentence.startswith("no connection to 192.168.1.1:4321 (Failed to establish connection.): look at whether")


def test_a_server_that_only_echoes_is_found_out_at_the_first_number(a_board: MakeBoard) -> None:
    board = a_board(network="[traffic.pingpong-server]\nanswer = 'echo'\nsize = '1B'\n")
    assert refused(board, readiness=STATIC).startswith("expected 2 and received b'1': ")


def test_a_server_that_says_nothing_is_given_up_after_the_time_out(a_board: MakeBoard) -> None:
    board = a_board()
    sentence = refused(board, readiness=STATIC, pingpong_client={"PORT": 9, "TIMEOUT_MS": 700})
    assert sentence == "nothing came within 700 ms: look at the peer's messages", "port 9 discards"
    assert board.now_ps() < 3.5 * S


def test_newlines_end_numbers_if_both_sides_want_it(a_board: MakeBoard) -> None:
    board = a_board(network="[traffic.pingpong-server]\nnewline = true\n")
    board.start("pingpong_client", readiness=STATIC, pingpong_client={"MESSAGES": 100, "NEWLINE": True})
    assert board.console[1].startswith("100 messages in ")


def test_a_hundredth_of_the_frames_lost_costs_time_and_no_number(a_board: MakeBoard) -> None:
    board = a_board(network='[cable]\nimpair = "loss=1%"\n')
    board.start("pingpong_client", readiness=STATIC, pingpong_client={"MESSAGES": 300})
    assert board.console[1].startswith("300 messages in ")


@pytest.mark.parametrize("chip", ["w5500", "w5100s"])
def test_the_server_answers_1000_messages_of_the_pc(a_board: MakeBoard, chip: str) -> None:
    board = a_board(chip, network='[traffic.pingpong]\nto = "board:5000"\nrounds = 1000\nstart = "4 s"\n')
    board.start("pingpong_server", readiness=STATIC, pingpong_server={"CONNECTIONS": 1})
    assert list(board.console)[1:] == ["1000 numbers answered"]
    assert board.console[0].endswith(": 192.168.1.2, port 5000")
    summary = board.controller.traffic["pingpong"].summary
    assert summary.startswith("1000 "), summary


def test_the_server_serves_one_client_after_the_other_also_after_a_bad_one(a_board: MakeBoard) -> None:
    clients = "".join(
        f'[traffic.call{n}]\nkind = "pingpong"\nto = "board:5000"\nrounds = {rounds}\nfirst_number = {first}\n'
        f'start = "{4 + n} s"\n'
        for n, (rounds, first) in enumerate([(5, 1), (1, 7), (6, 1)])
    )
    board = a_board(network=clients, end_ps=8 * S)
    with pytest.raises(Exception, match="virtual time are over"):
        board.start("pingpong_server", readiness=STATIC)
    assert list(board.console)[1:] == [
        "5 numbers answered",
        f"connection given up: expected 1 and received b'7': {ADVICE}",
        "6 numbers answered",
    ]


def test_the_server_takes_any_first_number_in_one_piece_if_it_may(a_board: MakeBoard) -> None:
    board = a_board(
        network='[traffic.pingpong]\nto = "board:5000"\nrounds = 50\nfirst_number = 123456\nstart = "4 s"\n'
    )
    board.start("pingpong_server", readiness=STATIC, pingpong_server={"CONNECTIONS": 1, "FIRST": None})
    assert list(board.console)[1:] == ["50 numbers answered"]
