"""The pins of a virtual board, by the names of its board file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airwire import _core


class Pin:
    """A pin of a board; its level is that of the net, whoever drives it."""

    def __init__(self, core: _core.Board, name: str, gpio: int) -> None:
        self._core = core
        self.name = name
        self.gpio = gpio

    @property
    def level(self) -> bool:
        """Whether it is high."""
        return bool(self._core.levels() >> self.gpio & 1)

    def drive(self, level: bool | None) -> None:
        """Drive it from outside, or let go of it with None."""
        self._core.drive(str(self.gpio), level)

    def set_millivolts(self, millivolts: int | None) -> None:
        """Put a voltage at its ADC input; None leaves it open."""
        self._core.set_millivolts(str(self.gpio), millivolts)

    def __bool__(self) -> bool:
        return self.level

    def __repr__(self) -> str:
        return f"Pin({self.name!r}, GPIO {self.gpio}, {'high' if self.level else 'low'})"


class Pins(Mapping[str, Pin]):
    """The pins by their names, or by their numbers: ``pins["LED"]``, ``pins["GP25"]``, ``pins[25]``."""

    def __init__(self, core: _core.Board) -> None:
        self._core = core

    def __getitem__(self, name: str | int) -> Pin:
        gpio = self._core.pin(str(name))
        return Pin(self._core, str(name), gpio)

    def __iter__(self) -> Any:
        return iter([name for name, _ in self._core.pin_names])

    def __len__(self) -> int:
        return len(self._core.pin_names)

    def __contains__(self, name: object) -> bool:
        try:
            self._core.pin(str(name))
        except _core.AirwireError:
            return False
        return True
