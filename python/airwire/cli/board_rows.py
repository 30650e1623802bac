"""Rows of boards on a terminal: measured against published, and a verdict under each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from airwire.board.row import BoardRow
from airwire.cli.tables import console
from airwire.explain.board.figures import figure_text, interval_text, published_text, ratio_text
from airwire.explain.board.run import board_verdict
from airwire.model import Analysis, Capture, rows_of_boards

_COLUMNS = ("n", "measured", "95 %", "published", "ratio")


def print_board_rows(analysis: Analysis) -> None:
    """The table, then a verdict for each row."""
    rows = rows_of_boards(analysis)
    if not rows:
        return
    out = console()
    out.print(_table(rows))
    out.print(
        'Virtual boards in virtual time; ratio is measured through published, "within" a published range.', style="dim"
    )
    out.print("\nVerdicts:", style="bold")
    for row in rows:
        out.print(Text(f"- {row.path}: {board_verdict(row).line}"))


def _table(rows: Sequence[Capture[BoardRow]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("row", overflow="fold", min_width=16)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        board = row.target
        figure, published = board.figure, board.published
        cells = (
            board.title,
            "0" if figure is None else str(figure.n),
            figure_text(figure),
            interval_text(figure),
            published_text(published),
            ratio_text(published),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table
