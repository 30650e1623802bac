"""Prints the addresses and the routes that this machine's kernel forms of a router's advertisement, which is given as a frame in
hexadecimal. Needs root and iproute2.
"""

import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

from kernel_namespaces import Bench, enter, give_up, run, shown  # noqa: E402

FORMED_WITHIN_S = 5


def main():
    frame = bytes.fromhex(sys.argv[1])
    if os.geteuid() != 0:
        give_up("network namespaces take root")
    with Bench("awroute", (None, None)) as bench:
        (sender, listener), (device, other) = bench.names, bench.devices
        run("ip", "netns", "exec", listener, "sysctl", "-qw", f"net.ipv6.conf.{other}.accept_dad=0")
        enter(sender)
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
            wire.bind((device, 0))
            end = time.monotonic() + FORMED_WITHIN_S
            while "scope global" not in shown(listener, "addr", other) and time.monotonic() < end:
                wire.send(frame)
                time.sleep(0.2)
        print(shown(listener, "addr", other))
        print(shown(listener, "route", other))


main()
