"""A sweep on the terminal: the best and the worst combinations, and how to read the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airwire.explain.quantities import count, percent
from airwire.sweep.summary import Combination, combinations_of, figure_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airwire.sweep.running import Sweep

_MOST_SHOWN = 12
_AT_EITHER_END = 5


def print_sweep(found: Sweep) -> None:
    """A table of combinations, ranked, and the files."""
    from rich.text import Text

    from airwire.cli.tables import console

    out = console()
    plan = found.plan
    of = f"{count(len(plan.variants), 'combination')} with {count(len(plan.seeds), 'seed')} each"
    out.print(Text(f"Sweep of suite {plan.suite}: {count(len(plan), 'point')}, {of}", style="bold"))
    again = len(plan) - found.ran - len(found.failures)
    told = [f"{count(found.ran, 'point')} {'was' if found.ran == 1 else 'were'} run"]
    if again:
        told.append(f"{again} {'was' if again == 1 else 'were'} finished before")
    if plan.left_out:
        told.append(f"{count(plan.left_out, 'combination')} that mean the same as others were left out")
    out.print("; ".join(told), style="dim", highlight=False)
    _print_table(combinations_of(found.points, plan.axes))
    print(f"Data set: {found.folder / 'points'}/*.parquet")


def _print_table(combinations: Sequence[Combination]) -> None:
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    axes = list(dict.fromkeys(name for one in combinations for name in one.values))
    for name in ("entry", *axes):
        table.add_column(name, no_wrap=True)
    for name in ("figure", "95 %", "lost"):
        table.add_column(name, justify="right", no_wrap=True)
    many = len(combinations) > _MOST_SHOWN
    shown = [*combinations[:_AT_EITHER_END], None, *combinations[-_AT_EITHER_END:]] if many else list(combinations)
    for one in shown:
        if one is None:
            table.add_row("...")
            continue
        interval = (
            ""
            if one.low is None or one.high is None
            else (f"{figure_text(one.low, one.unit)} to {figure_text(one.high, one.unit)}")
        )
        figure = "none" if one.figure is None else figure_text(one.figure, one.unit)
        cells = (one.entry, *(str(one.values.get(name, "")) for name in axes), figure, interval, percent(one.lost))
        table.add_row(*(Text(cell) for cell in cells))
    print_table(console(), table)
