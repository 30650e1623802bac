"""What a row took of its sender's battery, in words: a message's energy, the mean current, and a battery's life."""

from __future__ import annotations

from airwire.board.row import BoardRow
from airwire.explain.quantities import battery_life, current, energy, rough_time
from airwire.link.energy import Energy
from airwire.link.model import LinkRow

_BATTERY_MAH = 1000
_BATTERY_AS = _BATTERY_MAH * 3.6


def link_energy(link: LinkRow) -> str | None:
    """What a link took of the battery at its own schedule; ``None`` where no currents are known."""
    return None if link.energy is None or link.every_ps is None else of_schedule(link.energy, link.every_ps)


def board_energy(board: BoardRow) -> str | None:
    """What the radio of a board took while the row ran; ``None`` where it has none."""
    mean_ma = board.counts.get("radio_mean_ma")
    if mean_ma is None:
        return None
    mean_a = mean_ma * 1e-3
    lasts = battery_life(_BATTERY_AS / mean_a)
    return (
        f"the radio takes {current(mean_a)} on average; {_BATTERY_MAH} mAh last {lasts} (without the microcontroller)"
    )


def of_schedule(found: Energy, every_ps: float, battery_as: float = _BATTERY_AS, battery: str | None = None) -> str:
    """The energy of a message that comes so often, the mean current, and how long a battery lasts."""
    lasts = battery_life(found.battery_s(battery_as, every_ps))
    return (
        f"{energy(found.with_interval_j(every_ps))} a message, one every {rough_time(every_ps)}: "
        f"{current(found.mean_a(every_ps))} on average, {battery or f'{_BATTERY_MAH} mAh'} last {lasts} ({found.chip})"
    )
