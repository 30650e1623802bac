"""The firmware on this machine, under sanitizers: its tests in C, and its applications with real peers."""

from __future__ import annotations

import os
import re
import shutil
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest
from host_applications import TOOLS
from host_port import HOST, WAIT_S, free_port, running
from oneway_message import message

Settings = dict[str, int | str]


def send_and_end(client: socket.socket, content: bytes) -> None:
    client.sendall(content)
    client.shutdown(socket.SHUT_WR)


def all_of(client: socket.socket) -> bytes:
    return b"".join(iter(lambda: client.recv(4096), b""))


def test_the_tests_in_c_hold(host: Path) -> None:
    done = subprocess.run(
        ["ctest", "--test-dir", host, "--output-on-failure"], env=TOOLS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "100% tests passed" in done.stdout


@pytest.mark.parametrize("buffer_bytes", [7, 1460, 65536])
def test_an_echo_gives_back_everything_to_a_peer_that_reads_late(host: Path, buffer_bytes: int) -> None:
    port, count = free_port(), 100_000 if buffer_bytes > 7 else 5_000
    content = os.urandom(count)
    with (
        running(host, "streams", services=4, echo_port=port, buffer_bytes=buffer_bytes),
        socket.create_connection((HOST, port), WAIT_S) as client,
    ):
        sender = threading.Thread(target=send_and_end, args=(client, content))
        sender.start()
        time.sleep(0.2)
        got = all_of(client)
        sender.join()
    assert got == content


def test_an_echo_of_datagrams_gives_back_each(host: Path) -> None:
    port = free_port()
    with running(host, "streams", services=8, echo_port=port), socket.socket(type=socket.SOCK_DGRAM) as client:
        client.settimeout(WAIT_S)
        for size in (0, 1, 100, 1472):
            content = os.urandom(size)
            client.sendto(content, (HOST, port))
            assert client.recvfrom(2000) == (content, (HOST, port))


def test_a_hundred_connections_in_a_row_leave_nothing_behind(host: Path) -> None:
    sink, echo = free_port(), free_port()
    with running(host, "streams", services=5, sink_port=sink, echo_port=echo) as application:
        for n in range(100):
            with socket.create_connection((HOST, echo), WAIT_S) as client:
                client.sendall(b"hello")
                assert client.recv(5, socket.MSG_WAITALL) == b"hello"
                if n % 2:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            with socket.create_connection((HOST, sink), WAIT_S) as client:
                client.sendall(b"x" * n)
            application.wait_for(f"sink {n} bytes")


def test_a_sink_names_the_first_wrong_byte(host: Path) -> None:
    # The first outputs of SplitMix64 for seed 1234567 (Rosetta Code).
    words = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    right = struct.pack("<3Q", *words)
    port = free_port()
    with running(host, "streams", services=1, sink_port=port, sink_check=1, sink_seed=1234567) as application:
        for content, wanted in ((right, "every byte was right"), (right[:17] + b"?" + right[18:], "error: byte 17 ")):
            with socket.create_connection((HOST, port), WAIT_S) as client:
                client.sendall(content)
            application.wait_for(wanted)


def test_a_source_gives_as_much_as_was_asked_for(host: Path) -> None:
    port = free_port()
    with running(host, "streams", services=2, source_port=port, source_bytes=1_000_001):
        for _ in range(3):
            with socket.create_connection((HOST, port), WAIT_S) as client:
                got = all_of(client)
            period = bytes(range(ord("!"), ord("!") + 64))
            assert got == (period * 15626)[:1_000_001]


def test_real_iperf_clients_measure_the_server(host: Path) -> None:
    if shutil.which("iperf") is None:
        pytest.skip("iperf 2 is not on this machine (Debian: iperf)")
    port = free_port()
    with running(host, "iperf", port=port) as application:
        iperf = ["iperf", "-c", HOST, "-p", str(port), "-t", "1"]
        tcp = subprocess.run([*iperf, "-n", "1M"], capture_output=True, text=True, check=True, timeout=WAIT_S)
        assert "connect failed" not in tcp.stdout + tcp.stderr
        application.wait_for("TCP server, whole 1048576 bytes")
        udp = subprocess.run([*iperf, "-u", "-b", "4M"], capture_output=True, text=True, check=True, timeout=WAIT_S)
        said = application.wait_for("UDP server, jitter")
    report = re.search(r"Server Report:.* (\d+)/ *(\d+) \(", udp.stdout, re.DOTALL)
    assert report is not None, udp.stdout
    ours = re.search(r"lost (\d+) of (\d+)", said)
    assert ours is not None
    assert report.groups() == ours.groups()
    assert int(report[2]) > 300
    assert "did not receive ack" not in udp.stdout + udp.stderr


@pytest.mark.parametrize(("role", "options"), [(1, []), (2, ["-u"])], ids=["tcp", "udp"])
def test_clients_measure_a_real_iperf_server(host: Path, role: int, options: list[str]) -> None:
    if shutil.which("iperf") is None:
        pytest.skip("iperf 2 is not on this machine (Debian: iperf)")
    port = free_port()
    command = ["iperf", "-s", "-p", str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            time.sleep(0.5)
            common: Settings = {"peer": HOST, "peer_port": port, "amount_bytes": 1_470_000, "udp_rate": 10_000_000}
            with running(host, "iperf", role=role, settings=common) as application:
                said = application.wait_for("done\n")
            time.sleep(0.5)
        finally:
            server.terminate()
        assert server.stdout is not None
        heard = server.stdout.read()
    assert "error" not in said
    assert "1.40 MBytes" in heard
    if options:
        assert "UDP server, whole 1470000 bytes" in said
        assert re.search(r"lost 0 of 1000, out of order 0", said)
        assert re.search(r"0/1000 ", heard)


def test_a_one_way_message_goes_from_a_pulse_to_a_pulse(host: Path, tmp_path: Path) -> None:
    trigger = tmp_path / "pins"
    os.mkfifo(trigger)
    for transport in (0, 1):
        port = free_port()
        common: Settings = {"transport": transport, "port": port, "peer": HOST, "payload_bytes": 200}
        with (
            running(host, "oneway", role=1, settings=common) as receiver,
            running(host, "oneway", {"AIRWIRE_PINS": str(trigger)}, role=0, settings=common) as sender,
        ):
            if transport == 0:
                sender.wait_for("connected\n")
            with trigger.open("w") as pins:
                for n in range(5):
                    pins.write("2+2-")
                    pins.flush()
                    receiver.wait_for("ready\n" + "pin 3+\npin 3-\n" * n + "pin 3+\n")
            sender.wait_for("sent 5\nnot sent for want of room or of a connection 0\n")
            receiver.wait_for("received 5\nwrong 0\n")


def test_a_receiver_finds_messages_among_garbage_on_a_serial_line(host: Path) -> None:
    ours, theirs = os.openpty()
    try:
        with running(host, "oneway", {"AIRWIRE_UART": os.ttyname(theirs)}, role=1, transport=2) as receiver:
            os.write(ours, b"noise \xa5\x57\x00" + message(7, 12) + b"\xa5\x57\x04\x00 and no more")
            receiver.wait_for("pin 3+\n")
            time.sleep(0.1)
            os.write(ours, message(8, 1024))
            receiver.wait_for("pin 3-\npin 3+\n")
            receiver.wait_for("received 2\n")
    finally:
        os.close(ours)
        os.close(theirs)


def test_players_of_serial_ping_pong_go_on_over_garbage(host: Path) -> None:
    ours, theirs = os.openpty()
    line = {"AIRWIRE_UART": os.ttyname(theirs)}
    try:
        with running(host, "serial_pingpong", line, role=1):
            for asked, answer in ((b"41\n", b"42\n"), (b"\xff\n4x\n123456789012\n7\n", b"8\n"), (b"999\n", b"1000\n")):
                os.write(ours, asked)
                assert os.read(ours, 100) == answer
        with running(host, "serial_pingpong", line, role=0, rounds=3) as asks:
            for asked, answer in ((b"1\n", b"2\n"), (b"3\n", b"5\n"), (b"5\n", b"6\n")):
                assert os.read(ours, 100) == asked
                os.write(ours, answer)
            asks.wait_for("messages 3\nerrors 1\nlast number 6\ndone\n")
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_message_with_a_wrong_sum_raises_nothing(host: Path) -> None:
    port = free_port()
    with (
        running(host, "oneway", role=1, transport=1, port=port) as receiver,
        socket.socket(type=socket.SOCK_DGRAM) as client,
    ):
        for spoiled in (message(1, 50)[:-1] + b"?", message(1, 50)[:-1], message(1, 50) + b"x", b""):
            client.sendto(spoiled, (HOST, port))
        said = receiver.wait_for("wrong 4\n")
        assert "pin 3+" not in said
        client.sendto(message(1, 50), (HOST, port))
        receiver.wait_for("pin 3+\n")


def test_a_coap_client_takes_a_separate_response_and_acknowledges_it(host: Path) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as server:
        server.settimeout(WAIT_S)
        server.bind((HOST, 0))
        port = server.getsockname()[1]
        with running(host, "coap_client", server=HOST, server_port=port, requests=1) as client:
            request, peer = server.recvfrom(2000)
            # RFC 7252, section 3: version 1, confirmable, a token of four bytes, GET, Uri-Path "hello".
            assert request[:2] == b"\x44\x01"
            assert request[8:] == b"\xb5hello"
            server.sendto(b"\x60\x00" + request[2:4], peer)
            server.sendto(b"\x44\x45\x12\x34" + request[4:8] + b"\xc0\xff22.3 C", peer)
            assert server.recvfrom(2000)[0] == b"\x60\x00\x12\x34"
            assert "2.05 22.3 C\n" in client.wait_for("done\n")


def test_ping_pong_of_both_applications(host: Path) -> None:
    port = free_port()
    with (
        running(host, "pingpong_server", port=port),
        running(host, "pingpong_client", server=HOST, server_port=port, rounds=500) as client,
    ):
        said = client.wait_for("done\n")
    assert "messages 500\nerrors 0\nlast number 1000\n" in said


def test_a_client_says_when_nobody_listens(host: Path) -> None:
    with running(host, "pingpong_client", server=HOST, server_port=free_port()) as client:
        client.wait_for("error: nobody answers on the server's port\n")
    with running(host, "iperf", role=1, peer=HOST, peer_port=free_port()) as client:
        client.wait_for("error: nobody answers on the server's port: does iperf -s run there?\n")
