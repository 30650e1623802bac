"""The web server's images on a virtual board, and the same application on this machine under sanitizers.

Real sockets of this machine ask, on the board through a forwarded port. Floods come from the virtual PC: in virtual
time every run is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import http_requests
import pytest
from host_port import HOST, free_port, running
from http_requests import Address

from airwire.board import Board

BOARD = "w5500-evb-pico"
ADDRESS = "192.168.1.50"
TRANSPORTS = ("hardware", "lwip_raw", "lwip_sockets")
SEATS = 8
"""As pages.c has it; and as many sockets has the chip."""
REQUEST_LIMIT_S = 10
HOST_SEATS = 6
HOST_REQUEST_LIMIT_S = 2
Check = Callable[[Address], None]
CHECKS: tuple[Check, ...] = (
    http_requests.pages_on_one_connection,
    http_requests.head_is_get_without_a_body,
    http_requests.known_pages_are_not_sent_again,
    http_requests.wrong_requests_are_told_what_is_wrong,
    http_requests.an_early_answer_is_not_lost_to_a_reset,
)
on_each_transport = pytest.mark.parametrize("transport", TRANSPORTS)
on_one_transport_or_slowly_on_each = pytest.mark.parametrize(
    "transport", [TRANSPORTS[0], *(pytest.param(transport, marks=pytest.mark.slow) for transport in TRANSPORTS[1:])]
)
each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


def on_board(script: Any, firmware: Path, transport: str, check: Check) -> None:
    def visit(address: str) -> None:
        place = urlsplit(address)
        assert place.hostname is not None
        assert place.port is not None
        check((place.hostname, place.port))

    script.while_served(script.started(firmware / BOARD / f"http_server-{transport}.elf", 1650), visit)


@each_check
@on_each_transport
def test_a_board_answers_as_it_has_to(script: Any, firmware: Path, transport: str, check: Check) -> None:
    on_board(script, firmware, transport, check)


@on_each_transport
def test_a_board_tells_one_client_too_many(script: Any, firmware: Path, transport: str) -> None:
    is_told = transport != "hardware"
    crowd = partial(http_requests.one_too_many_is_told_and_the_others_go_on, seats=SEATS, is_told=is_told)
    on_board(script, firmware, transport, crowd)


@on_one_transport_or_slowly_on_each
def test_slow_clients_cannot_hold_a_boards_seats(script: Any, firmware: Path, transport: str) -> None:
    slow = partial(http_requests.slow_clients_cannot_hold_seats, seats=SEATS, limit_s=REQUEST_LIMIT_S)
    on_board(script, firmware, transport, slow)


@pytest.mark.parametrize("transport", [*TRANSPORTS, "lwip_small"])
def test_whose_request_is_under_way_when_all_seats_are_taken_hears_of_it(firmware: Path, transport: str) -> None:
    """On the chip's own sockets there is nobody to tell it: the chip refuses the connection at once."""
    path = f"http to={ADDRESS} path=/static.html timeout=20s"
    seats = 2 if transport == "lwip_small" else SEATS
    held = f"held kind={path} keep_alive=true requests=2000 concurrency={seats} start=3s"
    late = f"late kind={path} requests=12 concurrency=4 start=3050ms"
    if transport == "lwip_small":
        # lwIP has memory for one connection more.
        late = late.replace("concurrency=4", "concurrency=1")
    board = Board(BOARD, firmware / BOARD / f"http_server-{transport}.elf", traffic=[held, late], record=False)
    board.run("60 s", until_done=True)
    outcomes = {name: ended(board, name) for name in ("held", "late")}
    assert outcomes["held"] == Counter({"200": 2000})
    told = Counter({"503": 12})
    # A client gives up after ten refusals.
    assert outcomes["late"] == (Counter({"connection refused": 10}) if transport == "hardware" else told)
    assert "error" not in board.console


def ended(board: Board, name: str) -> Counter[str]:
    """The statuses of a client's requests, and in words how others ended."""
    samples = board.traffic.samples(name)
    return Counter(str(sample["status"]) if sample["outcome"] == "ok" else sample["error"] for sample in samples)


@on_each_transport
def test_a_burst_of_clients_is_served_sooner_or_later(firmware: Path, transport: str) -> None:
    many = f"many kind=http to={ADDRESS} path=/static.html requests=200 concurrency=12 timeout=20s start=3s"
    board = Board(BOARD, firmware / BOARD / f"http_server-{transport}.elf", traffic=[many], record=False)
    board.run("60 s", until_done=True)
    found = ended(board, "many")
    # A chip without a free socket refuses, and its sockets take a moment to listen anew.
    refused = found.pop("connection refused", 0) if transport == "hardware" else 0
    assert set(found) <= {"200", "503"}
    assert found["200"] >= 180
    assert found.total() + refused == 200


@pytest.fixture
def served(host: Path) -> Iterator[Address]:
    port = free_port()
    with running(host, "http_server", http_port=port):
        yield HOST, port


@each_check
def test_the_application_answers_so_on_this_machine(served: Address, check: Check) -> None:
    check(served)


def test_the_application_tells_one_client_too_many(served: Address) -> None:
    http_requests.one_too_many_is_told_and_the_others_go_on(served, HOST_SEATS, is_told=True)


def test_slow_clients_cannot_hold_the_applications_seats(served: Address) -> None:
    http_requests.slow_clients_cannot_hold_seats(served, HOST_SEATS, HOST_REQUEST_LIMIT_S)


def test_the_lamps_form_and_figures_of_any_sign(host: Path) -> None:
    port = free_port()
    with running(host, "http_server", {"AIRWIRE_MILLIVOLTS": "7", "AIRWIRE_DECIDEGREES": "-5"}, http_port=port) as said:
        answer = http_requests.ask((HOST, port), http_requests.request("GET", "/live.json.shtml"))
        assert answer.body == b'{"voltage": "0.007", "temperature": "-0.5", "counter": "1"}\n'
        for form, status in ((b"lamp=on", 303), (b"lamp=dim", 400), (b"lamp=off", 303)):
            length = f"Content-Length: {len(form)}"
            content = http_requests.request("POST", "/lamp", http_requests.FORM, length, body=form)
            assert http_requests.ask((HOST, port), content, "POST").status == status
        said.wait_for("pin 25+\npin 25-\n")
