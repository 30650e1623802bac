"""Which board an image is for, found from its own accesses.

The image runs on a microcontroller without chips until it drives an SPI bus. What it says there is told to a model of
each chip: the one that understands it is the one that the image is for, and boards that have it on those pins are
tried. An image that talks to no chip, and offers a network on USB, is for a board whose network that is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from airwire.board.catalogue import board_names, describe_board, microcontroller_of
from airwire.board.model import BoardDescription, BoardRun
from airwire.board.spi_controller import SPI_CHIPS, SpiController
from airwire.board.virtual import Board
from airwire.diagnosis.going_on import run_past_faults
from airwire.diagnosis.management import is_management
from airwire.diagnosis.spi_bus import Edge, SpiBus, spi_bus
from airwire.values import Settings

BARE_BOARDS: Mapping[str, str] = {
    "rp2040": "pico",
    "atmega328p": "arduino-uno",
    "atmega1284p": "goldilocks-1284p",
    "atmega2560": "arduino-mega",
}
"""Of each microcontroller the board that has no chip of a network beside it."""
_RADIOS: Mapping[str, Sequence[str]] = {"cyw43439": ("power", "select", "clock")}
"""Chips that are told by the pins which the image moves, since it stops talking where nobody answers."""
ON_USB: Mapping[str, str] = {"rp2040": "pico-usb-network"}
"""Of each microcontroller the board whose network is its USB cable."""
USB_NETWORK = "usb-network"
"""The chip of a board file that stands for it."""
PHYS = ("lan8720",)
"""Chips that are told by what the image asks at their management interface."""
LONGEST_PS = 8 * 10**12
"""No image is looked at for longer. Sketches often wait five seconds for a serial monitor before they begin, as the
examples of Arduino-Pico's Ethernet library do."""
# What sleeps for long is looked at in longer steps.
_SLICE, _LATER_SLICE = "1 ms", "10 ms"
_LATER_PS = 10**12
_ENOUGH_TRANSACTIONS = 48
# A transaction has at least two edges of chip select and eight clocks; fewer edges are not worth a look.
_WORTH_A_LOOK = 20 * _ENOUGH_TRANSACTIONS
_MOST_EDGES = 2_000_000
# A chip takes accesses after its reset: 150 ms are the longest of the four (W5200 datasheet, 6.5).
_RESET = "200 ms"
# Registers of two bytes are often read byte by byte, so that not every access begins at a first byte.
_LEAST_UNDERSTOOD = 0.4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chip that understands what the image says on a bus."""

    chip: str
    understood: float
    """The share of its accesses that begin at the first byte of a register."""
    answered: float
    """The share of what is said that gives it an access at all. An image that asks for one chip after the other says
    something that only some of them answer."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What an image showed of itself on a bare microcontroller."""

    boards: Sequence[str]
    """The boards that it may be for, the likeliest first; empty where none fits."""
    bus: SpiBus | None
    chips: Sequence[Candidate]
    run: BoardRun
    """How it went until then."""
    bare: Board

    def pin(self, gpio: int) -> str:
        """What its microcontroller calls a GPIO, such as ``GP17`` or ``PB2``."""
        return describe_board(self.bare.name).gpios[gpio]


def identify(
    image: str | Path,
    symbols: str | Path | None,
    settings: Settings,
    *,
    longest_ps: int = LONGEST_PS,
    most_cycles: float = inf,
) -> Identity:
    """Run an image on a bare microcontroller until it is known what it talks to.

    It ends after ``longest_ps`` of virtual time, or ``most_cycles`` in which a core was busy, with what is known then.
    """
    mcu = microcontroller_of(image)
    bare = Board(BARE_BOARDS[mcu], image, symbols=symbols, settings=settings)
    boards_of = [board for board in map(describe_board, board_names()) if board.mcu == mcu]
    bus, phys, run = _first_bus(bare, boards_of, longest_ps, most_cycles)
    if phys:
        return Identity(phys, bus, [], run, bare)
    radios = _boards_with_radio(boards_of, {gpio for _, gpio, _ in bare.edges_by_gpio()})
    if radios:
        return Identity(radios, bus, [], run, bare)
    # Without a line of data nothing is said that a chip could understand.
    chips = [] if bus is None or bus.mosi is None else _candidates(bus.transactions[:_ENOUGH_TRANSACTIONS])
    boards = [] if bus is None else [board for one in chips for board in _boards_with(boards_of, one.chip, bus)]
    device = bare.usb_device
    if not boards and device is not None and device.has_network:
        boards = [ON_USB[mcu]]
    return Identity(boards, bus, chips, run, bare)


