"""What ``--over`` says: an axis with the values that it takes, as a list or as a range.

A range is ``7..12``, with another step ``1ms..10ms:3ms``, or by a factor ``2MHz..32MHz*2``. Values are texts, as a
suite has them; which of them an entry takes is not known here.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException

from airwire import _core

MOST_POINTS = 1_000_000
"""Of a sweep, seeds included; the plan and its results stay in memory."""
_RANGE = re.compile(
    r"\s*+(?P<first>-?[0-9.]+?)\s*+(?P<unit>[A-Za-z%/]*+)\s*+\.\.\s*+(?P<last>-?[0-9.]++)\s*+(?P<last_unit>[A-Za-z%/]*+)\s*+"
    r"(?:(?P<by>[:*])\s*+(?P<step>[0-9.]++)\s*+(?P<step_unit>[A-Za-z%/]*+)\s*+)?",
    re.ASCII,
)
_HOW = "write a list such as 12,128,1024, or a range such as 7..12, 1ms..10ms:3ms or 2MHz..32MHz*2"
_DIGITS = 6
"""Of values that a Latin hypercube draws from a range of what is no whole number."""


@dataclass(frozen=True, slots=True)
class Range:
    """The ends of a range, and their unit."""

    first: Decimal
    last: Decimal
    unit: str

    def at(self, share: float) -> str:
        """The value at a share of the way, from 0 to below 1: a whole number where both ends are."""
        if self.first == int(self.first) and self.last == int(self.last) and not self.unit:
            return str(int(self.first) + int(share * (int(self.last) - int(self.first) + 1)))
        value = float(self.first) + share * float(self.last - self.first)
        return f"{Decimal(f'{value:.{_DIGITS}g}').normalize():f}{self.unit}"


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that is varied, with the values that it takes."""

    name: str
    values: tuple[str, ...]
    range: Range | None = None
    """Where the values were written as one."""


def parse_axis(text: str) -> Axis:
    """An axis as ``NAME=VALUES``. Raises ``AirwireError`` with what is wrong with it."""
    if not isinstance(text, str):
        raise _core.AirwireError(f"`{text!r}` is no axis; write NAME=VALUES, such as 'sf=7..12'")
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not name or not values:
        raise _core.AirwireError(f"`{text}` is no axis; write NAME=VALUES, and for VALUES {_HOW.partition(' ')[2]}")
    listed = next(csv.reader([values], skipinitialspace=True))
    parsed = [_expanded(name, value.strip()) for value in listed]
    whole = tuple(value for part, _ in parsed for value in part)
    if len(set(whole)) < len(whole):
        twice = next(value for value in whole if whole.count(value) > 1)
        raise _core.AirwireError(f"{name}: the value {twice} stands there twice; give each once")
    return Axis(name, whole, parsed[0][1] if len(parsed) == 1 else None)


def parse_axes(texts: Sequence[str]) -> list[Axis]:
    """Axes, each of another name."""
    axes = [parse_axis(text) for text in texts]
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise _core.AirwireError(f"--over {name} is there twice; put all values into one, such as {name}=1,2,5..9")
    return axes


def _expanded(name: str, text: str) -> tuple[list[str], Range | None]:
    """The values of one part of a list: what is no range stands for itself."""
    if not text:
        raise _core.AirwireError(f"{name}: a value of its list is empty; {_HOW}")
    if ".." not in text:
        return [text], None
    found = _RANGE.fullmatch(text)
    if found is None:
        # A path may have two dots.
        if "/" in text:
            return [text], None
        raise _core.AirwireError(f"{name}: `{text}` is no range; {_HOW}")
    units = {unit for unit in (found["unit"], found["last_unit"], found["step_unit"]) if unit}
    if len(units) > 1:
        raise _core.AirwireError(f"{name}: the range {text} has two units, {' and '.join(sorted(units))}; use one")
    unit = units.pop() if units else ""
    try:
        first, last = Decimal(found["first"]), Decimal(found["last"])
        step = Decimal(found["step"]) if found["by"] else Decimal(1)
    except DecimalException:
        raise _core.AirwireError(f"{name}: `{text}` is no range; {_HOW}") from None
    by_factor = found["by"] == "*"
    values = _steps(name, text, (first, last, step), by_factor=by_factor)
    return [f"{value.normalize():f}{unit}" for value in values], Range(first, last, unit)


def _steps(name: str, text: str, ends: tuple[Decimal, Decimal, Decimal], *, by_factor: bool) -> list[Decimal]:
    """All values from the first to the last."""
    first, last, step = ends
    grows = step > 1 and first > 0 if by_factor else step > 0
    if last < first or not grows:
        raise _core.AirwireError(
            f"{name}: the range {text} leads nowhere; give the smaller end first, and a step above 0"
        )
    if not by_factor and (last - first) / step >= MOST_POINTS:
        raise _core.AirwireError(f"{name}: the range {text} has more than {MOST_POINTS} values; make its step larger")
    values = [first]
    while (following := values[-1] * step if by_factor else values[-1] + step) <= last:
        values.append(following)
    return values
