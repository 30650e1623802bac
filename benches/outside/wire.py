"""A wire between two network namespaces that delays and loses frames.

``python -m benches.outside.wire FD LOSS DELAY_MS JITTER_MS COMMAND...`` is its far end, with a peer. The process at the
near end runs ``forward`` in a thread. Not every kernel has ``tc netem``; this needs a TAP at either end only.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import select
import socket
import struct
import subprocess
import sys
import time

_TUNSETIFF = 0x400454CA
_IFF_TAP_NO_PI = 0x0002 | 0x1000
_FRAME = 2048
NEAR, FAR = "10.9.0.1", "10.9.0.2"


def tap(address: str) -> int:
    """A TAP of this namespace with an address."""
    made = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(made, _TUNSETIFF, struct.pack("16sH", b"wire", _IFF_TAP_NO_PI))
    subprocess.run(["sysctl", "-qw", "net.ipv6.conf.wire.disable_ipv6=1"], check=False)
    subprocess.run(["ip", "addr", "add", f"{address}/24", "dev", "wire"], check=True)
    subprocess.run(["ip", "link", "set", "wire", "up"], check=True)
    return made


def forward(own: int, other: socket.socket, loss: float, delay_s: float, jitter_s: float) -> None:
    """Carries frames both ways until the other end is gone; each waits, in order, and some are lost."""
    chance = random.Random(time.monotonic_ns())
    waiting: list[tuple[float, int, bool, bytes]] = []
    latest, number = {True: 0.0, False: 0.0}, 0
    while True:
        until = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        both: list[int | socket.socket] = [own, other]
        ready, _, _ = select.select(both, [], [], until)
        for source in ready:
            frame = os.read(own, _FRAME) if source is own else other.recv(_FRAME)
            if not frame:
                return
            # Only IP is lost: a lost question of ARP costs a second, which is no retransmission.
            if frame[12:14] == b"\x08\x00" and chance.random() < loss:
                continue
            outward = source is own
            due = time.monotonic() + delay_s + jitter_s * abs(chance.gauss(0, 1))
            latest[outward] = max(latest[outward], due)
            number += 1
            heapq.heappush(waiting, (latest[outward], number, outward, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, outward, frame = heapq.heappop(waiting)
            if outward:
                other.send(frame)
            else:
                os.write(own, frame)


def main() -> None:
    """The far end, in its own namespace: a peer, and the wire to it."""
    number, loss, delay_ms, jitter_ms = sys.argv[1:5]
    joined = socket.socket(fileno=int(number))
    own = tap(FAR)
    # Whoever ends this process need not know of the peer.
    subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *sys.argv[5:]])
    forward(own, joined, float(loss), float(delay_ms) / 1000, float(jitter_ms) / 1000)


if __name__ == "__main__":
    main()
