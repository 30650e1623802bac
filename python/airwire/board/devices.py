"""What stands around a virtual board's chip: devices in Python, wires, buttons, the network cable, the PC at USB."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from airwire import _core
from airwire.board.model import InputReport, UsbDevice


class I2cDevice(Protocol):
    """What a device on I2C needs. ``start(read)`` and ``stop()`` are called where they exist."""

    def write(self, byte: int) -> bool | None:
        """Take a byte; False does not acknowledge it."""

    def read(self) -> int:
        """Give a byte."""


class BoardDevices:
    """The part of a board that is around its chip."""

    _core: _core.Board

    def connect_spi(self, port: int, device: Callable[[int], int], *, select: str | int | None = None) -> None:
        """Connect a device to an SPI port: it gets each frame and returns the answer.

        With ``select`` it is meant while that pin is low; a method ``selected(bool)`` of it is told of that. Snapshots
        copy it with ``copy.deepcopy``. Its exceptions end the run, which raises them.

        Raises ``AirwireError`` where the microcontroller has no such port.
        """
        self._core.connect_spi(port, None if select is None else str(select), device)

    def connect_i2c(self, port: int, address: int, device: I2cDevice) -> None:
        """Connect a device to an I2C port, at a 7-bit address; raises as :meth:`connect_spi` does."""
        self._core.connect_i2c(port, address, device)

    def connect_pins(
        self,
        device: Callable[[int, str, bool], Mapping[str, bool | None] | None],
        pins: Sequence[str | int] = (),
    ) -> None:
        """Connect a device to pins (all when none are named): ``device(time_ps, name, level)`` is told of each change.

        It may return the pins that it drives from then on, with their levels; None lets go of one.
        """
        self._core.connect_pins([str(pin) for pin in pins], device)

    def wire(self, pin: str | int, to: str | int) -> None:
        """Wire two pins together."""
        self._core.wire(str(pin), str(to))

    def press(self, name: str, pressed: bool = True) -> None:
        """Press or release a button, or set a switch, of the board file; every board has the button ``BOOTSEL``."""
        self._core.press(name, pressed)

    def set_plugged(self, plugged: bool) -> None:
        """Plug in the network cable of the board, or pull it."""
        self._core.set_plugged(plugged)

    @property
    def usb_device(self) -> UsbDevice | None:
        """The device that the image makes of its USB port, once the PC knows it."""
        device = self._core.usb_device()
        return None if device is None else UsbDevice(**json.loads(device))

    def read_disk(self, first: int, sectors: int = 1) -> bytes:
        """Read sectors (256 at the most) of the disk that the image offers on USB, while virtual time passes.

        Raises ``AirwireError`` where there is no disk, it has no such sectors, or it does not answer.
        """
        return self._core.read_disk(first, sectors)

    def write_disk(self, first: int, content: bytes) -> None:
        """Write whole sectors of that disk, while virtual time passes; raises as :meth:`read_disk` does."""
        self._core.write_disk(first, content)

    def take_input_reports(self) -> list[InputReport]:
        """What the image's keyboards and mice have sent over USB since the last call."""
        return [InputReport(*report) for report in self._core.take_input_reports()]
