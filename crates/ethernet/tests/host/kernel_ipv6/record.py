"""Records what a real Linux kernel answers to frames of IPv6 while no program of it uses IPv6. Prints the recording with
which kernel_ipv6.rs compares the virtual PC: each frame that the kernel got (>), and each that it answered (<).
Needs root and iproute2; ends with status 77 and a reason where it cannot run. Usage: python3 record.py > linux.txt
"""

import fcntl
import socket
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kernel_namespaces import Bench, enter, record_with

KERNEL_MAC, PEER_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
KERNEL, PEER = "fe80::ff:fe00:1", "fe80::ff:fe00:2"
SOLICITED_NODE = "ff02::1:ff00:1"
TCP, UDP, ICMPV6, NO_PROTOCOL = 6, 17, 58, 253
HOP_BY_HOP, FRAGMENT, NOTHING, DESTINATION_OPTIONS = 0, 44, 59, 60
FIN, SYN, RST, ACK, SYN_ACK = 0x01, 0x02, 0x04, 0x10, 0x12
# What the kernel says of its own accord: router and neighbour solicitations, reports of MLD.
UNASKED = (133, 135, 131, 143)
# No flow labels, which are hashes; no bound on notices; no questions at the start.
SETTINGS = {
    "auto_flowlabels": 0,
    "icmp/ratelimit": 0,
    "conf/ip60/dad_transmits": 0,
    "conf/ip60/router_solicitations": 0,
    "conf/ip60/addr_gen_mode": 0,
}


def octets(address):
    return socket.inet_pton(socket.AF_INET6, address)


def checksum(data):
    even = data + bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(even) // 2}H", even))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet(payload, protocol, source=PEER, to=KERNEL, hop_limit=64, checksum_at=None, spoil=0, before=b"", first=None):
    """A frame with a packet; `before` are headers of extensions, of which `first` is the first one's kind."""
    if checksum_at is not None:
        pseudo = octets(source) + octets(to) + struct.pack(">IxxxB", len(payload), protocol)
        right = checksum(pseudo + payload) ^ spoil
        payload = payload[:checksum_at] + struct.pack(">H", right) + payload[checksum_at + 2 :]
    first = protocol if first is None else first
    header = struct.pack(">IHBB", 6 << 28, len(before + payload), first, hop_limit) + octets(source) + octets(to)
    many = b"\x33\x33" + octets(to)[12:]
    hardware = many if octets(to)[0] == 0xFF else bytes.fromhex(KERNEL_MAC.replace(":", ""))
    return hardware + bytes.fromhex(PEER_MAC.replace(":", "")) + b"\x86\xdd" + header + before + payload


def icmp(kind, body, code=0, **more):
    return packet(struct.pack(">BBH", kind, code, 0) + body, ICMPV6, checksum_at=2, **more)


def solicit(target=KERNEL, link_layer=True, **more):
    option = b"\x01\x01" + bytes.fromhex(PEER_MAC.replace(":", "")) if link_layer else b""
    return icmp(135, bytes(4) + octets(target) + option, **{"to": SOLICITED_NODE, "hop_limit": 255, **more})


def echo(count, **more):
    return icmp(128, struct.pack(">HH", 0x1234, 7) + bytes(n % 251 for n in range(count)), **more)


def datagram(count, **more):
    body = bytes(n % 251 for n in range(count))
    return packet(struct.pack(">HHHH", 5000, 7, 8 + count, 0) + body, UDP, **{"checksum_at": 6, **more})


def segment(flags, body=b"", **more):
    header = struct.pack(">HHIIBBHHH", 5000, 7, 0x01020304, 0x0A0B0C0D, 5 << 4, flags, 2048, 0, 0)
    return packet(header + body, TCP, checksum_at=16, **more)


