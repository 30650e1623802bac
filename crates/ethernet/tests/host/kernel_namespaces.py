"""Two network namespaces of one's own, joined by a veth, for the scripts that record what a real Linux kernel does. Needs root
and iproute2.
"""

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

CLONE_NEWNET = 0x40000000
SIOCETHTOOL = 0x8946
# Linux's ethtool.h: the setters of transmit checksums, segmentation (TCP and general) and receive coalescing.
OFFLOADS = (0x17, 0x1F, 0x24, 0x2C)


def give_up(reason):
    print(reason, file=sys.stderr)
    sys.exit(77)


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


def shown(namespace, what, device):
    """What ``ip`` shows of a device over IPv6: its addresses (``addr``) or its routes (``route``)."""
    words = ("ip", "-6", "-n", namespace, what, "show", "dev", device)
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def enter(namespace):
    """Moves this thread into a namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{namespace}") as handle:
        if libc.setns(handle.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def without_offloads(device):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            request = struct.pack("16sP16x", device.encode(), ctypes.addressof(value))
            try:
                fcntl.ioctl(control, SIOCETHTOOL, request)
            except OSError:
                pass


class Bench:
    """The two namespaces and their wire; they are gone afterwards.

    `device` names the wire's ends (with 0 and 1 behind it); an end gets its address of `addresses` unless that is None.
    """

    def __init__(self, device, addresses):
        self.devices = (f"{device}0", f"{device}1")
        self.addresses = addresses
        self.names = [f"airwire-{end}-{os.getpid()}" for end in self.devices]

    def __enter__(self):
        for name in self.names:
            run("ip", "netns", "add", name)
        (name, other_name), (device, other) = self.names, self.devices
        run("ip", "link", "add", device, "netns", name, "type", "veth", "peer", "name", other, "netns", other_name)
        for name, device, address in zip(self.names, self.devices, self.addresses):
            if address is not None:
                run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", device)
            run("ip", "-n", name, "link", "set", device, "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
            thread = threading.Thread(target=lambda: (enter(name), without_offloads(device)))
            thread.start()
            thread.join()
        time.sleep(0.3)
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(("ip", "netns", "del", name), check=False, capture_output=True)


def record_with(bench, record):
    """Runs `record` in the namespaces; ends with status 77 and a reason where there can be none."""
    if os.geteuid() != 0:
        give_up("needs root for network namespaces")
    if shutil.which("ip") is None:
        give_up("needs iproute2")
    try:
        with bench:
            print(f"kernel {os.uname().release}")
            record(bench.names)
    except (OSError, subprocess.CalledProcessError) as error:
        give_up(f"cannot make network namespaces: {error}")
