"""Records when a real Linux kernel acknowledges: two network namespaces of its own joined by a veth, two small programs, and
a raw socket that watches. Prints the recording that kernel_acks.rs compares the virtual PC with. Needs root and
iproute2; ends with status 77 and a reason where it cannot run. Usage: python3 record.py > linux.txt
"""

import socket
import struct
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kernel_namespaces import Bench, enter, record_with

SUBJECT, PEER = "10.78.0.1", "10.78.0.2"
PORT = 5001
ANSWER_BYTES = 12
MSS = 1460
SO_TIMESTAMPNS = 35

# A round is (writes of the peer in bytes, answer of the subject in ms after the last byte or None, pause of the peer in ms).
SCENARIOS = {
    "ping_pong_answered_after_5_ms": (True, [([12], 5, 0)] * 40),
    "ping_pong_answered_at_once": (True, [([12], 0, 3)] * 40),
    "ping_pong_that_turns_slow": (True, [([12], 5, 0)] * 20 + [([12], 100, 0)] * 12),
    "request_in_two_writes": (True, [([100, 50], 5, 0)] * 30),
    "trickle_that_is_read": (True, [([100], None, 10)] * 60),
    "trickle_that_is_not_read": (False, [([100], None, 11)] * 60),
    "slow_trickle_that_is_not_read": (False, [([100], None, 60)] * 30),
    "trickle_of_large_segments_that_is_not_read": (False, [([1000], None, 11)] * 40),
    "two_full_segments_at_a_time": (True, [([2 * MSS], None, 6)] * 200),
    "two_full_segments_that_are_not_read": (False, [([2 * MSS], None, 10)] * 14),
    "three_full_segments_and_a_rest": (True, [([3 * MSS + 400], None, 10)] * 30),
    "ping_pong_after_a_rest_of_one_second": (
        True,
        [([12], 5, 0)] * 25 + [([12], 5, 1000)] + [([12], 5, 0)] * 25,
    ),
    "trickle_after_ping_pong": (True, [([12], 5, 0)] * 5 + [([100], None, 10)] * 30),
    "full_segments_answered_after_5_ms": (True, [([MSS], 5, 0)] * 40),
}

# Two kinds of peer: a chip's TCP without options, and another Linux.
PEERS = {
    "chip": {"tcp_window_scaling": 0, "tcp_timestamps": 0, "tcp_sack": 0},
    "linux": {"tcp_window_scaling": 1, "tcp_timestamps": 0, "tcp_sack": 1},
}


def read_exactly(connection, count):
    while count > 0:
        count -= len(connection.recv(min(count, 65536)) or sys.exit("the connection ended too soon"))


def subject(namespace, scenario, ready):
    reads, rounds = scenario
    enter(namespace)
    with socket.create_server((SUBJECT, PORT)) as server:
        ready.set()
        connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        if not reads:
            time.sleep(sum(pause for _, _, pause in rounds) / 1000 + 0.5)
            return
        for writes, answer_ms, _ in rounds:
            read_exactly(connection, sum(writes))
            if answer_ms is not None:
                time.sleep(answer_ms / 1000)
                connection.sendall(bytes(ANSWER_BYTES))
        time.sleep(0.3)


def peer(namespace, scenario, settings):
    enter(namespace)
    for setting, value in settings.items():
        with open(f"/proc/sys/net/ipv4/{setting}", "w") as handle:
            handle.write(str(value))
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for algorithm in (b"cubic", b"reno"):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm)
            break
        except OSError:
            continue
    connection.connect((SUBJECT, PORT))
    time.sleep(0.02)
    for writes, answer_ms, pause_ms in scenario[1]:
        for count in writes:
            connection.sendall(bytes(count))
        if answer_ms is not None:
            read_exactly(connection, ANSWER_BYTES)
        time.sleep(pause_ms / 1000)
    time.sleep(0.3)
    connection.close()


def watch(namespace, segments, stop, ready):
    enter(namespace)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as wire:
        wire.bind(("ack0", 0))
        wire.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        wire.settimeout(0.1)
        ready.set()
        while not stop.is_set():
            try:
                frame, control, _, _ = wire.recvmsg(4096, 256)
            except TimeoutError:
                continue
            if frame[12:14] == b"\x08\x00" and frame[23] == 6:
                seconds, nanoseconds = struct.unpack("qq", control[0][2])
                segments.append((seconds + nanoseconds / 1e9, frame))


def record(names, scenario, settings):
    segments, stop = [], threading.Event()
    watching, listening = threading.Event(), threading.Event()
    threads = [
        threading.Thread(target=watch, args=(names[0], segments, stop, watching)),
        threading.Thread(target=subject, args=(names[0], scenario, listening)),
        threading.Thread(target=peer, args=(names[1], scenario, settings)),
    ]
    threads[0].start()
    watching.wait(5)
    threads[1].start()
    listening.wait(5)
    threads[2].start()
    for thread in threads[1:]:
        thread.join()
    stop.set()
    threads[0].join()
    return segments


def show(segments):
    """One line for each segment with data of the peer, and for each of the subject: time in us, bytes, numbers, PSH."""
    first_sequence = {}
    start = None
    for at, frame in segments:
        source = socket.inet_ntoa(frame[26:30])
        tcp = frame[14 + (frame[14] & 15) * 4 :]
        sequence, acknowledgment = struct.unpack(">II", tcp[4:12])
        payload = struct.unpack(">H", frame[16:18])[0] - (frame[14] & 15) * 4 - (tcp[12] >> 4) * 4
        if tcp[13] & 2:
            first_sequence[source] = sequence + 1
            continue
        if tcp[13] & 5:
            break
        if source == PEER and payload == 0:
            continue
        start = start or at
        who = "peer" if source == PEER else "subject"
        other = SUBJECT if source == PEER else PEER
        end = (sequence + payload - first_sequence[source]) % 2**32
        acknowledged = (acknowledgment - first_sequence[other]) % 2**32
        pushed = "pushed" if tcp[13] & 8 else "-"
        print(f"{who} {round((at - start) * 1e6)} {payload} {end} {acknowledged} {pushed}")


def record_all(names):
    for kind, settings in PEERS.items():
        for name, scenario in SCENARIOS.items():
            print(f"scenario {name} {kind} {'read' if scenario[0] else 'unread'}")
            show(record(names, scenario, settings))


record_with(Bench("ack", (SUBJECT, PEER)), record_all)
