"""Records what a real Linux kernel sends to a chip: a network namespace of its own, a server in it, and at the other end of a
veth a raw socket that plays a TCP with a receive buffer of 2048 bytes and no options but MSS 1460. Prints the recording that
kernel_sends.rs compares the virtual PC with. Needs root and iproute2; ends with status 77 and a reason where it cannot
run. Usage: python3 record.py > linux.txt
"""

import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kernel_namespaces import Bench, enter, record_with, run

SUBJECT, CHIP = "10.79.0.1", "10.79.0.2"
CHIP_MAC = bytes.fromhex("020000000002")
PORT, CHIP_PORT, CHIP_FIRST = 5001, 49152, 7000
SO_TIMESTAMPNS = 35

# Writes of the subject as (bytes, pause in ms after it), whether TCP_NODELAY is on, and the chip: buffer, bytes that its
# firmware reads at a time, how often in ms, how late it acknowledges in ms, whether each read shows the window.
SCENARIOS = {
    "read_at_once": ([(20000, 0)], False, (2048, 2048, 0, 0, False)),
    "acknowledged_after_40_ms": ([(20000, 0)], False, (2048, 2048, 0, 40, False)),
    "acknowledged_after_200_ms": ([(12000, 0)], False, (2048, 2048, 0, 200, False)),
    "read_500_every_3_ms": ([(20000, 0)], False, (2048, 500, 3, 0, True)),
    "read_700_every_20_ms_without_nagle": ([(20000, 0)], True, (2048, 700, 20, 0, True)),
    "read_everything_every_300_ms": ([(20000, 0)], False, (2048, 2048, 300, 0, True)),
    "read_everything_every_900_ms": ([(8000, 0)], False, (2048, 2048, 900, 0, True)),
    "short_writes_with_nagle": ([(100, 1)] * 60, False, (2048, 2048, 0, 40, False)),
    "short_writes_without_nagle": ([(100, 1)] * 60, True, (2048, 2048, 0, 40, False)),
    "writes_of_700_with_nagle": ([(700, 2)] * 25, False, (2048, 2048, 0, 40, False)),
    "writes_of_1500_without_nagle": ([(1500, 2)] * 15, True, (2048, 2048, 0, 5, False)),
    "requests_of_512_every_50_ms": ([(512, 50)] * 12, False, (2048, 2048, 0, 0, False)),
    "window_of_4096": ([(30000, 0)], False, (4096, 4096, 0, 10, False)),
    "window_of_1024": ([(10000, 0)], False, (1024, 1024, 0, 10, False)),
    "window_of_8192_read_1460_every_2_ms": ([(40000, 0)], False, (8192, 1460, 2, 0, True)),
}


