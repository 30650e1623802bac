"""Adafruit's CircuitPython library, unmodified, brings up virtual chips and talks to the virtual PC through them."""

from __future__ import annotations

import errno
import gc
import importlib.util
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adafruit_wiznet5k_driver import Adafruit, bring_up
from circuitpython_board import Costs

from airwire.board.spi_controller import SpiController

PC = "192.168.1.1"
ADDRESS = ("192.168.1.2", "255.255.255.0", PC, PC)
ECHO = (PC, 7)
PING_PONG = (PC, 5000)
NOBODY = "192.168.1.77"
MS = 10**9
S = 10**12
RETRANSMISSION_PS = 200 * MS
"""Neither the chip (RTR) nor Linux sends anything again earlier."""
LOSS = '[cable]\nimpair = "loss=1%"\n'
# A register costs Python some 0.1 ms or more on a microcontroller; without it a wait is a million looks at a register.
PYTHON = Costs(transaction_ps=100_000_000)

BringUp = Callable[..., Adafruit]
CHIPS = ["w5500", "w5100s", "w6100"]

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("adafruit_wiznet5k") is None,
    reason="Adafruit's library is not installed (pip install --no-deps -r tests/drivers/requirements.txt)",
)


@pytest.fixture
def brought_up(tmp_path: Path) -> BringUp:
    """Bring a chip up on a network, at an address or by DHCP."""

    def bring(
        chip: str = "w5500",
        *,
        network: str = "",
        link_up: str | None = None,
        address: tuple[str, str, str, str] | None = ADDRESS,
        **settings: Any,
    ) -> Adafruit:
        file = tmp_path / "network.toml"
        file.write_text(network, encoding="utf-8")
        controller = SpiController(chip, network=file, link_up=link_up)
        return bring_up(controller, address=address, costs=PYTHON, **settings)

    return bring


def some_bytes(count: int) -> bytes:
    return random.Random(count).randbytes(count)


