"""A sweep as the page that shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.explain.quantities import count
from airwire.report.sweep import Axis, SweepData, page
from airwire.report.sweep import Combination as Drawn
from airwire.sweep.summary import Combination, combinations_of, figure_text

if TYPE_CHECKING:
    from airwire.sweep.running import Sweep

_QUANTITY = re.compile(r"(-?\d+(?:\.\d+)?)\s*([a-zA-Z%]*)")
_FACTORS = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_UNITS = ("Hz", "s", "B", "iB", "bit/s")


def sweep_page(found: Sweep) -> str:
    """The whole page."""
    combinations = combinations_of(found.points, found.plan.axes)
    entries = [
        drawn
        for entry in dict.fromkeys(one.entry for one in combinations)
        if (drawn := _drawn(found, entry, combinations))
    ]
    plan = found.plan
    facts = [
        f"suite {plan.suite}",
        count(len(plan), "point"),
        f"{count(len(plan.variants), 'combination')}, {count(len(plan.seeds), 'seed')} each",
        {"grid": "every combination", "latin": "Latin hypercube", "list": "list of runs"}[plan.design],
        f"{count(len(found.failures), 'point')} failed" if found.failures else "no failures",
    ]
    notes = [f"{name}: {sentence}" for name, sentence in found.failures[:20]]
    return page(f"Sweep of {plan.suite}", facts, _result(combinations), entries, notes)


def _result(combinations: Sequence[Combination]) -> str:
    """The best combination of all, or of each unit the first."""
    known = [one for one in combinations if one.figure is not None]
    if not known:
        return "No combination has a figure"
    best, worst = known[0], [one for one in known if one.unit == known[0].unit][-1]
    figures = [figure_text(one.figure or 0, one.unit) for one in (best, worst)]
    return f"The best is {_settings(best)} with {figures[0]}; the worst, {_settings(worst)}, has {figures[1]}"


def _settings(one: Combination) -> str:
    return " ".join([one.entry, *(f"{name}={value}" for name, value in one.values.items())])


def _drawn(found: Sweep, entry: str, combinations: Sequence[Combination]) -> SweepData | None:
    own = [one for one in combinations if one.entry == entry and one.figure is not None]
    if not own:
        return None
    values = {name: {one.values[name]: None for one in own if name in one.values} for name in found.plan.axes}
    axes = [Axis(name, sorted(given, key=_order)) for name, given in values.items() if given]
    size = 1
    for axis in axes:
        size *= len(axis.values)
    drawn = [Drawn(one.values, one.figure, one.low, one.high) for one in own if one.figure is not None]
    return SweepData(entry, own[0].unit, axes, drawn, found.plan.design == "grid" and size == len(own))


def _order(value: object) -> tuple[bool, float, str]:
    """Numbers by their value, quantities by theirs with the unit, and texts behind them."""
    if isinstance(value, int | float):
        return False, float(value), ""
    match = _QUANTITY.fullmatch(str(value).strip())
    if match is None:
        return True, 0.0, str(value)
    prefix = next((match[2].removesuffix(unit) for unit in _UNITS if match[2].endswith(unit)), "")
    return False, float(match[1]) * _FACTORS.get(prefix, 1.0), str(value)
