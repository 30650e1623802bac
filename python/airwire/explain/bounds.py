"""Bounds in sentences: what a figure was to keep, what it is, and what takes the time where it keeps it not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airwire.board.row import BoardRow
from airwire.bounds import Bound
from airwire.explain.board.figures import plain, quantity
from airwire.explain.energy import board_energy
from airwire.explain.quantities import energy, percent, time
from airwire.explain.verdicts import verdict_near
from airwire.model import Analysis, Capture

_NO_TIME = ("flash", "ram", "loss")
"""Figures that the stages of a message say nothing of."""
_TAIL = ("p95", "p99", "max")
_KIB = 1024


def bounds_of(analysis: Analysis) -> list[tuple[Capture, Bound]]:
    """All bounds of a run with their rows, in the order of the suite."""
    return [(row, bound) for row in analysis.captures for bound in row.bounds]


def bound_text(bound: Bound) -> str:
    """A bound as a suite has it: ``p95 <= 5 ms``."""
    return f"{bound.quantity} {bound.relation} {amount(bound.limit, bound.unit, exact=True)}"


def measured_text(bound: Bound) -> str:
    """What was measured, with so many digits that it differs from the limit where the bound is broken."""
    if bound.measured is None:
        return "there is no such figure"
    rough = amount(bound.measured, bound.unit)
    alike = not bound.holds and rough == amount(bound.limit, bound.unit)
    return amount(bound.measured, bound.unit, exact=True) if alike else rough


def broken_sentence(row: Capture, bound: Bound) -> str:
    """That a bound is broken, with the figure and its cause, in one line."""
    said = f"{row.path}: {bound_text(bound)} is broken: {measured_text(bound)}"
    cause = first_cause(row, bound)
    if not cause:
        return said
    # A verdict without a share is a sentence of its own.
    return f"{said}{'.' if cause[0].isupper() else ';'} {cause}"


def first_cause(row: Capture, bound: Bound) -> str | None:
    """What takes most of the time behind a figure, and what to change; nothing of sizes and losses."""
    told = _OTHER_CAUSES.get((row.target.kind, bound.quantity))
    if told is not None:
        return told(row)
    if bound.quantity in _NO_TIME or bound.measured is None:
        return None
    return cause_near(row, 95 if bound.quantity in _TAIL else 50)


def _energy_of_board(row: Capture[BoardRow]) -> str | None:
    """The part that takes the most, whatever takes the time."""
    found = row.target.energy
    if found is None or found.message_j is None:
        return board_energy(row.target)
    part, share = found.shares()[0]
    return f"{percent(share)} goes to the {part}"


_OTHER_CAUSES: Mapping[tuple[str, str], Callable[[Capture[Any]], str | None]] = {("board", "energy"): _energy_of_board}
"""By a target and a figure: what is behind it where that is not the time."""


def cause_near(row: Capture, percentile: int) -> str | None:
    """The verdict of a row in a line; of a link at a percentile."""
    verdict = verdict_near(row, percentile)
    return None if verdict is None else verdict.line


def amount(value: float, unit: str, *, exact: bool = False) -> str:
    """A figure or a limit with its unit; ``exact`` keeps digits that tables leave out."""
    match unit:
        case "J":
            return energy(value, 12 if exact else 3)
        case "ps":
            return time(value) if exact else quantity(value, unit)
        case "B":
            return f"{plain(value / _KIB)} KiB" if value % _KIB == 0 and value else f"{value:.0f} bytes"
        case "1":
            return f"{100 * value:.10g} %" if exact else percent(value)
        case "bit/s" if exact:
            scale, name = next(((s, n) for s, n in ((1e6, "Mbit/s"), (1e3, "kbit/s")) if value >= s), (1.0, unit))
            return f"{value / scale:.10g} {name}"
        case _:
            return f"{value:.10g} {unit}" if exact else quantity(value, unit)