def receive_exactly(socket: Any, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        piece = socket.recv(min(count - len(received), 2048))
        assert piece, f"the stream ended after {len(received)} of {count} bytes"
        received += piece
    return bytes(received)


def send_all(socket: Any, data: bytes) -> None:
    sent = 0
    while sent < len(data):
        sent += socket.send(data[sent : sent + 2048])


@pytest.mark.parametrize("chip", CHIPS)
def test_the_library_tells_the_chip(brought_up: BringUp, chip: str) -> None:
    driver = brought_up(chip)
    assert driver.interface.chip == chip
    assert driver.address == ADDRESS[0]
    assert driver.interface.pretty_mac(driver.interface.mac_address) == "de:ad:be:ef:fe:ed"


@pytest.mark.parametrize("chip", ["w5200", "w5100"])
def test_the_library_refuses_chips_that_it_does_not_know(brought_up: BringUp, chip: str) -> None:
    with pytest.raises(RuntimeError, match="Failed to initialize WIZnet module"):
        brought_up(chip)


def test_a_reset_takes_the_time_that_the_library_waits(brought_up: BringUp) -> None:
    # Held 0.1 s, then 5 s and 1 s; 50 ms after each of three software resets, W5100S and W5500 tried in turn.
    assert 6.2 * S <= brought_up().board.now_ps() < 6.25 * S


def test_the_library_waits_for_the_link(brought_up: BringUp) -> None:
    driver = brought_up(reset=False, link_up="3 s")
    assert driver.interface.link_status
    assert 3 * S <= driver.board.now_ps() < 3.6 * S, "it looks every 0.5 s"


def test_connecting_before_the_link_is_up_fails_and_asking_for_the_link_avoids_it(brought_up: BringUp) -> None:
    driver = brought_up(reset=False, link_up="8 s")
    assert driver.board.now_ps() < 8 * S, "the library waits for the link 5 s at most, then goes on"
    client = driver.socket()
    with pytest.raises(ConnectionError, match="The Ethernet connection is down"):
        client.connect(PING_PONG)
    while not driver.interface.link_status:
        driver.board.sleep(0.01)
    client.connect(PING_PONG)
    client.send(b"41")
    assert client.recv(16) == b"42"
    assert 8 * S <= driver.board.now_ps() < 8.1 * S


def test_connecting_to_nobody_fails_when_no_answer_to_arp_came(brought_up: BringUp) -> None:
    driver = brought_up(network="[pc]\nanswers_for_all = false\n")
    begin = driver.board.now_ps()
    with pytest.raises(ConnectionError, match="Failed to establish connection"):
        driver.socket().connect((NOBODY, 5000))
    # Nine requests, 200 ms apart: RTR and RCR as after reset.
    assert 1.8 * S <= driver.board.now_ps() - begin < 1.82 * S


@pytest.mark.parametrize("chip", CHIPS)
def test_dhcp_and_dns_work(brought_up: BringUp, chip: str) -> None:
    names = '[traffic.dns]\nrecords = "board.airwire.test=192.168.1.42"\n'
    driver = brought_up(chip, address=None, network=names)
    assert driver.address.startswith("192.168.1.")
    assert driver.address not in (PC, "192.168.1.0")
    _, mask, _, dns = driver.interface.ifconfig
    assert (mask, dns) == (bytes([255, 255, 255, 0]), bytes([192, 168, 1, 1]))
    assert driver.sockets.gethostbyname("board.airwire.test") == "192.168.1.42"


def test_every_name_is_the_pc_unless_it_has_records(brought_up: BringUp) -> None:
    assert brought_up(address=None).sockets.gethostbyname("broker.example.com") == "192.168.1.1"


def test_a_name_that_nobody_knows_is_an_error(brought_up: BringUp) -> None:
    driver = brought_up(address=None, network="[traffic.dns]\nrecords = 'board.airwire.test=192.168.1.42'\n")
    with pytest.raises(RuntimeError, match="Failed to resolve hostname"):
        driver.sockets.gethostbyname("nobody.invalid")


def test_the_pc_pings_the_board_while_its_driver_sleeps(brought_up: BringUp) -> None:
    network = '[traffic.ping]\nto = "board"\ncount = 5\ninterval = "100ms"\nstart = "7 s"\n'
    driver = brought_up(network=network)
    driver.board.sleep(2)
    ping = driver.controller.traffic["ping"]
    assert ping.done
    assert {counter.name: counter.value for counter in ping.counters}["answered"] == 5


@pytest.mark.parametrize("chip", CHIPS)
def test_256_kib_go_there_and_back_with_every_hundredth_frame_lost(brought_up: BringUp, chip: str) -> None:
    without_loss_ps = echoed(brought_up(chip), 256 << 10)
    assert echoed(brought_up(chip, network=LOSS), 256 << 10) > without_loss_ps + RETRANSMISSION_PS


@pytest.mark.slow
@pytest.mark.parametrize("chip", ["w5500", "w5100s"])
def test_10_mb_go_there_and_back_with_every_hundredth_frame_lost(brought_up: BringUp, chip: str) -> None:
    echoed(brought_up(chip, network=LOSS, end_ps=3600 * S), 10_000_000)


def echoed(driver: Adafruit, count: int) -> int:
    """Send bytes to the PC's echo and compare what comes back; gives how long that took."""
    data = some_bytes(count)
    client = driver.socket()
    client.connect(ECHO)
    client.settimeout(30)
    begin_ps = driver.board.now_ps()
    checksum = 0
    for begin in range(0, count, 2048):
        send_all(client, data[begin : begin + 2048])
        checksum = zlib.crc32(receive_exactly(client, min(2048, count - begin)), checksum)
    assert checksum == zlib.crc32(data)
    time_ps = driver.board.now_ps() - begin_ps
    client.close()
    return time_ps


@pytest.mark.parametrize("chip", CHIPS)
def test_the_board_listens_and_answers_a_client_of_the_pc(brought_up: BringUp, chip: str) -> None:
    calls = '[traffic.pingpong]\nto = "board:5000"\nrounds = 200\nstart = "7 s"\n'
    driver = brought_up(chip, network=calls)
    listener = driver.socket()
    listener.bind((None, 5000))
    listener.listen()
    connection, _ = listener.accept()
    # accept() reads the peer's address byte by byte while the call comes in, and may give half of it.
    assert connection.getpeername()[0] == PC
    numbers = []
    while message := connection.recv(16):
        numbers.append(int(message))
        connection.send(str(numbers[-1] + 1).encode())
    assert numbers == list(range(1, 400, 2)), "the client answers each number with the next, then finishes"
    connection.close()


def test_a_listener_takes_one_connection_after_the_other(brought_up: BringUp) -> None:
    calls = "".join(
        f'[traffic.call{n}]\nkind = "pingpong"\nto = "board:5000"\nrounds = 1\nstart = "{7 + n} s"\n' for n in range(3)
    )
    driver = brought_up(network=calls)
    listener = driver.socket()
    listener.bind((None, 5000))
    listener.listen()
    for _ in range(3):
        connection, _ = listener.accept()
        assert connection.recv(16) == b"1"
        connection.send(b"2")
        assert connection.recv(16) == b""
        connection.close()


@pytest.mark.parametrize("chip", CHIPS)
def test_datagrams_go_there_and_back(brought_up: BringUp, chip: str) -> None:
    driver = brought_up(chip)
    socket = driver.socket(udp=True)
    socket.settimeout(2)
    for count in (1, 64, 1472):
        data = some_bytes(count)
        socket.sendto(data, ECHO)
        received, peer = socket.recvfrom(2048)
        assert received == data
        # Release 7.4.5 takes the W6100's address one byte too late: its _chip_parse_udp_header() begins at byte 3.
        assert peer == ECHO or chip == "w6100"
    socket.close()


def test_a_datagram_to_a_port_where_nobody_listens_gets_no_answer(brought_up: BringUp) -> None:
    driver = brought_up()
    socket = driver.socket(udp=True)
    socket.settimeout(1)
    socket.sendto(b"anybody?", (PC, 4321))
    with pytest.raises(OSError) as error:
        socket.recvfrom(16)
    assert error.value.args == (errno.ETIMEDOUT,)


# A socket of the library that could not be had complains when it is collected.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_all_sockets_but_the_last_are_open_at_once(brought_up: BringUp) -> None:
    driver = brought_up()
    clients = [driver.socket() for _ in range(7)]
    for client in clients:
        client.connect(PING_PONG)
    for number, client in enumerate(clients):
        client.send(str(number).encode())
    assert [int(client.recv(16)) for client in clients] == list(range(1, 8))
    with pytest.raises(RuntimeError, match="All sockets in use"):
        driver.socket()
    for client in clients:
        client.close()
    driver.socket().connect(PING_PONG)
    gc.collect()


def test_a_cable_that_is_pulled_is_seen_and_data_goes_on_when_it_is_back(brought_up: BringUp) -> None:
    driver = brought_up()
    client = driver.socket()
    client.connect(PING_PONG)
    driver.controller.set_plugged(False)
    with pytest.raises(ConnectionError, match="The Ethernet connection is down"):
        client.send(b"1")
    driver.controller.set_plugged(True)
    while not driver.interface.link_status:
        driver.board.sleep(0.1)
    client.send(b"1")
    assert client.recv(16) == b"2"


def test_the_same_run_takes_the_same_time_and_the_same_bytes_twice(brought_up: BringUp) -> None:
    def run() -> tuple[int, object]:
        driver = brought_up(address=None, network=LOSS)
        client = driver.socket()
        client.connect(ECHO)
        send_all(client, some_bytes(5000)[:2048])
        receive_exactly(client, 2048)
        return driver.board.now_ps(), driver.controller.used

    assert run() == run()
