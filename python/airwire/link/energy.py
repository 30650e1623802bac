"""What a message costs the sender's battery, and how long one lasts.

The core has the currents with their sources (``crates/links/currents.toml``). Only links whose radio is there
have an energy. What is left out is said with each: an external microcontroller, the receiver, and what a stack does
beside the stages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from airwire import _core

_CHARGE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(mAh|Ah)\s*")
_SECONDS_AN_HOUR = 3600.0
_PS = 1e-12


@dataclass(frozen=True, slots=True)
class Energy:
    """What a link takes of its sender's battery."""

    chip: str
    """What is counted."""
    message_j: float
    """For a message, beyond what it takes between messages."""
    between_a: float
    """The mean current between messages: asleep, or listening, and what wakes it without a message."""
    supply_volts: float

    def mean_a(self, every_ps: float) -> float:
        """The mean current with a message so often."""
        return self.between_a + self.message_j / self.supply_volts / (every_ps * _PS)

    def with_interval_j(self, every_ps: float) -> float:
        """What a message takes with the time until the next one."""
        return self.message_j + self.between_a * self.supply_volts * every_ps * _PS

    def battery_s(self, battery_as: float, every_ps: float) -> float:
        """How long a battery of so many ampere seconds lasts, all of which can be used."""
        return battery_as / self.mean_a(every_ps)


def parse_battery(text: str) -> float:
    """A battery's charge in ampere seconds: ``2400mAh``. Raises ``AirwireError`` for anything else.

    >>> parse_battery("2400mAh")
    8640.0
    """
    match = _CHARGE.fullmatch(text)
    if match is None or float(match[1]) <= 0:
        raise _core.AirwireError(f"`{text}` is no charge of a battery; write one such as 2400mAh")
    return float(match[1]) * (1e-3 if match[2] == "mAh" else 1.0) * _SECONDS_AN_HOUR
