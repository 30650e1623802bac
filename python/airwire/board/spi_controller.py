"""WIZnet chips without a board: for drivers that run in Python, or in C through ctypes.

A :class:`SpiController` is the driver's side of a virtual chip: it moves bytes at a clock, waits, and looks at pins,
all in virtual time; the chip is on a network with a PC. What a driver's own computing takes is declared
(``computing``), and nothing otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from airwire import _core
from airwire.board.network import Traffic
from airwire.outputs import why_kept
from airwire.values import Time, picoseconds

__all__ = [
    "SPI_CHIPS",
    "Access",
    "BusUse",
    "ChipWarning",
    "Datagram",
    "Dropped",
    "Frame",
    "SpiController",
]

SPI_CHIPS: tuple[str, ...] = _core.SPI_CHIPS
"""The chips that there are models of."""

_PS_PER_S = 10**12
_LONGEST_PS = 30 * 86_400 * _PS_PER_S
_LATEST_PS = 2 * _LONGEST_PS
_MOST_HZ = 10**9
_MOST_SEED = 2**64 - 1
_MOST_PORT = 2**16 - 1


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
    computing_ps: int


@dataclass(frozen=True)
class ChipWarning:
    """Something to know of how a chip is treated; each kind is told once."""

    at_ps: int
    sentence: str


@dataclass(frozen=True)
class Frame:
    """A frame on a chip's cable, at the chip's end: from its destination to the end of its payload."""

    start_ps: int
    """The first bit of its preamble."""
    chip: str
    """The name of the chip on the network; the first one is ``"chip"``."""
    from_chip: bool
    data: bytes
    intact: bool
    """Whether its check sequence is right."""
    fate: tuple[str, ...]
    """What the cable did to it, in words; nothing where it only carried it."""


@dataclass(frozen=True)
class Datagram:
    """A datagram that the PC received."""

    at_ps: int
    address: str
    port: int
    data: bytes


@dataclass(frozen=True)
class Dropped:
    """What was dropped around a chip so far, by reason."""

    by_chip: dict[str, int]
    """By the chip itself: every reason that it has, with zeros."""
    to_chip: dict[str, int]
    """Frames on the cable to the chip; reasons that occurred."""
    from_chip: dict[str, int]
    """Frames on the cable from it, likewise."""


@dataclass
class _OnNetwork:
    """What the controllers of one network share."""

    names: list[str]
    """Of its chips."""
    captures_to: Path | None = None


class SpiController:
    """An SPI controller in front of a virtual chip: ``"w5100"``, ``"w5100s"``, ``"w5200"``, ``"w5500"`` or ``"w6100"``.

    ``network`` is a network file, and ``network_text`` the text of one; without either the chip is on a cable to a
    PC. ``traffic`` adds clients and servers of that PC (``["ping to=board count=5"]``), and ``impair`` makes the cable
    worse (``"loss=1%"``). ``link_up`` is how long the chip's PHY negotiates (2 s by default).

    ``computing`` is what the driver's own computing takes before each transaction, and ``computing_spread`` how much
    more it may be, evenly distributed. Without a spread a driver that polls keeps in step with whatever it waits for,
    and a race has the same winner each time.

    ``send_ok_waits_for_acknowledgement`` is the other reading of the datasheets' SENDOK in TCP mode. ``seed`` is that
    of all random numbers of chip and driver.

    >>> spi = SpiController("w5500", clock_hz=10_000_000)
    >>> spi.wait("2 ms")
    >>> spi.exchange(b"\\x00\\x39\\x00\\x00")[3]  # VERSIONR
    4

    Raises ``AirwireError`` for whatever cannot be used.
    """

    def __init__(
        self,
        chip: str = "w5500",
        *,
        network: str | Path | None = None,
        network_text: str | None = None,
        traffic: Sequence[str] = (),
        impair: str | None = None,
        clock_hz: int = 2_000_000,
        link_up: Time | None = None,
        seed: int = 1,
        computing: Time = 0,
        computing_spread: Time = 0,
        send_ok_waits_for_acknowledgement: bool = False,
    ) -> None:
        core = _core.SpiController(
            chip,
            network=network,
            network_text=network_text,
            traffic=list(traffic),
            impair=impair,
            clock_hz=_clock(clock_hz),
            link_up_ps=_link_up(link_up),
            seed=_seed(seed),
            send_ok_waits=send_ok_waits_for_acknowledgement,
        )
        self._network = network
        self._shared = _OnNetwork(["chip"])
        self._take(core, computing, computing_spread, seed)

    def _take(self, core: _core.SpiController, computing: Time, computing_spread: Time, seed: int) -> None:
        self._core = core
        self._seed = seed
        self._core.set_computing(_time("computing", computing), _time("computing_spread", computing_spread), seed)

    def add_chip(
        self,
        chip: str = "w5500",
        *,
        name: str | None = None,
        clock_hz: int = 2_000_000,
        link_up: Time | None = None,
        seed: int | None = None,
        computing: Time = 0,
        computing_spread: Time = 0,
        send_ok_waits_for_acknowledgement: bool = False,
    ) -> Self:
        """One more chip on the same network, on an SPI of its own.

        Both are driven by one driver: what is done at one of them takes time for both. Without a ``name`` it is
        ``"chip-2"``, and the next one ``"chip-3"``.
        """
        names = self._shared.names
        name = f"chip-{len(names) + 1}" if name is None else name
        if name in names:
            raise _core.AirwireError(f"a chip of this network is called {name!r} already; give it another name")
        seed = self._seed + 1 if seed is None else seed
        core = self._core.add_chip(
            chip, name, _clock(clock_hz), _link_up(link_up), _seed(seed), send_ok_waits_for_acknowledgement
        )
        other = type(self).__new__(type(self))
        names.append(name)
        other._network, other._shared = self._network, self._shared
        other._take(core, computing, computing_spread, seed)
        return other

    @property
    def now_ps(self) -> int:
        """The virtual time."""
        return self._core.now_ps

    def set_clock(self, hz: int) -> None:
        """Change SCK."""
        self._core.set_clock(_clock(hz))

    def select(self, selected: bool) -> None:
        """Move chip select: True is low."""
        self._core.select(selected)

    def transfer(self, sent: bytes) -> bytes:
        """Move bytes back to back; gives what was received."""
        return self._core.transfer(_data("an SPI transfer", sent))

    def exchange(self, sent: bytes) -> bytes:
        """One transaction: select, transfer, deselect."""
        data = _data("an SPI transfer", sent)
        self.select(True)
        received = self._core.transfer(data)
        self.select(False)
        return received

    def wait(self, time: Time) -> None:
        """Let virtual time pass: ``"10 ms"``, or picoseconds."""
        self._core.wait(self._within("a wait", time))

    def wait_for_interrupt(self, most: Time) -> bool:
        """Wait until the interrupt output is low, so long at most; whether it is."""
        return self._core.wait_for_interrupt(self.now_ps + self._within("a wait", most))

    def _within(self, what: str, time: Time) -> int:
        ps = _time(what, time)
        if self.now_ps + ps > _LATEST_PS:
            raise _core.AirwireError("virtual time ends after 60 days; begin with another controller")
        return ps

    @property
    def interrupt_is_low(self) -> bool:
        """Whether the chip asks for attention."""
        return self._core.interrupt_is_low

    @property
    def interrupt_falls(self) -> int:
        """How often the interrupt output went low so far: how often an edge-triggered handler would have been called.

        One that is low all the time, for frames that arrive while the driver handles another, falls once.
        """
        return self._core.interrupt_falls

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

    @property
    def traffic(self) -> Traffic:
        """What the PC's clients measured, and its servers counted, by name: ``spi.traffic["ping"].latency``."""
        return Traffic(self._core)

    def record_frames(self, on: bool = True) -> None:
        """Keep the frames on the cables of all chips of the network from here on, or no more."""
        self._core.keep_frames(on)

    def take_frames(self) -> list[Frame]:
        """The frames since the last call, while they are recorded."""
        return [
            Frame(start_ps, chip, from_chip, data, intact, tuple(fate))
            for start_ps, chip, from_chip, data, intact, fate in self._core.take_frames()
        ]

    def send_frame(self, data: bytes, *, intact: bool = True) -> None:
        """Put any frame on the cable to the chip, without a preamble and a check sequence.

        It goes as if the switch had sent it on: a short one is padded, and the cable's impairments apply. One that is
        not ``intact`` has a wrong check sequence.
        """
        self._core.send_frame(_data("a frame", data), intact)

    def send_datagram(self, data: bytes, *, to: tuple[str, int], port: int = 40_000) -> None:
        """Have the PC send a datagram from its ``port``: to a chip, to everybody, or to a multicast group."""
        address, to_port = to
        self._core.send_datagram(
            _port("port", port), address, _port("the destination's port", to_port), _data("a datagram", data)
        )

    def take_datagrams(self, port: int = 40_000) -> list[Datagram]:
        """The datagrams that came to a port of the PC since the last call; the port is open from the first call on."""
        return [Datagram(*datagram) for datagram in self._core.take_datagrams(_port("port", port))]

    @property
    def dropped(self) -> Dropped:
        """What was dropped around the chip so far, and why."""
        return Dropped(**json.loads(self._core.dropped()))

    @contextmanager
    def capture(self, path: str | Path, *, spi: bool = True) -> Iterator[None]:
        """Write the frames of all chips as pcapng, and with ``spi`` the accesses in words, while the block lasts.

        The file is there when the block has ended. One block captures at a time.
        """
        refused = why_kept(path, {"network file": self._network})
        if refused is None and self._shared.captures_to is not None:
            refused = f"{path}: {self._shared.captures_to} captures this network already; end that block first"
        if refused is not None:
            raise _core.AirwireError(refused)
        self._core.start_capture(path, spi)
        self._shared.captures_to = Path(path)
        try:
            yield
        finally:
            self._shared.captures_to = None
            self._core.end_capture()

    def record(self, on: bool = True) -> None:
        """Keep accesses from here on, or no more."""
        self._core.record(on)

    def take_accesses(self) -> list[Access]:
        """The accesses since the last call, while they are recorded."""
        return [Access(*access) for access in self._core.take_accesses()]

    def take_warnings(self) -> list[ChipWarning]:
        """What the chip complains of since the last call."""
        return [ChipWarning(*warning) for warning in self._core.take_warnings()]