def _first_bus(
    board: Board, boards: Sequence[BoardDescription], longest_ps: int, most_cycles: float
) -> tuple[SpiBus | None, list[str], BoardRun]:
    """The bus that it talks on, or the boards whose PHY it asks, whichever comes first."""
    looked_at = 0
    while True:
        run = run_past_faults(board, _SLICE if board.time_ps < _LATER_PS else _LATER_SLICE)
        moved = board.edge_count
        busy = sum(core.busy_cycles for core in run.cores)
        over = run.reason != "time" or board.time_ps >= longest_ps or busy >= most_cycles or moved >= _MOST_EDGES
        if moved >= max(_WORTH_A_LOOK, 2 * looked_at) or over:
            looked_at = moved
            edges = board.edges_by_gpio()
            phys = _boards_with_phy(boards, edges)
            bus = None if phys else spi_bus(edges)
            if phys or (bus is not None and (over or len(bus.transactions) >= _ENOUGH_TRANSACTIONS)):
                return bus, phys, run
        if over:
            return None, [], run


def _candidates(transactions: Sequence[bytes]) -> list[Candidate]:
    found = [one for chip in SPI_CHIPS if (one := _candidate(chip, transactions)).understood >= _LEAST_UNDERSTOOD]
    return sorted(found, key=lambda one: -one.understood * one.answered)


def _candidate(chip: str, transactions: Sequence[bytes]) -> Candidate:
    """How a chip takes it. Where another frame is meant, few accesses begin where a register does."""
    # Transactions that go on where the one before ended are one access, so a second chip tells which of them gave any.
    whole, one_by_one = _recorded(chip), _recorded(chip)
    answered = 0
    for transaction in transactions:
        whole.exchange(transaction)
        one_by_one.exchange(transaction)
        answered += bool(one_by_one.take_accesses())
    accesses = whole.take_accesses()
    at_first_byte = sum(access.register_byte == 0 for access in accesses)
    return Candidate(chip, at_first_byte / max(len(accesses), 1), answered / max(len(transactions), 1))


def _recorded(chip: str) -> SpiController:
    spi = SpiController(chip)
    spi.wait(_RESET)
    spi.record()
    return spi


def _boards_with_radio(boards: Sequence[BoardDescription], moved: Collection[int]) -> list[str]:
    """The boards with a radio whose pins moved."""
    return [
        board.name
        for board in boards
        if any(
            one.kind in _RADIOS and all(one.pins.get(field) in moved for field in _RADIOS[one.kind])
            for one in board.chips
        )
    ]


def _boards_with_phy(boards: Sequence[BoardDescription], edges: Sequence[Edge]) -> list[str]:
    """The boards with a PHY whose registers were asked for at its pins."""
    phys = [(board.name, one.pins) for board in boards for one in board.chips if one.kind in PHYS]
    return [name for name, pins in phys if is_management(edges, pins["mdc"], pins["mdio"])]


def _boards_with(boards: Sequence[BoardDescription], chip: str, bus: SpiBus) -> list[str]:
    """The boards that have the chip with its chip select on that pin."""
    return [
        board.name
        for board in boards
        if any(one.kind == chip and one.pins.get("select") == bus.select for one in board.chips)
    ]
