"""Bounds of a run on the command line: how many hold, and one line for each that is broken."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from airwire.cli.complaints import complain

if TYPE_CHECKING:
    from airwire.model import Analysis


def print_bounds(analysis: Analysis) -> None:
    """How many bounds hold, where the suite has some."""
    from airwire.explain.bounds import bounds_of

    bounds = [bound for _, bound in bounds_of(analysis)]
    if bounds:
        holding = sum(bound.holds for bound in bounds)
        print(f"Bounds: {'all' if holding == len(bounds) else holding} of {len(bounds)} hold.")


def complain_of_bounds(analysis: Analysis) -> bool:
    """Name each bound that is broken, with the figure and the cause; whether there was one."""
    from airwire.explain.bounds import bounds_of, broken_sentence

    broken = [(row, bound) for row, bound in bounds_of(analysis) if not bound.holds]
    for row, bound in broken:
        complain(broken_sentence(row, bound))
    return bool(broken)


def print_row_bounds(analysis: Analysis, rows: Collection[str]) -> None:
    """A line for each bound of some rows: what it is, and what was measured."""
    from airwire.explain.bounds import bound_text, bounds_of, measured_text

    bounds = [(row.path, bound) for row, bound in bounds_of(analysis) if row.path in rows]
    if bounds:
        print("\nBounds:")
    for name, bound in bounds:
        print(f"- {name}: {bound_text(bound)} {'holds' if bound.holds else 'is broken'}: {measured_text(bound)}")
