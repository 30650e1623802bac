"""The MicroPython ping-pong under MicroPython itself, over loopback: ready in time, clear when not."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from micropython_board import FIRMWARE, WHY_NOT, finish, interpreter, start

pytestmark = pytest.mark.skipif(interpreter() is None, reason=WHY_NOT)

HOST = "127.0.0.1"
BUILDS = pytest.mark.parametrize("build", [{}, {"in_chip": True}], ids=["lwip", "in-chip"])
Serve = Callable[[socket.socket], None]


@contextmanager
def a_server(serve: Serve) -> Iterator[int]:
    """Serve one connection on a port of this machine."""
    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(20)

        def run() -> None:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                serve(connection)

        thread = threading.Thread(target=run)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(20)
        assert not thread.is_alive()


def received(connection: socket.socket, count: int) -> bytes:
    """So many bytes, or fewer if the peer closes."""
    data = b""
    while len(data) < count and (piece := connection.recv(count - len(data))):
        data += piece
    return data


def answers(pieces: Callable[[str], Sequence[str]], messages: int, end: str = "") -> Serve:
    """A server that knows the protocol: each answer in pieces, each piece in a segment of its own."""

    def serve(connection: socket.socket) -> None:
        for number in range(1, 2 * messages, 2):
            asked = f"{number}{end}".encode()
            assert received(connection, len(asked)) == asked
            for index, piece in enumerate(pieces(f"{number + 1}{end}")):
                if index:
                    time.sleep(0.002)
                connection.sendall(piece.encode())
        assert connection.recv(16) == b"", "the client closes behind the last answer"

    return serve


def whole(text: str) -> Sequence[str]:
    return [text]


def says(text: str, *, at: int = 1) -> Serve:
    """A server that answers rightly until a number comes, and that one with a text; then it closes."""

    def serve(connection: socket.socket) -> None:
        for number in range(1, at, 2):
            received(connection, len(str(number)))
            connection.sendall(str(number + 1).encode())
        received(connection, len(str(at)))
        connection.sendall(text.encode())
        time.sleep(0.05)

    return serve


def client(
    folder: Path,
    port: int,
    *,
    plan: dict[str, Any] | None = None,
    readiness: dict[str, Any] | None = None,
    **settings: Any,
) -> tuple[int, list[str]]:
    settings = {"SERVER": HOST, "PORT": port, **settings}
    return finish(start(folder, "pingpong_client", plan=plan, readiness=readiness or {}, pingpong_client=settings))


def refusal(result: tuple[int, list[str]], error: str) -> str:
    """The sentence of a client that ended with an error of our own."""
    code, lines = result
    assert code != 0
    kind, _, sentence = lines[-1].partition(": ")
    assert kind == error, lines
    return sentence


@BUILDS
def test_1000_messages_go_there_and_back(tmp_path: Path, build: dict[str, Any]) -> None:
    with a_server(answers(whole, 1000)) as port:
        code, lines = client(tmp_path, port, plan=build)
    assert code == 0, lines
    assert len(lines) == 2, "nothing is printed in the loop"
    assert re.fullmatch(r"ready after \d+ ms: 192\.168\.1\.100", lines[0])
    match = re.fullmatch(r"1000 messages in (\d+\.\d{3}) s: (\d+\.\d) messages/s", lines[1])
    assert match
    assert float(match[2]) == pytest.approx(1000 / float(match[1]), abs=0.1)


def test_the_board_is_wired_at_the_fastest_clock_and_with_its_interrupt(tmp_path: Path) -> None:
    with a_server(answers(whole, 1)) as port:
        client(tmp_path, port, MESSAGES=1)
    assert (tmp_path / "notes.txt").read_text().splitlines()[:2] == ["spi 33000000", "interrupt 21"]


def test_a_build_that_takes_no_interrupt_gets_none(tmp_path: Path) -> None:
    with a_server(answers(whole, 1)) as port:
        client(tmp_path, port, plan={"in_chip": True}, MESSAGES=1)
    assert "interrupt None" in (tmp_path / "notes.txt").read_text()


@BUILDS
def test_a_number_may_arrive_byte_by_byte(tmp_path: Path, build: dict[str, Any]) -> None:
    with a_server(answers(list, 60)) as port:
        code, lines = client(tmp_path, port, plan=build, MESSAGES=60)
    assert code == 0, lines


def test_a_socket_may_take_a_byte_at_a_time(tmp_path: Path) -> None:
    with a_server(answers(whole, 60)) as port:
        code, lines = client(tmp_path, port, plan={"most_sent": 1}, MESSAGES=60)
    assert code == 0, lines


@BUILDS
def test_newlines_end_numbers_wherever_the_stream_is_cut(tmp_path: Path, build: dict[str, Any]) -> None:
    with a_server(answers(lambda text: [text[:1], text[1:]], 60, end="\n")) as port:
        code, lines = client(tmp_path, port, plan=build, MESSAGES=60, NEWLINE=True)
    assert code == 0, lines


@pytest.mark.parametrize(
    ("text", "at", "sentence"),
    [
        ("garbage", 1, "expected 2 and received b'garbage': let both sides"),
        ("1", 1, "expected 2 and received b'1': let both sides"),
        ("24", 1, "more than an answer came to 1: one message is under way"),
        ("11\n", 9, "expected 10 and received b'11"),
        ("1", 9, "the peer closed within a number, after b'1'"),
        ("", 5, "the server closed before it answered 5"),
    ],
    ids=["garbage", "echo", "glued", "off-by-one", "half", "nothing"],
)
@BUILDS
def test_what_is_no_answer_is_said(tmp_path: Path, build: dict[str, Any], text: str, at: int, sentence: str) -> None:
    with a_server(says(text, at=at)) as port:
        result = client(tmp_path, port, plan=build)
    assert refusal(result, "PingPongError").startswith(sentence)


@BUILDS
def test_a_server_that_is_silent_is_given_up_after_the_time_out(tmp_path: Path, build: dict[str, Any]) -> None:
    begin = time.monotonic()
    with a_server(lambda connection: time.sleep(1)) as port:
        result = client(tmp_path, port, plan=build, TIMEOUT_MS=300)
    assert refusal(result, "PingPongError") == "nothing came within 300 ms: look at the peer's messages"
    assert time.monotonic() - begin < 5


@BUILDS
def test_nobody_who_listens_is_said_with_the_address(tmp_path: Path, build: dict[str, Any]) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
    sentence = refusal(client(tmp_path, port, plan=build), "PingPongError")
    assert sentence.startswith(f"no connection to {HOST}:{port} (error 111): look at whether the server runs")


@BUILDS
def test_connecting_without_asking_for_readiness_fails_and_asking_avoids_it(
    tmp_path: Path, build: dict[str, Any]
) -> None:
    plan = {**build, "link_ms": 700}
    blind = "import readiness\nreadiness._wait = lambda *rest: None\nreadiness._ask_for_address = lambda nic: None\n"
    (tmp_path / "blind.py").write_text(f"{blind}from pingpong_client import main\n", encoding="utf-8")
    drive = (tmp_path, FIRMWARE / "micropython", FIRMWARE)
    with a_server(answers(whole, 10)) as port:
        settings = {"SERVER": HOST, "PORT": port, "MESSAGES": 10}
        result = finish(start(tmp_path, "blind", plan=plan, drive=drive, pingpong_client=settings))
        error = 13 if build else 113
        assert f"(error {error}): no link: " in refusal(result, "PingPongError")
        code, lines = client(tmp_path, port, plan=plan, MESSAGES=10)
    assert code == 0, lines
    assert 700 <= int(lines[0].split()[2]) < 760


@pytest.mark.parametrize("link_ms", [0, 300, 1500])
def test_dhcp_is_asked_again_once_there_is_a_link(tmp_path: Path, link_ms: int) -> None:
    with a_server(answers(whole, 5)) as port:
        _, lines = client(tmp_path, port, plan={"link_ms": link_ms, "lease_ms": 40}, MESSAGES=5)
    # lwIP's own next DISCOVER would come 2 s after the interface.
    assert link_ms + 40 <= int(lines[0].split()[2]) < link_ms + 120
    assert "dhcp4 with link True" in (tmp_path / "notes.txt").read_text()


@BUILDS
def test_a_cable_that_is_not_plugged_in_is_said(tmp_path: Path, build: dict[str, Any]) -> None:
    result = client(tmp_path, 1, plan={**build, "link_ms": None}, readiness={"WITHIN_MS": 400})
    assert re.match(r"no link: .*plug it in.*\(waited 400 ms\)", refusal(result, "NotReadyError"))


@BUILDS
def test_no_address_is_said_and_a_static_one_avoids_it(tmp_path: Path, build: dict[str, Any]) -> None:
    plan = {**build, "lease_ms": None}
    result = client(tmp_path, 1, plan=plan, readiness={"WITHIN_MS": 400})
    assert refusal(result, "NotReadyError").startswith("no address: no DHCP server answered; set ADDRESS")
    with a_server(answers(whole, 5)) as port:
        address = ("192.168.1.2", "255.255.255.0", "192.168.1.1", "192.168.1.1")
        _, lines = client(tmp_path, port, plan=plan, MESSAGES=5, readiness={"ADDRESS": address})
    assert lines[0].endswith(": 192.168.1.2")


def test_a_chip_that_is_not_there_is_said_and_the_driver_is_not_started(tmp_path: Path) -> None:
    sentence = refusal(client(tmp_path, 1, plan={"chip": None}), "NotReadyError")
    assert sentence.startswith("no chip: its version register reads 0xff; look at power, and at the pins")


@pytest.mark.parametrize("plan", [{"wedged": True}, {"chip": "W5100S"}], ids=["wedged", "w5100s"])
def test_a_chip_that_answers_after_a_reset_and_the_other_chip_are_found(tmp_path: Path, plan: dict[str, Any]) -> None:
    with a_server(answers(whole, 5)) as port:
        code, lines = client(tmp_path, port, plan=plan, MESSAGES=5)
    assert code == 0, lines


def ask(port: int, send: Sequence[bytes], answer: bytes) -> None:
    """Be a client: send pieces, each in a segment of its own, and compare what comes back."""
    with socket.create_connection((HOST, port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in send:
            connection.sendall(piece)
            time.sleep(0.02)
        assert received(connection, len(answer)) == answer


def when_it_listens(folder: Path, *, plan: dict[str, Any] | None = None, **settings: Any) -> tuple[Any, int]:
    """Start the server on a free port; gives its process when it has said that it is ready."""
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    process = start(folder, "pingpong_server", plan=plan, pingpong_server={"PORT": port, **settings})
    assert process.stdout is not None
    assert re.match(r"ready after \d+ ms: 192\.168\.\d+\.\d+, port \d+", process.stdout.readline())
    return process, port


@BUILDS
def test_the_server_answers_1000_numbers_and_one_client_after_the_other(tmp_path: Path, build: dict[str, Any]) -> None:
    process, port = when_it_listens(tmp_path, plan=build, CONNECTIONS=2)
    for messages in (1000, 3):
        with socket.create_connection((HOST, port), timeout=10) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for number in range(1, 2 * messages, 2):
                connection.sendall(str(number).encode())
                assert received(connection, len(str(number + 1))) == str(number + 1).encode()
    code, lines = finish(process)
    assert (code, lines) == (0, ["1000 numbers answered", "3 numbers answered"])


@BUILDS
def test_the_server_puts_split_numbers_together_and_takes_glued_ones_apart(
    tmp_path: Path, build: dict[str, Any]
) -> None:
    process, port = when_it_listens(tmp_path, plan=build, CONNECTIONS=2)
    ask(port, [b"135", b"7911", b"1", b"3", b"15"], b"246810121416")
    ask(port, [b"13", b"garbage"], b"24")
    code, lines = finish(process)
    assert code == 0
    assert lines[0] == "8 numbers answered"
    assert lines[1].startswith("connection given up: expected 5 and received b'g")


def test_with_newlines_the_server_takes_any_numbers(tmp_path: Path) -> None:
    process, port = when_it_listens(tmp_path, CONNECTIONS=2, NEWLINE=True)
    ask(port, [b"7\n12", b"3\n0\n99", b"9\n"], b"8\n124\n1\n1000\n")
    ask(port, [b"1" * 30], b"")
    code, lines = finish(process)
    assert code == 0
    assert lines[0] == "4 numbers answered"
    assert lines[1].startswith("connection given up: expected a number and a newline and received b'111")
