"""Records what a real Linux kernel sends over IPv6 for programs: how it looks for neighbours, and its datagrams, pings and
connections. Prints the recording with which ipv6_programs.rs compares the virtual PC: each frame that the kernel got (>), and
each that it sent (<). Needs root and iproute2; ends with status 77 and a reason where it cannot run.
Usage: python3 programs.py > programs.txt
"""

import contextlib
import socket
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from record import PEER_MAC, SYN, TCP, UDP, Bench, enter, icmp, octets, packet, record_with, settle, solicit

ADVERTISEMENT, SOLICITATION, ECHO_REPLY = 136, 135, 129
HARDWARE = bytes.fromhex(PEER_MAC.replace(":", ""))
NOBODY = "fe80::ff:fe00:9"
# Solicited, and to override.
FLAGS = 0x60


def neighbour(number):
    return f"fe80::ff:fe00:{number}"


class Peer:
    """The other end of the wire: it sends frames and prints what passes."""

    def __init__(self, wire):
        self.wire = wire

    def say(self, frame):
        print(f"> {frame.hex()}")
        self.wire.send(frame)

    def hear(self, count=1, within=0.5):
        """Prints what the kernel sends, up to so many frames; the last of them."""
        frame, end = b"", time.monotonic() + within
        while count > 0 and (rest := end - time.monotonic()) > 0:
            self.wire.settimeout(rest)
            try:
                heard, (_, _, kind, _, _) = self.wire.recvfrom(4096)
            except TimeoutError:
                break
            reports_groups = heard[20] == 0
            outgoing = 4
            if kind != outgoing and heard[12:14] == b"\x86\xdd" and not reports_groups:
                print(f"< {heard.hex()}")
                frame, count = heard, count - 1
        return frame

    def advertise(self, source):
        option = b"\x02\x01" + HARDWARE
        body = bytes([FLAGS, 0, 0, 0]) + octets(source) + option
        self.say(icmp(ADVERTISEMENT, body, source=source, hop_limit=255))

    def find(self, source):
        """Hears the question for an address of its own, and answers it."""
        self.hear()
        self.advertise(source)


def to(address, port, scope):
    return (address, port, 0, scope)


def datagram_to_a_neighbour(peer, scope):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as program:
        program.bind(("::", 5000))
        program.sendto(b"hello", to(neighbour(2), 7, scope))
        peer.find(neighbour(2))
        peer.hear()


def datagram_to_nobody(peer, scope):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as program:
        program.bind(("::", 5000))
        program.sendto(b"hello", to(NOBODY, 7, scope))
        peer.hear(4, within=4.5)


def ping(peer, scope):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_ICMPV6) as program:
        program.bind(("::", 0x1234))
        program.sendto(struct.pack(">BBHHH", 128, 0, 0, 0, 7) + bytes(range(8)), to(neighbour(3), 0, scope))
        peer.find(neighbour(3))
        request = peer.hear()
        peer.say(icmp(ECHO_REPLY, request[58:], source=neighbour(3)))
        program.settimeout(1)
        program.recv(100)


def answer_to_a_stranger(peer, scope):
    del scope
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as program:
        program.bind(("::", 9000))
        body = struct.pack(">HHHH", 5000, 9000, 8 + 6, 0) + b"stream"
        peer.say(packet(body, UDP, source=neighbour(4), checksum_at=6))
        data, sender = program.recvfrom(100)
        program.sendto(data, sender)
        peer.find(neighbour(4))
        peer.hear()


def answer_to_who_asked_before(peer, scope):
    del scope
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as program:
        program.bind(("::", 9000))
        peer.say(solicit(source=neighbour(5)))
        peer.hear()
        body = struct.pack(">HHHH", 5000, 9000, 8 + 6, 0) + b"stream"
        peer.say(packet(body, UDP, source=neighbour(5), checksum_at=6))
        data, sender = program.recvfrom(100)
        program.sendto(data, sender)
        peer.hear()


def accept(peer, scope):
    del scope
    with socket.create_server(("::", 80), family=socket.AF_INET6, dualstack_ipv6=True):
        peer.say(solicit(source=neighbour(6)))
        peer.hear()
        options = b"\x02\x04" + struct.pack(">H", 1440)
        header = struct.pack(">HHIIBBHHH", 5000, 80, 0x01020304, 0, 6 << 4, SYN, 64800, 0, 0)
        peer.say(packet(header + options, TCP, source=neighbour(6), checksum_at=16))
        peer.hear()


def connect(peer, scope):
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as program:
        program.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            program.connect(to(neighbour(7), 80, scope))
        peer.find(neighbour(7))
        peer.hear()


PROGRAMS = {
    "a datagram to a neighbour": datagram_to_a_neighbour,
    "a datagram to nobody": datagram_to_nobody,
    "a ping": ping,
    "an answer to a stranger": answer_to_a_stranger,
    "an answer to who asked before": answer_to_who_asked_before,
    "a connection that is accepted": accept,
    "a connection that is opened": connect,
}


def record_programs(names):
    settle(names)
    Path("/proc/sys/net/ipv4/ping_group_range").write_text("0 0")
    scope = socket.if_nametoindex("ip60")
    enter(names[1])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as wire:
        wire.bind(("ip61", 0))
        enter(names[0])
        for name, program in PROGRAMS.items():
            print(f"case {name}")
            program(Peer(wire), scope)


if __name__ == "__main__":
    record_with(Bench("ip6", (None, None)), record_programs)
