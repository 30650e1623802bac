"""Rows of boards, virtual or real, on a terminal: measured against published, and a verdict under each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from airwire.address.row import AddressRow
from airwire.board.row import BoardRow
from airwire.cli.fitting import print_table
from airwire.cli.tables import console
from airwire.cli.verdict_lines import print_indented, ratio_style, verdict_text
from airwire.explain.board.figures import figure_text, interval_text, published_text, ratio_text
from airwire.explain.verdicts import verdict_of
from airwire.model import Analysis, Capture, rows_with_figures

_COLUMNS = ("n", "measured", "95 %", "published", "ratio")
# What a narrow terminal has room for.
_NARROW_COLUMNS = ("measured", "published", "ratio")
_WIDE = 110


def print_board_rows(analysis: Analysis) -> None:
    """The table, then a verdict for each row."""
    rows = rows_with_figures(analysis)
    if not rows:
        return
    out = console()
    print_table(out, _table(rows, _COLUMNS if out.width >= _WIDE else _NARROW_COLUMNS))
    where = "Virtual boards in virtual time; r" if any(row.target.simulated for row in rows) else "R"
    out.print(f'{where}atio is measured through published, "within" a published range.', style="dim")
    out.print("\nVerdicts:", style="bold")
    for row in rows:
        verdict = verdict_of(row)
        if verdict is not None:
            print_indented(out, Text(f"- {row.path}: ").append_text(verdict_text(verdict)), 2, hanging=True)


def _table(rows: Sequence[Capture[BoardRow | AddressRow]], columns: Sequence[str]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("row", overflow="fold", min_width=16)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        board = row.target
        figure, published = board.figure, board.published
        cells = {
            "n": "0" if figure is None else str(figure.n),
            "measured": figure_text(figure),
            "95 %": interval_text(figure),
            "published": published_text(published),
            "ratio": ratio_text(published),
        }
        styles = {"ratio": ratio_style(None if published is None else published.measured_share)}
        table.add_row(Text(board.title), *(Text(cells[name], style=styles.get(name, "")) for name in columns))
    return table
