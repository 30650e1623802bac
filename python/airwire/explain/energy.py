"""What a row took of its sender's battery, in words: a message's energy, the mean current, and a battery's life."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.board.energy import SupplyUse
from airwire.board.row import BoardRow
from airwire.explain.quantities import battery_life, current, energy, percent, rough_time
from airwire.link.energy import Energy
from airwire.link.model import LinkRow

_BATTERY_MAH = 1000
_BATTERY_AS = _BATTERY_MAH * 3.6
_LEAST_SHARE = 0.001


def link_energy(link: LinkRow) -> str | None:
    """What a link took of the battery at its own schedule; ``None`` where no currents are known."""
    return None if link.energy is None or link.every_ps is None else of_schedule(link.energy, link.every_ps)


def board_energy(board: BoardRow) -> str | None:
    """What the messages of a board took of its supply at their own schedule; ``None`` where none was looked at."""
    found = board.energy
    if found is None:
        return None
    if found.message_j is None or found.mean_a is None:
        return f"no current is known of {_joined(found.without)}"
    every = f", one every {rough_time(found.every_ps)}" if found.per == "message" else ""
    return (
        f"{energy(found.message_j)} a {found.per}{every}: {current(found.mean_a)} on average, {_BATTERY_MAH} mAh last "
        f"{battery_life(_BATTERY_AS / found.mean_a)} ({_shares(found)})"
    )


def supply_use(used: SupplyUse, time_ps: int) -> str:
    """What a board took of its supply in a time, and where that went."""
    mean_a = used.mean_current(time_ps)
    if mean_a is None:
        return f"no current is known of {_joined(used.without)}" if used.without else "not known"
    lasts = battery_life(_BATTERY_AS / mean_a)
    return f"{current(mean_a)} on average, {_BATTERY_MAH} mAh last {lasts} ({_shares(used)})"


def _shares(used: SupplyUse) -> str:
    """The parts with their shares of the energy, and what is left out."""
    told = ", ".join(f"{name} {percent(share)}" for name, share in used.shares() if share >= _LEAST_SHARE)
    return told + (f"; without {_joined(used.without)}" if used.without else "")


def of_schedule(found: Energy, every_ps: float, battery_as: float = _BATTERY_AS, battery: str | None = None) -> str:
    """The energy of a message that comes so often, the mean current, and how long a battery lasts."""
    lasts = battery_life(found.battery_s(battery_as, every_ps))
    return (
        f"{energy(found.with_interval_j(every_ps))} a message, one every {rough_time(every_ps)}: "
        f"{current(found.mean_a(every_ps))} on average, {battery or f'{_BATTERY_MAH} mAh'} last {lasts} ({found.chip})"
    )


def _joined(parts: Sequence[str]) -> str:
    """Parts in a sentence: ``the A, the B and the C``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
