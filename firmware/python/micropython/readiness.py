"""Readiness of a WIZnet chip under MicroPython: the chip is there, its cable has a link, it has an address.

``ready()`` brings the chip up and gives the network interface as soon as all three hold, in place of a sleep before
``connect``. It looks every 10 ms, at most so long, and says which of the three is missing and what to do. For the
builds of MicroPython with lwIP (official ones) and those that use the chip's own TCP (WIZnet's). Left out: Wi-Fi,
several chips.
"""

import time

from machine import SPI, Pin

import network

# The W5500-EVB-Pico and W5100S-EVB-Pico.
SPI_ID, SCK, MOSI, MISO, CS, RST, INT = 0, 18, 19, 16, 17, 20, 21

# The W5500 is guaranteed to 33.3 MHz. The port takes the next clock below that it can make: where MicroPython runs the
# SPI at clk_peri = 48 MHz, 33 MHz becomes 24 MHz and 20 MHz becomes 12 MHz (48 MHz over an even number).
SPI_HZ = 33_000_000

# None for DHCP, or address, mask, gateway and DNS server:
# ADDRESS = ("192.168.1.20", "255.255.255.0", "192.168.1.1", "192.168.1.1")
ADDRESS = None

WITHIN_MS = 10_000
POLL_MS = 10

CHIP_WITHIN_MS = 500  # after a reset the W5500 answers within 1 ms, the W5100S within 60 ms
# What reads the version register, and what it says: VERSIONR of the datasheets of W5500 and W5100S.
VERSIONS = (("W5500", b"\x00\x39\x00", 0x04), ("W5100S", b"\x0f\x00\x80", 0x51))

NO_LINK = "no link: the Ethernet cable has no partner; plug it in at both ends, and look at the LEDs of the socket"
NO_ADDRESS = "no address: no DHCP server answered; set ADDRESS in readiness.py, or look at the network's DHCP server"


class NotReadyError(Exception):
    """Which of chip, link and address is missing, and what to do."""


def ready(within_ms=None):
    """Bring the chip up and wait until it can connect; gives the network interface."""
    begin = time.ticks_ms()
    if within_ms is None:
        within_ms = WITHIN_MS
    spi = SPI(SPI_ID, SPI_HZ, sck=Pin(SCK), mosi=Pin(MOSI), miso=Pin(MISO))
    cs, rst = Pin(CS, Pin.OUT, value=1), Pin(RST, Pin.OUT, value=1)
    # The driver itself never asks whether there is a chip: without one its loops do not end.
    find_chip(spi, cs, rst)
    nic = interface(spi, cs, rst)
    nic.active(True)
    if ADDRESS is not None:
        nic.ifconfig(ADDRESS)
    _wait(lambda: nic.status() != 0, begin, within_ms, NO_LINK)
    if ADDRESS is None:
        _ask_for_address(nic)
        _wait(lambda: nic.ifconfig()[0] != "0.0.0.0", begin, within_ms, NO_ADDRESS)
    return nic


def missing(nic):
    """What an interface lacks that was ready once, in a sentence; None if nothing."""
    if nic.status() == 0:
        return NO_LINK
    return NO_ADDRESS if nic.ifconfig()[0] == "0.0.0.0" else None


def has_lwip(nic):
    """Whether TCP is lwIP's, and not the chip's own."""
    return hasattr(nic, "send_ethernet")


def find_chip(spi, cs, rst):
    """Name the chip by its version register; one that does not answer is reset once."""
    found = _look(spi, cs)
    if found is None:
        rst(0)
        time.sleep_ms(1)  # RSTn of the W5500: at least 500 us
        rst(1)
        begin = time.ticks_ms()
        while found is None and time.ticks_diff(time.ticks_ms(), begin) < CHIP_WITHIN_MS:
            time.sleep_ms(POLL_MS)
            found = _look(spi, cs)
    if found is None:
        raise NotReadyError(
            "no chip: its version register reads 0x%02x; look at power, and at the pins in readiness.py"
            % _version(spi, cs, VERSIONS[0][1])
        )
    return found


def interface(spi, cs, rst):
    """The network interface, with the chip's interrupt output where the port takes it."""
    try:
        # Without it lwIP looks at the chip every 64 ms only.
        return network.WIZNET5K(spi, cs, rst, Pin(INT, Pin.IN))
    except TypeError:
        # Builds that use the chip's TCP take three.
        return network.WIZNET5K(spi, cs, rst)


def _look(spi, cs):
    for name, header, version in VERSIONS:
        if _version(spi, cs, header) == version:
            return name
    return None


def _version(spi, cs, header):
    cs(0)
    spi.write(header)
    version = spi.read(1)[0]
    cs(1)
    return version


def _ask_for_address(nic):
    """Start DHCP now that there is a link: lwIP asked before it, in vain, and asks again only after 2, 6 and 14 s."""
    if hasattr(nic, "ipconfig"):
        nic.ipconfig(dhcp4=True)
    elif not has_lwip(nic):
        try:
            nic.ifconfig("dhcp")
        except OSError as error:
            raise NotReadyError(NO_ADDRESS) from error


def _wait(holds, begin, within_ms, sentence):
    while not holds():
        if time.ticks_diff(time.ticks_ms(), begin) >= within_ms:
            raise NotReadyError("%s (waited %d ms)" % (sentence, within_ms))
        time.sleep_ms(POLL_MS)