def _clock(hz: int) -> int:
    return _whole("an SPI clock in Hz", hz, 1, _MOST_HZ, "2_000_000")


def _seed(seed: int) -> int:
    return _whole("a seed", seed, 0, _MOST_SEED, "1")


def _port(what: str, port: int) -> int:
    return _whole(what, port, 1, _MOST_PORT, "40_000")


def _link_up(time: Time | None) -> int | None:
    return None if time is None else _time("link_up", time)


def _time(what: str, time: Time) -> int:
    # A number that is too large is refused below, by the name of the argument.
    is_number = isinstance(time, int) and not isinstance(time, bool)
    ps = int(time) if is_number else picoseconds(time)
    if not 0 <= ps <= _LONGEST_PS:
        raise _core.AirwireError(f"{what} of {time!r} cannot be: give from 0 to 30 days, such as '10 ms'")
    return ps


def _whole(what: str, value: int, least: int, most: int, example: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _core.AirwireError(
            f"{what} is a whole number from {least} to {most}, such as {example}, and not {value!r}"
        )
    return value


def _data(what: str, data: bytes) -> bytes:
    """Bytes out of anything that holds them. A number holds none: ``bytes(5)`` would be five zeros."""
    if isinstance(data, list | tuple):
        try:
            return bytes(data)
        except (TypeError, ValueError):
            pass
    else:
        try:
            return memoryview(data).tobytes()
        except TypeError:
            pass
    raise _core.AirwireError(f"{what} takes bytes, such as b'\\x00\\x39\\x00\\x00', and not {type(data).__name__}")
