"""What a row took of its sender's battery, in words: energy of a message, mean current, and how long a battery lasts."""

from __future__ import annotations

from airwire.board.row import BoardRow
from airwire.explain.quantities import battery_life, current, energy, rough_time
from airwire.link.energy import Energy
from airwire.link.model import LinkRow
from airwire.model import Capture

_BATTERY_MAH = 1000
_BATTERY_AS = _BATTERY_MAH * 3.6


def energy_sentence(row: Capture) -> str | None:
    """What a row took of the battery at its own schedule; ``None`` where no currents are known."""
    target = row.target
    if isinstance(target, LinkRow) and target.energy is not None and target.every_ps is not None:
        return of_schedule(target.energy, target.every_ps)
    if isinstance(target, BoardRow):
        return _of_radio(target.counts.get("radio_mean_ma"))
    return None


def of_schedule(found: Energy, every_ps: float, battery_as: float = _BATTERY_AS, battery: str | None = None) -> str:
    """The energy of a message that comes so often, the mean current, and how long a battery lasts."""
    lasts = battery_life(found.battery_s(battery_as, every_ps))
    return (
        f"{energy(found.with_interval_j(every_ps))} a message with the {rough_time(every_ps)} until the next one, "
        f"{current(found.mean_a(every_ps))} on average; {battery or f'{_BATTERY_MAH} mAh'} last {lasts} ({found.chip})"
    )


def _of_radio(mean_ma: float | None) -> str | None:
    """What the radio of a board took while the row ran."""
    if mean_ma is None:
        return None
    mean_a = mean_ma * 1e-3
    lasts = battery_life(_BATTERY_AS / mean_a)
    return f"the radio takes {current(mean_a)} on average; {_BATTERY_MAH} mAh last {lasts} (without the microcontroller)"
