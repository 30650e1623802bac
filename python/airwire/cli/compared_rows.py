"""Two runs on a terminal: a line for each row, the worst first, and what was changed between both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from airwire.cli.fitting import print_table
from airwire.cli.tables import console
from airwire.explain.board.figures import quantity
from airwire.explain.quantities import count, percent
from airwire.kinds import Shift
from airwire.runs.compared_runs import Changed, RowComparison, RunComparison

_NAMED_ROWS = 3
_LONGEST_VALUE = 60
_WORDS: Mapping[Shift, str] = {
    "slower": "slower",
    "faster": "faster",
    "same": "same",
    "too_few": "too few",
    "no_figure": "no figure",
}


def print_compared_runs(found: RunComparison) -> None:
    """The table, rows that only one run has, and what differs."""
    out = console()
    print_table(out, _table(found.rows))
    out.print(Text(f"A is {found.a}, B is {found.b}. {_counts(found.rows)}"))
    for name, rows in ((found.a, found.only_in_a), (found.b, found.only_in_b)):
        if rows:
            out.print(Text(f"Only in {name}: {', '.join(rows)}."))
    out.print(Text("Changed:" if found.changed else "Nothing was changed between both."))
    for changed in found.changed:
        out.print(Text(f"- {_changed(changed)}"))


def _table(rows: Sequence[RowComparison]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("row", overflow="fold", min_width=16)
    for name in ("A", "B", "slower by", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in _cells(row)))
    return table


def _cells(row: RowComparison) -> tuple[str, ...]:
    before, after = ("-" if value is None else quantity(value, row.unit) for value in (row.before, row.after))
    interval = "" if row.interval is None else " .. ".join(_signed(end) for end in row.interval)
    slower = "" if row.slower is None else f"{_signed(row.slower)} %"
    return (row.row, before, after, slower, interval, f"{_WORDS[row.shift]}{_lost(row)}")


def _signed(share: float) -> str:
    return f"{100 * share:+.2f}"


def _lost(row: RowComparison) -> str:
    before, after = row.loss
    return "" if before == after else f", lost {percent(before)} -> {percent(after)}"


def _counts(rows: Sequence[RowComparison]) -> str:
    counted = [(sum(row.shift == shift for row in rows), shift) for shift in ("slower", "faster")]
    said = ", ".join(f"{number} {shift}" for number, shift in counted)
    return f"Of {count(len(rows), 'row')}: {said}."


def _changed(changed: Changed) -> str:
    said = f"{changed.what}: {_short(changed.before)} -> {_short(changed.after)}"
    if not changed.rows:
        return said
    named = ", ".join(changed.rows) if len(changed.rows) <= _NAMED_ROWS else count(len(changed.rows), "row")
    return f"{said} (in {named})"


def _short(value: str) -> str:
    line = "; ".join(value.split("\n")).strip("; ") or "none"
    return line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 3]}..."
