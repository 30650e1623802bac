"""Modules that CircuitPython has built in, as far as libraries of network chips use them, for ``CircuitPythonBoard``.

Written from CircuitPython's public reference of ``busio``, ``digitalio``, ``time``, ``supervisor.ticks_ms`` and of the
library ``adafruit_ticks``; what is not here is missing, and an import of it fails.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from circuitpython_board import CircuitPythonBoard

_PS_PER_MS = 10**9
_TICKS_PERIOD = 1 << 29
_TICKS_HALF = _TICKS_PERIOD // 2
_TICKS_AT_START = _TICKS_PERIOD - 65_536
"""``supervisor.ticks_ms`` runs over about 65 s after it starts, so that libraries meet it early."""


class DigitalInOut:
    """A pin that is an output."""

    def __init__(self, drive: Callable[[bool], None], board: CircuitPythonBoard) -> None:
        self._drive = drive
        self._board = board
        self._value = True

    def switch_to_output(self, value: bool = True, drive_mode: object = None) -> None:
        """Become an output."""
        self.value = value

    @property
    def value(self) -> bool:
        """The level."""
        return self._value

    @value.setter
    def value(self, level: bool) -> None:
        self._board.catch_up()
        self._value = bool(level)
        self._drive(self._value)


class SpiBus:
    """``busio.SPI``."""

    def __init__(self, board: CircuitPythonBoard) -> None:
        self._board = board
        self._locked = False

    def try_lock(self) -> bool:
        """Take the bus, if nobody has it."""
        taken = not self._locked
        self._locked = True
        return taken

    def unlock(self) -> None:
        """Give the bus back."""
        self._locked = False

    def configure(self, *, baudrate: int = 100_000, polarity: int = 0, phase: int = 0, bits: int = 8) -> None:
        """Set the clock."""
        if (polarity, phase, bits) != (0, 0, 8):
            raise ValueError("the virtual controller has mode 0 and bytes")
        self._board.controller.set_clock(baudrate)

    def write(self, buffer: bytes, *, start: int = 0, end: int | None = None) -> None:
        """Send."""
        self._transfer(bytes(buffer[start:end]))

    def readinto(self, buffer: bytearray, *, start: int = 0, end: int | None = None, write_value: int = 0) -> None:
        """Receive."""
        count = len(buffer[start:end])
        buffer[start : start + count] = self._transfer(bytes([write_value]) * count)

    def _transfer(self, sent: bytes) -> bytes:
        self._board.catch_up()
        return self._board.controller.transfer(sent)


class SPIDevice:
    """``adafruit_bus_device.spi_device.SPIDevice``: a context is a transaction."""

    def __init__(
        self,
        spi: SpiBus,
        chip_select: DigitalInOut | None = None,
        *,
        cs_active_value: bool = False,
        baudrate: int = 100_000,
        polarity: int = 0,
        phase: int = 0,
        extra_clocks: int = 0,
    ) -> None:
        self._spi = spi
        self._chip_select = chip_select
        self._active = cs_active_value
        self._mode = {"baudrate": baudrate, "polarity": polarity, "phase": phase}
        if chip_select is not None:
            chip_select.switch_to_output(value=not cs_active_value)

    def __enter__(self) -> SpiBus:
        if not self._spi.try_lock():
            raise RuntimeError("the bus is taken, and nothing on this board would give it back")
        self._spi.configure(**self._mode)
        if self._chip_select is not None:
            self._chip_select.value = self._active
        return self._spi

    def __exit__(self, *error: object) -> None:
        if self._chip_select is not None:
            self._chip_select.value = not self._active
        self._spi.unlock()


def ticks_add(ticks: int, delta: int) -> int:
    """``adafruit_ticks.ticks_add``."""
    return (ticks + delta) % _TICKS_PERIOD


def ticks_diff(ticks: int, before: int) -> int:
    """``adafruit_ticks.ticks_diff``: signed, so that it may run over once."""
    return (ticks - before + _TICKS_HALF) % _TICKS_PERIOD - _TICKS_HALF


def ticks_less(ticks: int, other: int) -> bool:
    """``adafruit_ticks.ticks_less``."""
    return ticks_diff(ticks, other) < 0


def built_in_modules(board: CircuitPythonBoard, seed: int) -> dict[str, Any]:
    """Modules by name."""

    def ticks_ms() -> int:
        return (_TICKS_AT_START + board.now_ps() // _PS_PER_MS) % _TICKS_PERIOD

    time = SimpleNamespace(
        sleep=board.sleep,
        monotonic=lambda: board.now_ps() / 10**12,
        monotonic_ns=lambda: board.now_ps() // 1000,
    )
    ticks = SimpleNamespace(ticks_ms=ticks_ms, ticks_add=ticks_add, ticks_diff=ticks_diff, ticks_less=ticks_less)
    numbers = random.Random(seed)
    return {
        "adafruit_bus_device.spi_device": SimpleNamespace(SPIDevice=SPIDevice),
        "adafruit_ticks": ticks,
        "busio": SimpleNamespace(SPI=SpiBus),
        "digitalio": SimpleNamespace(DigitalInOut=DigitalInOut),
        "gc": SimpleNamespace(collect=board.collect),
        "micropython": SimpleNamespace(const=lambda value: value),
        "random": SimpleNamespace(randint=numbers.randint, getrandbits=numbers.getrandbits, choice=numbers.choice),
        "time": time,
    }