PADDING = b"\x01\x04" + bytes(4)
FRAMES = {
    "solicitation": solicit(),
    "solicitation of the address alone": solicit(to=KERNEL, link_layer=False),
    "solicitation before an address is used": solicit(source="::", link_layer=False),
    "solicitation from beyond the link": solicit(hop_limit=64),
    "solicitation of another address": solicit(target=PEER),
    "solicitation with a wrong check sum": solicit(spoil=1),
    "solicitation with a code": icmp(135, bytes(4) + octets(KERNEL), code=1, to=SOLICITED_NODE, hop_limit=255),
    "solicitation before an address is used, with a hardware address": solicit(source="::"),
    "solicitation before an address is used, to one": solicit(source="::", to=KERNEL, link_layer=False),
    "echo": echo(56),
    "echo without a payload": echo(0),
    "echo that fills a frame": echo(1452),
    "echo with a code": icmp(128, struct.pack(">HH", 0x1234, 7) + bytes(8), code=1),
    "echo with a wrong check sum": echo(56, spoil=1),
    "echo to all nodes": echo(56, to="ff02::1"),
    "echo to the solicited-node address": echo(56, to=SOLICITED_NODE),
    "echo to all routers": echo(56, to="ff02::2"),
    "echo to another node": echo(56, to="fe80::ff:fe00:3"),
    "echo from nobody": echo(56, source="::"),
    "echo from a group": echo(56, source="ff02::1"),
    "echo from the kernel's own address": echo(56, source=KERNEL),
    "echo behind an option of padding": echo(8, before=bytes([ICMPV6, 0]) + PADDING, first=HOP_BY_HOP),
    "echo behind an option for the destination": echo(
        8, before=bytes([ICMPV6, 0]) + PADDING, first=DESTINATION_OPTIONS
    ),
    "echo behind an unknown option that may be skipped": echo(
        8, before=bytes([ICMPV6, 0]) + b"\x1e\x04" + bytes(4), first=HOP_BY_HOP
    ),
    "echo behind two options": echo(
        8, before=bytes([DESTINATION_OPTIONS, 0]) + PADDING + bytes([ICMPV6, 0]) + PADDING, first=HOP_BY_HOP
    ),
    "option of every hop behind another one": echo(
        8, before=bytes([HOP_BY_HOP, 0]) + PADDING + bytes([ICMPV6, 0]) + PADDING, first=DESTINATION_OPTIONS
    ),
    "a first piece": echo(8, before=bytes([ICMPV6, 0, 0, 1, 0, 0, 0, 9]), first=FRAGMENT),
    "echo reply that nobody waits for": icmp(129, struct.pack(">HH", 0x1234, 7) + bytes(8)),
    "datagram for no port": datagram(11),
    "long datagram for no port": datagram(1400),
    "datagram without a check sum": datagram(11, checksum_at=None),
    "datagram with a wrong check sum": datagram(11, spoil=1),
    "datagram to all nodes": datagram(11, to="ff02::1"),
    "connection to no port": segment(SYN),
    "acknowledgement of no connection": segment(ACK),
    "data of no connection": segment(ACK, b"hello"),
    "answer to no connection": segment(SYN_ACK),
    "reset of no connection": segment(RST),
    "end of no connection": segment(FIN, b"end"),
    "connection with a wrong check sum": segment(SYN, spoil=1),
    "connection to all nodes": segment(SYN, to="ff02::1"),
    "no protocol": packet(bytes(8), NO_PROTOCOL),
    "no protocol behind an option": packet(
        bytes(8), NO_PROTOCOL, before=bytes([NO_PROTOCOL, 0]) + PADDING, first=HOP_BY_HOP
    ),
    "nothing behind the header": packet(b"", NOTHING),
    "no protocol from nobody": packet(bytes(8), NO_PROTOCOL, source="::"),
    "no protocol to all nodes": packet(bytes(8), NO_PROTOCOL, to="ff02::1"),
}


def settle(names):
    """The kernel has the address of its hardware address alone, and the peer has no IPv6."""
    enter(names[1])
    Path("/proc/sys/net/ipv6/conf/ip61/disable_ipv6").write_text("1")
    enter(names[0])
    Path("/proc/sys/net/ipv6/conf/ip60/disable_ipv6").write_text("1")
    for setting, value in SETTINGS.items():
        Path(f"/proc/sys/net/ipv6/{setting}").write_text(str(value))
    change_hardware_address("ip60", KERNEL_MAC)
    Path("/proc/sys/net/ipv6/conf/ip60/disable_ipv6").write_text("0")
    time.sleep(2)


def change_hardware_address(device, address):
    set_hardware_address, ethernet = 0x8924, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        hardware = bytes.fromhex(address.replace(":", ""))
        fcntl.ioctl(control, set_hardware_address, struct.pack("16sH6s8x", device.encode(), ethernet, hardware))


def answers(wire):
    """What came within 0.1 s that was asked for."""
    found, end = [], time.monotonic() + 0.1
    while (rest := end - time.monotonic()) > 0:
        wire.settimeout(rest)
        try:
            frame, (_, _, kind, _, _) = wire.recvfrom(4096)
        except TimeoutError:
            break
        outgoing = 4
        is_unasked = frame[20] == HOP_BY_HOP or (frame[20] == ICMPV6 and frame[54] in UNASKED)
        if kind != outgoing and frame[12:14] == b"\x86\xdd" and not is_unasked:
            found.append(frame)
    return found


def record_all(names):
    settle(names)
    enter(names[1])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as wire:
        wire.bind(("ip61", 0))
        for name, frame in FRAMES.items():
            print(f"case {name}\n> {frame.hex()}")
            wire.send(frame)
            for answer in answers(wire):
                print(f"< {answer.hex()}")


if __name__ == "__main__":
    record_with(Bench("ip6", (None, None)), record_all)