def subject(namespace, writes, nodelay, ready, marks):
    enter(namespace)
    with socket.create_server((SUBJECT, PORT)) as server:
        ready.set()
        connection, _ = server.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(nodelay))
        time.sleep(0.02)
        for count, pause in writes:
            marks.append((time.time(), "write", count))
            connection.sendall(bytes(count))
            time.sleep(pause / 1000)
        marks.append((time.time(), "finish", 0))
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(20)
        try:
            connection.recv(1)
        except OSError:
            pass


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Chip:
    def __init__(self, wire, mac, manner):
        self.wire, self.mac, self.marks = wire, mac, []
        self.buffer, self.reads, self.every, self.late, self.tells = manner
        self.unread, self.first, self.next = 0, 0, 0

    def send(self, flags, sequence):
        window = self.buffer - self.unread
        options = b"\x02\x04\x05\xb4" if flags & 2 else b""
        header = (20 + len(options)) // 4 << 4
        tcp = struct.pack(">HHIIBBHHH", CHIP_PORT, PORT, sequence, self.next, header, flags, window, 0, 0) + options
        ends = socket.inet_aton(CHIP) + socket.inet_aton(SUBJECT)
        total = checksum(ends + struct.pack(">BBH", 0, 6, len(tcp)) + tcp)
        tcp = tcp[:16] + struct.pack(">H", total) + tcp[18:]
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + ends
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        self.marks.append((time.time(), "chip", ((self.next - self.first) % 2**32, window)))
        self.wire.send(self.mac + CHIP_MAC + b"\x08\x00" + ip + tcp)

    def play(self):
        """Until the FIN came; answers what came as (time, kind, (start, bytes))."""
        seen = []
        self.send(2, CHIP_FIRST - 1)
        self.marks.clear()
        opened, acknowledge_at, read_at, end = False, None, None, time.time() + 60
        while time.time() < end:
            now = time.time()
            due = [at for at in (acknowledge_at, read_at) if at is not None]
            self.wire.settimeout(max(min(due, default=now + 1) - now, 0.00005))
            try:
                frame, control, _, _ = self.wire.recvmsg(4096, 256)
            except (TimeoutError, BlockingIOError):
                frame = b""
            now = time.time()
            if frame[12:14] == b"\x08\x00" and frame[23:24] == b"\x06" and frame[:6] == CHIP_MAC:
                seconds, nanoseconds = struct.unpack("qq", control[0][2])
                arrived = seconds + nanoseconds / 1e9
                tcp = frame[34:]
                sequence = struct.unpack(">I", tcp[4:8])[0]
                length = struct.unpack(">H", frame[16:18])[0] - 20 - (tcp[12] >> 4) * 4
                if tcp[13] & 2:
                    self.first = self.next = (sequence + 1) % 2**32
                    self.send(16, CHIP_FIRST)
                    self.marks.clear()
                    opened, read_at = True, now + self.every / 1000 if self.every else None
                    continue
                if not opened or tcp[13] & 4:
                    break
                start = (sequence - self.first) % 2**32
                if length or sequence != self.next:
                    seen.append((arrived, "subject", (start - 2**32 if start > 2**31 else start, length)))
                room = min(self.buffer - self.unread, length) if sequence == self.next else 0
                self.next, self.unread = (self.next + room) % 2**32, self.unread + room
                if not self.every:
                    self.unread = 0
                if tcp[13] & 1 and sequence + room == self.next and room == length:
                    self.next = (self.next + 1) % 2**32
                    self.send(20, CHIP_FIRST)
                    break
                if length or sequence != self.next:
                    acknowledge_at = min(acknowledge_at or 1e12, now + self.late / 1000)
            speaks = False
            if read_at is not None and read_at <= now:
                taken = min(self.unread, self.reads)
                self.unread, read_at = self.unread - taken, now + self.every / 1000
                speaks = taken > 0 and self.tells
            if speaks or acknowledge_at is not None and acknowledge_at <= now:
                acknowledge_at = None
                self.send(16, CHIP_FIRST)
        return seen + self.marks


def record(names, writes, nodelay, manner):
    marks, events, listening = [], [], threading.Event()

    def chip():
        enter(names[1])
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as wire:
            wire.bind(("send1", 0))
            wire.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            show = ("ip", "-n", names[0], "-br", "link", "show", "send0")
            mac = subprocess.run(show, check=True, capture_output=True, text=True).stdout.split()[2]
            events.extend(Chip(wire, bytes.fromhex(mac.replace(":", "")), manner).play())

    threads = [
        threading.Thread(target=subject, args=(names[0], writes, nodelay, listening, marks)),
        threading.Thread(target=chip),
    ]
    threads[0].start()
    listening.wait(5)
    threads[1].start()
    for thread in threads:
        thread.join()
    return sorted(events + marks, key=lambda event: event[0])


def record_all(names):
    mac = ":".join(f"{byte:02x}" for byte in CHIP_MAC)
    run("ip", "-n", names[0], "neigh", "add", CHIP, "lladdr", mac, "dev", "send0", "nud", "permanent")
    for name, (writes, nodelay, manner) in SCENARIOS.items():
        print(f"scenario {name} {manner[0]} {'nodelay' if nodelay else 'nagle'}")
        events = record(names, writes, nodelay, manner)
        start = events[0][0]
        for at, kind, values in events:
            values = values if isinstance(values, tuple) else (values,)
            print(kind, round((at - start) * 1e6), *values)


record_with(Bench("send", (SUBJECT, None)), record_all)
