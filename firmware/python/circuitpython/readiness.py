"""Readiness of a WIZnet chip under CircuitPython: the chip is there, its cable has a link, it has an address.

``ready()`` brings the chip up with Adafruit's library (adafruit_wiznet5k) and gives its interface as soon as all
three hold, in place of a sleep before ``connect``. It looks every 10 ms, at most so long, and says which of the three
is missing and what to do. The library's own sleeps: with a reset pin 5.1 s, so it gets none and the chip is reset
here, and only if it does not answer; 1 s and some 0.2 s more that cannot be left out, while the chip negotiates its
link anyway; steps of 0.5 s while there is no link, and up to a minute for DHCP, both of which :class:`Chip` takes
out.
"""

import time

import busio
from adafruit_bus_device.spi_device import SPIDevice
from adafruit_ticks import ticks_diff, ticks_ms
from adafruit_wiznet5k.adafruit_wiznet5k import WIZNET5K
from digitalio import DigitalInOut

import board

# The W5500-EVB-Pico and W5100S-EVB-Pico. The library does not use the interrupt output (GP21).
SCK, MOSI, MISO, CS, RST = board.GP18, board.GP19, board.GP16, board.GP17, board.GP20

# The W5500 is guaranteed to 33.3 MHz. The port takes the next clock below that it can make: 31.25 MHz out of 125 MHz.
SPI_HZ = 33_000_000

# None for DHCP, or address, mask, gateway and DNS server:
# ADDRESS = ("192.168.1.20", "255.255.255.0", "192.168.1.1", "192.168.1.1")
ADDRESS = None

DEBUG = False  # the library's own messages: each print collects garbage
WITHIN_MS = 10_000
POLL_MS = 10

CHIP_WITHIN_MS = 500  # after a reset the W5500 answers within 1 ms, the W5100S within 60 ms
# What reads VERSIONR, what it says, and what reads the register whose bit 0 is the link: PHYCFGR, PHYSR (datasheets).
CHIPS = (
    ("W5500", b"\x00\x39\x00", 0x04, b"\x00\x2e\x00"),
    ("W5100S", b"\x0f\x00\x80", 0x51, b"\x0f\x00\x3c"),
)

NO_LINK = "no link: the Ethernet cable has no partner; plug it in at both ends, and look at the LEDs of the socket"
NO_ADDRESS = "no address: no DHCP server answered; set ADDRESS in readiness.py, or look at the network's DHCP server"


class NotReadyError(Exception):
    """Which of chip, link and address is missing, and what to do."""


class Registers:
    """The chip's registers, one byte at a time."""

    def __init__(self, spi, cs):
        self._device = SPIDevice(spi, cs, baudrate=SPI_HZ)
        self._byte = bytearray(1)

    def read(self, header):
        """The byte behind a header."""
        with self._device as bus:
            bus.write(header)
            bus.readinto(self._byte)
        return self._byte[0]


class Chip(WIZNET5K):
    """The library's driver, with its waits for the link and for DHCP in the hands of :func:`ready`."""

    def __init__(self, spi, cs, registers, link_header):
        self._registers = registers
        self._link_header = link_header
        self._up = False
        self._begin = 0
        self._within_ms = None
        super().__init__(spi, cs, is_dhcp=False, debug=DEBUG, spi_baudrate=SPI_HZ)
        self._up = True

    @property
    def link_status(self):
        """Whether there is a link. The library's constructor is told so, as it would sleep for it in steps of 0.5 s."""
        return not self._up or bool(self._registers.read(self._link_header) & 1)

    def socket_available(self, *arguments):
        """As the library's, which waits for DHCP's answers in here: not longer than is left."""
        if self._within_ms is not None and ticks_diff(ticks_ms(), self._begin) >= self._within_ms:
            raise NotReadyError(_waited(NO_ADDRESS, self._within_ms))
        return super().socket_available(*arguments)

    def ask_for_address(self, begin, within_ms):
        """DHCP, until so long after ``begin``."""
        self._begin, self._within_ms = begin, within_ms
        try:
            self.set_dhcp()
        except ConnectionError as error:
            raise NotReadyError(NO_LINK) from error
        except (RuntimeError, TimeoutError) as error:
            raise NotReadyError(NO_ADDRESS) from error
        finally:
            self._within_ms = None


def ready(within_ms=None):
    """Bring the chip up and wait until it can connect; gives the library's interface."""
    begin = ticks_ms()
    if within_ms is None:
        within_ms = WITHIN_MS
    spi = busio.SPI(SCK, MOSI=MOSI, MISO=MISO)
    cs, rst = DigitalInOut(CS), DigitalInOut(RST)
    registers = Registers(spi, cs)
    chip = Chip(spi, cs, registers, find_chip(registers, rst))
    if ADDRESS is not None:
        chip.ifconfig = tuple(chip.unpretty_ip(address) for address in ADDRESS)
    while not chip.link_status:
        if ticks_diff(ticks_ms(), begin) >= within_ms:
            raise NotReadyError(_waited(NO_LINK, within_ms))
        time.sleep(POLL_MS / 1000)
    if ADDRESS is None:
        chip.ask_for_address(begin, within_ms)
    return chip


def missing(chip):
    """What an interface lacks that was ready once, in a sentence; None if nothing."""
    if not chip.link_status:
        return NO_LINK
    return NO_ADDRESS if chip.ipv4_address == "0.0.0.0" else None


def find_chip(registers, rst):
    """What reads the link of the chip that is there; one that does not answer is reset once."""
    rst.switch_to_output(value=True)
    found = _look(registers)
    if found is None:
        rst.value = False
        time.sleep(0.001)  # RSTn of the W5500: at least 500 us
        rst.value = True
        begin = ticks_ms()
        while found is None and ticks_diff(ticks_ms(), begin) < CHIP_WITHIN_MS:
            time.sleep(POLL_MS / 1000)
            found = _look(registers)
    if found is None:
        raise NotReadyError(
            "no chip: its version register reads 0x%02x; look at power, and at the pins in readiness.py"
            % registers.read(CHIPS[0][1])
        )
    return found


def _look(registers):
    for _, header, version, link_header in CHIPS:
        if registers.read(header) == version:
            return link_header
    return None


def _waited(sentence, within_ms):
    return "%s (waited %d ms)" % (sentence, within_ms)
