"""What a message costs the sender's battery, and how long one lasts: a link's stages by the currents of its radio.

Currents are data with their sources (``params/currents.toml``); only links whose radio is there have an energy. What is
left out is said with each: an external microcontroller, the receiver, and what a stack does beside the stages.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from airwire import _core
from airwire.link.catalogue import link_budget

_CURRENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) (uA|mA)")
_AMPERES = {"uA": 1e-6, "mA": 1e-3}
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

    def mean_a(self, every_ps: int) -> float:
        """The mean current with a message so often."""
        return self.between_a + self.message_j / self.supply_volts / (every_ps * _PS)

    def battery_s(self, battery_as: float, every_ps: int) -> float:
        """How long a battery of so many ampere seconds lasts, all of which can be used."""
        return battery_as / self.mean_a(every_ps)


def has_currents(link: str) -> bool:
    """Whether the currents of a link's radio are known."""
    return link in _table()


def energy_of(link: str, payload_bytes: int, settings: Mapping[str, str] | None = None) -> Energy | None:
    """The energy of a link with a payload; ``None`` where the currents of its radio are not known.

    Raises ``AirwireError`` as :func:`airwire.link_budget` does.

    >>> round(energy_of("lora", 12).message_j * 1e3, 1)
    5.7
    """
    budget = link_budget(link, payload_bytes, settings)
    entry = _table().get(link)
    if entry is None:
        return None
    in_force = budget.settings
    states = {name: amperes(one["value"]) for name, one in entry["states"].items()}
    between = _between(entry, states, in_force)
    state_of: Mapping[str, str] = entry["stages"]
    charge = sum(
        (states[state_of[stage.name]] - between) * stage.ps * _PS for stage in budget.stages if stage.name in state_of
    )
    volts = float(entry["supply_volts"])
    mean = between + _periodic(entry, states, in_force, between)
    return Energy(entry["chip"], max(charge, 0.0) * volts, mean, volts)


def _between(entry: Mapping[str, Any], states: Mapping[str, float], settings: Mapping[str, str]) -> float:
    always = entry.get("always")
    state = None if always is None else always.get(settings[always["setting"]])
    return amperes(entry["sleep"]["value"]) if state is None else states[state]


def _periodic(
    entry: Mapping[str, Any], states: Mapping[str, float], settings: Mapping[str, str], between: float
) -> float:
    """The mean current of what wakes the radio without a message."""
    periodic = entry.get("periodic")
    if periodic is None:
        return 0.0
    times = 1
    chosen = periodic.get("times")
    if chosen is not None:
        name = chosen.get(settings[chosen["setting"]])
        if name is None:
            return 0.0
        times = int(settings[name])
    period = _core.parse_time_ps(settings[periodic["setting"]]) * times
    shares = {state: _core.parse_time_ps(periodic[state]) / period for state in states if state in periodic}
    return sum((states[state] - between) * share for state, share in shares.items())


def amperes(text: str) -> float:
    """A current of the table."""
    match = _CURRENT.fullmatch(text)
    assert match is not None, f"{text} is no current"
    return float(match[1]) * _AMPERES[match[2]]


def parse_battery(text: str) -> float:
    """A battery's charge in ampere seconds: ``2400mAh``. Raises ``AirwireError`` for anything else."""
    match = _CHARGE.fullmatch(text)
    if match is None or float(match[1]) <= 0:
        raise _core.AirwireError(f"`{text}` is no charge of a battery; write one such as 2400mAh")
    return float(match[1]) * (1e-3 if match[2] == "mAh" else 1.0) * _SECONDS_AN_HOUR


@cache
def _table() -> Mapping[str, Any]:
    file = resources.files("airwire.link") / "params" / "currents.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
