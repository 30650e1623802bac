"""The firmware's applications on a virtual W5500-EVB-Pico, with the virtual PC as their peer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oneway_message import message

from airwire.board import Board, BoardRun

BOARD = "w5500-evb-pico"
ADDRESS = "192.168.1.50"
TRANSPORTS = ("hardware", "lwip_raw", "lwip_sockets")
on_each_transport = pytest.mark.parametrize("transport", TRANSPORTS)
on_one_transport_or_slowly_on_each = pytest.mark.parametrize(
    "transport", [pytest.param(name, marks=[] if name == "lwip_raw" else pytest.mark.slow) for name in TRANSPORTS]
)
MEGABIT = 1e6


@pytest.fixture(scope="module")
def built(firmware: Path) -> Path:
    return firmware / BOARD


def board_with(
    image: Path, *traffic: str, impair: str | None = None, record: bool = False, **settings: int | str
) -> Board:
    return Board(BOARD, image, traffic=traffic, impair=impair, record=record, settings=settings)


def all_done(board: Board, for_: str = "60 s") -> BoardRun:
    run = board.run(for_, until_done=True)
    assert not run.failed, f"{run.sentence}\n{board.console}"
    return run


def counters(run: BoardRun, name: str) -> dict[str, int | float]:
    result = next(result for result in run.traffic if result.name == name)
    return {counter.name: counter.value for counter in result.counters}


def rate(run: BoardRun, name: str) -> float:
    """Bits a second, of what a client says of its transfer."""
    result = next(result for result in run.traffic if result.name == name)
    told = re.search(r"([0-9.]+) Mbit/s", result.summary)
    assert told is not None, result.summary
    return float(told[1]) * MEGABIT


def bulk(port: int, send: int, name: str = "bulk", start: str = "3s") -> str:
    return f"{name} kind=bulk to={ADDRESS}:{port} send={send} start={start}"


@on_each_transport
@pytest.mark.parametrize("impair", [None, "loss=1%"])
def test_the_sink_takes_every_byte(built: Path, transport: str, impair: str | None) -> None:
    image = built / f"streams-{transport}.elf"
    board = board_with(image, bulk(9, 300_000), impair=impair, sink_check=1)
    all_done(board)
    board.run("1 s")
    assert "sink 300000 bytes" in board.console
    assert "every byte was right\n" in board.console
    assert "error" not in board.console


@on_each_transport
@pytest.mark.parametrize("impair", [None, "loss=1%"])
def test_the_source_sends_the_pattern(built: Path, transport: str, impair: str | None) -> None:
    image = built / f"streams-{transport}.elf"
    board = board_with(image, bulk(19, 0), impair=impair, source_bytes=300_000, source_pattern=1)
    told = counters(all_done(board), "bulk")
    assert (told["received"], told["wrong"]) == (300_000, 0)


@on_each_transport
@pytest.mark.parametrize("impair", [None, "loss=1%"])
def test_the_echo_loses_nothing(built: Path, transport: str, impair: str | None) -> None:
    board = board_with(built / f"streams-{transport}.elf", bulk(7, 300_000), impair=impair)
    told = counters(all_done(board), "bulk")
    assert (told["sent"], told["received"], told["wrong"]) == (300_000, 300_000, 0)
    board.run("1 s")
    assert "error" not in board.console


@on_one_transport_or_slowly_on_each
def test_pulled_cables_break_connections_off_at_the_worst_but_repeat_no_byte(built: Path, transport: str) -> None:
    """Several connections at a time where there are as many, so that one of them is writing when the link goes.

    After a pull the link takes 2.4 s, and the chip's own sockets wait twice as long before each retransmission.
    """
    is_hardware = transport == "hardware"
    pulls, plugged_s, count, size, late_s = (2, 6, 1, 1_000_000, 19) if is_hardware else (12, 4, 6, 4_000_000, 67)
    clients = [bulk(19, 0, f"source{n}") for n in range(count)]
    late = bulk(19, 0, "late", f"{late_s}s")
    image = built / f"streams-{transport}.elf"
    board = board_with(image, *clients, late, impair="loss=1%", source_bytes=size, source_pattern=1)
    board.run("3200 ms")
    for _ in range(pulls):
        assert not all(board.traffic[f"source{n}"].done for n in range(count)), "each pull meets a transfer"
        board.set_plugged(False)
        board.run("700 ms")
        board.set_plugged(True)
        board.run(f"{plugged_s} s")
    run = board.run("60 s", until_done=True)
    whole = {client.name for client in run.traffic if client.client and client.done and client.failure is None}
    for client in (result for result in run.traffic if result.client):
        told = counters(run, client.name)
        assert told["wrong"] == 0
        assert told["received"] == size if client.name in whole else told["received"] < size
        assert told["received"] > 100_000, "it went on after the first pull"
    assert "late" in whole, "when all is well again, all is received"


@on_each_transport
def test_many_connections_in_a_row_find_room(built: Path, transport: str) -> None:
    clients = [bulk(7, 1000 + n, f"client{n}", f"{3000 + 60 * n}ms") for n in range(40)]
    run = all_done(board_with(built / f"streams-{transport}.elf", *clients))
    assert all(counters(run, f"client{n}")["received"] == 1000 + n for n in range(40))


def test_streams_are_as_fast_as_they_should_be(built: Path) -> None:
    """33.25 MHz SPI, 133 MHz: 22 Mbit/s on hardware sockets, 16 on lwIP, and on its sockets 80 % of that."""
    rates: dict[tuple[str, str], float] = {}
    for transport in TRANSPORTS:
        image = built / f"streams-{transport}.elf"
        run = all_done(board_with(image, bulk(9, 1_000_000)))
        rates[transport, "to the board"] = rate(run, "bulk")
        board = board_with(image, bulk(19, 0), source_bytes=1_000_000)
        # The cheap characters are not the client's pattern: it counts them, and says so.
        rates[transport, "from the board"] = rate(board.run("60 s", until_done=True), "bulk")
    for way in ("to the board", "from the board"):
        assert rates["hardware", way] >= 22 * MEGABIT, rates
        assert rates["lwip_raw", way] >= 16 * MEGABIT, rates
        assert rates["lwip_sockets", way] >= 0.8 * rates["lwip_raw", way], rates


@pytest.mark.parametrize(
    ("board", "least_mbit"),
    [
        ("w5100s-evb-pico", 16),
        ("pico-w5200", 16),
        ("w6100-evb-pico", 16),
        ("w55rp20-evb-pico", 16),
        ("pico-w5100", 2.5),
    ],
)
def test_no_chip_is_sent_more_than_it_keeps(firmware: Path, board: str, least_mbit: float) -> None:
    """A window that is too wide loses a segment each time, for which the sender waits 200 ms: 0.5 Mbit/s is left."""
    image = firmware / board / "streams-lwip_raw.elf"
    run = all_done(Board(board, image, traffic=[bulk(9, 500_000)]))
    assert rate(run, "bulk") >= least_mbit * MEGABIT


@on_each_transport
def test_iperf_serves_tcp_and_udp(built: Path, transport: str) -> None:
    udp = f"iperf-udp to={ADDRESS} start=5s rate=5Mbit/s time=1s"
    tcp = f"iperf to={ADDRESS} start=3s send=1MB"
    board = board_with(built / f"iperf-{transport}.elf", tcp, udp, impair="loss=2%", interval_ms=0)
    run = all_done(board)
    board.run("1 s")
    assert "TCP server, whole 1000000 bytes" in board.console
    ours = re.search(r"jitter (\d+) us, lost (\d+) of (\d+)", board.console)
    theirs = next(result for result in run.traffic if result.name == "iperf-udp").summary
    assert ours is not None
    assert f"lost {ours[2]}," in theirs
    jitter = re.search(r"jitter ([0-9.]+) (s|ms|us)", theirs)
    assert jitter is not None
    assert float(jitter[1]) * {"s": 1e6, "ms": 1e3, "us": 1}[jitter[2]] == pytest.approx(int(ours[1]), abs=1)
    # 1 s at 5 Mbit/s is 426 datagrams of 1470 bytes, of which 2 % are lost.
    assert int(ours[3]) == 426
    assert 0 < int(ours[2]) < 30


@on_each_transport
def test_iperf_sends_tcp(built: Path, transport: str) -> None:
    board = board_with(built / f"iperf-{transport}.elf", role=1, amount_bytes=1_000_000)
    assert board.run("20 s", until="done\n").reason == "text", board.console
    run = board.run("1 s")
    assert "TCP client, whole 1000000 bytes" in board.console
    assert counters(run, "iperf-server")["received"] == 1_000_000


@on_each_transport
def test_iperf_sends_udp_at_its_rate(built: Path, transport: str) -> None:
    image = built / f"iperf-{transport}.elf"
    board = board_with(image, role=2, time_ms=1000, udp_rate=8_000_000)
    assert board.run("20 s", until="done\n").reason == "text", board.console
    whole = re.search(r"UDP server, whole (\d+) bytes in (\d+) us", board.console)
    assert whole is not None
    assert int(whole[1]) * 8 / int(whole[2]) == pytest.approx(8, rel=0.01)
    # 1 s at 8 Mbit/s is 681 datagrams of 1470 bytes.
    assert "lost 0 of 681, out of order 0\n" in board.console


def pulse(board: Board) -> None:
    board.pins["GP2"].drive(True)
    board.run("50 us")
    board.pins["GP2"].drive(False)


@pytest.mark.parametrize("way", [0, 1], ids=["tcp", "udp"])
@on_each_transport
def test_each_pulse_sends_a_message(built: Path, tmp_path: Path, transport: str, way: int) -> None:
    image = built / f"oneway-{transport}.elf"
    board = board_with(image, transport=way, port=9, payload_bytes=300)
    board.run("4 s")
    board.start_pcap(tmp_path / "wire.pcapng")
    for _ in range(5):
        pulse(board)
        board.run("20 ms")
    board.end_pcap()
    wire = (tmp_path / "wire.pcapng").read_bytes()
    assert all(wire.count(message(sequence, 300)) == 1 for sequence in range(5))
    board.run("2 s")
    assert "sent 5\nnot sent for want of room or of a connection 0\n" in board.console


@on_each_transport
def test_messages_go_over_the_uart_from_board_to_board(built: Path, transport: str) -> None:
    image = built / f"oneway-{transport}.elf"
    sender = board_with(image, transport=2, payload_bytes=128)
    receiver = board_with(image, record=True, role=1, transport=2)
    sender.run("4 s")
    receiver.run("4 s")
    line = bytearray()
    for sequence in range(3):
        pulse(sender)
        del line[:]
        sender.run("50 ms", on_console=lambda name, content: line.extend(content) if name == "uart1" else None)
        assert bytes(line) == message(sequence, 128)
        receiver.send(b"\xa5\x57noise" + bytes(line), "uart1")
        begun_ps = receiver.time_ps
        raised = receiver.run("50 ms", until_pin=("GP3", True))
        assert raised.reason == "pin", receiver.console
        # 135 bytes of ten bits at 115200 bit/s, and then no more than a moment.
        assert (receiver.time_ps - begun_ps) / 1e12 == pytest.approx(135 * 10 / 115200, rel=0.1)
        receiver.run("5 ms")
        receiver.send(b"\xa5", "uart1")
        assert receiver.run("50 ms", until_pin=("GP3", False)).reason == "pin"
        receiver.run("50 ms")
    receiver.run("2 s")
    assert "received 3\n" in receiver.console


@on_each_transport
def test_a_coap_client_puts_and_gets(built: Path, transport: str) -> None:
    image = built / f"coap_client-{transport}.elf"
    board = board_with(image, "coap separate=300ms", ask=1, requests=4)
    assert board.run("20 s", until="done\n").reason == "text", board.console
    assert "2.01 \n2.05 0\n2.04 \n2.05 2\n" in board.console


def test_a_coap_client_gives_up_when_nobody_answers(built: Path) -> None:
    board = board_with(built / "coap_client-hardware.elf", "coap answers=false", requests=1)
    run = board.run("120 s", until="done\n")
    assert "error: the server does not answer: does a CoAP server run there?\n" in board.console
    # RFC 7252, section 4.8: 31 times 2 to 3 s, after the link is up.
    assert 2.4 + 62 <= run.time_ps / 1e12 <= 2.6 + 93


def counts_heard(said: str) -> list[int]:
    """What an MQTT client heard of what it publishes."""
    return [int(count) for count in re.findall(r"^airwire/count (\d+)$", said, re.MULTILINE)]


@on_each_transport
def test_an_mqtt_client_hears_what_it_publishes_and_comes_back_from_a_late_broker(built: Path, transport: str) -> None:
    board = board_with(built / f"mqtt_client-{transport}.elf", "mqtt start=6s")
    board.run("12 s")
    said = board.console
    assert said.count("error: there is no connection to the broker\n") in range(1, 4)
    assert "connected\nairwire/count 0\nairwire/count 1\n" in said


def test_an_mqtt_client_comes_back_when_its_session_is_lost(built: Path) -> None:
    """A cable that is pulled for longer than the client waits for its broker (MQTT 3.1.1, 3.1.2.10)."""
    board = board_with(built / "mqtt_client-lwip_raw.elf", "mqtt", keep_alive_s=1)
    board.run("20 s")
    before = board.console
    heard = counts_heard(before)
    assert before.count("connected\n") == 1
    assert heard == list(range(len(heard))) and len(heard) >= 15
    board.set_plugged(False)
    board.run("40 s")
    lost = board.console.removeprefix(before)
    assert "error: the broker does not answer" in lost
    assert counts_heard(lost) == []
    board.set_plugged(True)
    board.run("60 s")
    after = board.console.removeprefix(before + lost)
    assert after.count("connected\n") == 1
    again = counts_heard(after.partition("connected\n")[2])
    assert len(again) >= 10
    assert again == list(range(again[0], again[0] + len(again)))
    assert again[0] > heard[-1]
