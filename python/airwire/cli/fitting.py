"""Tables that fit a terminal, without a number that is cut: text folds first, then whole columns are left out.

A number of which digits are missing reads as another number. What cannot fit at all runs over the terminal's edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

_LEAST_TEXT = 8
"""Text of fewer columns cannot be read, except where it is that short."""
_GAP = 2
"""Between two columns, as all tables here are padded."""


def print_table(out: Console, table: Table, leave_out: Sequence[str] = ()) -> list[str]:
    """Print a table, and give the headings of the columns that had no room.

    Columns that are justified to the right hold numbers. ``leave_out`` says which columns may go, the first one first;
    text folds before one does, down to its ``min_width``.
    """
    gone: list[str] = []
    for heading in leave_out:
        if _least(table) <= out.width:
            break
        if any(_heading(column) == heading for column in table.columns):
            gone.append(heading)
            table = _without(table, heading)
    _set_widths(table, out.width)
    terminal, out.width = out.width, max(out.width, _width(column.width or 0 for column in table.columns))
    out.print(table)
    out.width = terminal
    return gone


def _without(table: Table, heading: str) -> Table:
    """The same table without a column."""
    kept = [column for column in table.columns if _heading(column) != heading]
    made = Table(box=None, header_style=table.header_style, pad_edge=False, padding=(0, _GAP, 0, 0))
    for column in kept:
        made.add_column(column.header, justify=column.justify, no_wrap=column.no_wrap, min_width=column.min_width)
    for cells in zip(*(column.cells for column in kept), strict=True):
        made.add_row(*cells)
    return made


def _heading(column: Column) -> str:
    return column.header.plain if isinstance(column.header, Text) else str(column.header)


def _natural(column: Column) -> int:
    """How wide a column is that nothing folds."""
    cells = (cell.plain if isinstance(cell, Text) else str(cell) for cell in (column.header, *column.cells))
    return max(column.min_width or 0, *(cell_len(line) for cell in cells for line in cell.splitlines()), 0)


def _narrowest(column: Column) -> int:
    """How far a column may fold: numbers do not."""
    natural = _natural(column)
    return natural if column.justify == "right" else min(natural, column.min_width or _LEAST_TEXT)


def _width(widths: Iterable[int]) -> int:
    every = list(widths)
    return sum(every) + _GAP * max(len(every) - 1, 0)


def _least(table: Table) -> int:
    return _width(map(_narrowest, table.columns))


def _set_widths(table: Table, room: int) -> None:
    """Give each column its width: text folds, the widest first, what is long before names that stand in one line."""
    widths = [_natural(column) for column in table.columns]
    for in_one_line in (False, True):
        places = [
            place
            for place, column in enumerate(table.columns)
            if column.justify != "right" and (in_one_line or not column.no_wrap)
        ]
        while _width(widths) > room:
            may_fold = [place for place in places if widths[place] > _narrowest(table.columns[place])]
            if not may_fold:
                break
            widths[max(may_fold, key=lambda place: widths[place])] -= 1
    for column, width, natural in zip(table.columns, widths, map(_natural, table.columns), strict=True):
        column.width, column.min_width = width, None
        if width < natural:
            column.no_wrap, column.overflow = False, "fold"
