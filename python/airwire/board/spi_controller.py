"""WIZnet chips without a board: for drivers that run in Python.

A :class:`SpiController` is the driver's side of a virtual chip: it moves bytes at a clock, waits, and looks at pins,
all in virtual time; the chip is on a network with a PC. A driver's own computing takes no time here unless it waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from airwire import _core
from airwire.values import Time, picoseconds

__all__ = ["SPI_CHIPS", "Access", "BusUse", "ChipWarning", "SpiController"]

SPI_CHIPS: tuple[str, ...] = _core.SPI_CHIPS
"""The chips that there are models of."""


@dataclass(frozen=True)
class Access:
    """One access over SPI; times in picoseconds."""

    start_ps: int
    end_ps: int
    write: bool
    address: int
    block: int
    data: bytes
    """The bytes that moved, the first 64 of them."""
    bytes: int
    register: str | None
    """The register at the first address, as the datasheet names it; ``None`` in the chip's memory."""
    register_byte: int | None
    """At which byte of the register it begins: 0 is the first."""
    socket: int | None
    """The socket that has the register."""
    command: str | None
    """The command that the driver gave, as the datasheet names it."""
    meaning: str
    """All of it in words."""


@dataclass(frozen=True)
class BusUse:
    """What a driver did to its bus and to its time."""

    transactions: int
    bytes: int
    bus_ps: int
    wait_ps: int


@dataclass(frozen=True)
class ChipWarning:
    """Something to know of how a chip is treated; each kind is told once."""

    at_ps: int
    sentence: str


class SpiController:
    """An SPI controller in front of a virtual chip: ``"w5100"``, ``"w5100s"``, ``"w5200"`` or ``"w5500"``.

    ``network`` is a network file; without one the chip is on a cable to a PC. ``link_up`` is how long its PHY
    negotiates (2.5 s by default).

    >>> spi = SpiController("w5500", clock_hz=10_000_000)
    >>> spi.wait("2 ms")
    >>> spi.exchange(b"\\x00\\x39\\x00\\x00")[3]  # VERSIONR
    4

    Raises ``AirwireError`` for a chip, a network or a time that cannot be used.
    """

    def __init__(
        self,
        chip: str = "w5500",
        *,
        network: str | Path | None = None,
        clock_hz: int = 2_000_000,
        link_up: Time | None = None,
        seed: int = 1,
    ) -> None:
        link_up_ps = None if link_up is None else picoseconds(link_up)
        self._core = _core.SpiController(chip, network=network, clock_hz=clock_hz, link_up_ps=link_up_ps, seed=seed)

    @property
    def now_ps(self) -> int:
        """The virtual time."""
        return self._core.now_ps

    def set_clock(self, hz: int) -> None:
        """Change SCK."""
        self._core.set_clock(hz)

    def select(self, selected: bool) -> None:
        """Move chip select: True is low."""
        self._core.select(selected)

    def transfer(self, sent: bytes) -> bytes:
        """Move bytes back to back; gives what was received."""
        return self._core.transfer(bytes(sent))

    def exchange(self, sent: bytes) -> bytes:
        """One transaction: select, transfer, deselect."""
        self.select(True)
        received = self.transfer(sent)
        self.select(False)
        return received

    def wait(self, time: Time) -> None:
        """Let virtual time pass: ``"10 ms"``, or picoseconds."""
        self._core.wait(picoseconds(time))

    def wait_for_interrupt(self, most: Time) -> bool:
        """Wait until the interrupt output is low, so long at most; whether it is."""
        return self._core.wait_for_interrupt(self.now_ps + picoseconds(most))

    @property
    def interrupt_is_low(self) -> bool:
        """Whether the chip asks for attention."""
        return self._core.interrupt_is_low

    def set_reset(self, high: bool) -> None:
        """Set the level of the chip's reset input."""
        self._core.set_reset(high)

    def set_plugged(self, plugged: bool) -> None:
        """Plug in the chip's network cable, or pull it."""
        self._core.set_plugged(plugged)

    @property
    def used(self) -> BusUse:
        """What the bus was used for so far."""
        return BusUse(*self._core.used())

    def traffic_summary(self, name: str) -> str | None:
        """What a client or a server of the PC found so far, in a sentence; None where there is none of that name."""
        return self._core.traffic_summary(name)

    def record(self, on: bool = True) -> None:
        """Keep accesses from here on, or no more."""
        self._core.record(on)

    def take_accesses(self) -> list[Access]:
        """The accesses since the last call, while they are recorded."""
        return [Access(*access) for access in self._core.take_accesses()]

    def take_warnings(self) -> list[ChipWarning]:
        """What the chip complains of since the last call."""
        return [ChipWarning(*warning) for warning in self._core.take_warnings()]
