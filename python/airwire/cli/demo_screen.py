"""What ``airwire demo`` says, on one screen of 80 columns: a board and its causes, then links side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from airwire.board.row import BoardRow
from airwire.cli.tables import console
from airwire.explain.board.figures import figure_text
from airwire.explain.board.run import board_causes
from airwire.explain.link.sentences import largest
from airwire.explain.quantities import percent, table_time
from airwire.explain.waterfall import budget_waterfall, link_waterfalls
from airwire.link.model import LinkRow
from airwire.model import Analysis, Capture, rows_of_boards, rows_of_links

COLUMNS = 80
_PAYLOAD_BYTES = 128
"""The payload of the links on the screen; the report has the others."""


def print_demo(analysis: Analysis) -> None:
    """The bottom line, each state of the board with its verdict, and the ranking of links."""
    out = console()
    out.width = min(out.width, COLUMNS)
    boards = sorted(rows_of_boards(analysis), key=_rate)
    links = [row for row in rows_of_links(analysis) if row.payload_bytes == _PAYLOAD_BYTES]
    links.sort(key=lambda row: (row.latency_ps is None, row.statistic("p50") or 0))
    _print_bottom_line(out, boards)
    _print_boards(out, boards)
    _print_links(out, links)


def print_next_steps() -> None:
    """What to type next."""
    print("Next: airwire run published, airwire choose --payload 128 --p95 20ms")


def _rate(row: Capture[BoardRow]) -> float:
    return 0.0 if row.target.figure is None else row.target.figure.value


def _print_bottom_line(out: Console, boards: Sequence[Capture[BoardRow]]) -> None:
    if boards:
        slow, fast = (figure_text(boards[end].target.figure) for end in (0, -1))
        out.print(Text(f"One board, three settings: from {slow} to {fast}.", style="bold"))
    out.print("Simulated in virtual time: nothing here was measured on hardware.", style="dim")


def _print_boards(out: Console, rows: Sequence[Capture[BoardRow]]) -> None:
    for place, row in enumerate(rows):
        if place == 0:
            out.print(Text(f"Board {row.target.board}, {row.target.firmware.rpartition('/')[2]}", style="bold"))
        colour = "red" if place == 0 else "green" if place == len(rows) - 1 else "yellow"
        out.print(Text(f"{figure_text(row.target.figure):>16}", style=colour), end="")
        for line in _beside(_said_of_board(row), 18, out.width):
            out.print(line)


def _print_links(out: Console, rows: Sequence[Capture[LinkRow]]) -> None:
    if not rows:
        return
    out.print(Text(f"\n{_PAYLOAD_BYTES} B by{'':<10}{'median':>9}{'p99':>10}  most of the median", style="bold"))
    for row in rows:
        median, p99 = (table_time(row.latency_ps[name]) if row.latency_ps else "-" for name in ("p50", "p99"))
        out.print(Text(f"{row.group:<17}{median:>9}{p99:>10}"), end="")
        for line in _beside(_said_of_link(row), 38, out.width):
            out.print(line)


def _said_of_board(row: Capture[BoardRow]) -> str:
    board = row.target
    if board.problem is not None:
        return f"no figure: {board.problem}"
    causes = board_causes(row)
    if not causes or row.latency_ps is None:
        return board.title
    return f"{percent(causes[0].ps / row.latency_ps['p50'])} {causes[0].name}: {causes[0].change}"


def _said_of_link(row: Capture[LinkRow]) -> str:
    if row.latency_ps is None:
        return "every message was lost"
    waterfall = (link_waterfalls(row) or [budget_waterfall(row.target)])[0]
    most = largest(waterfall.stages)[0]
    return f"{percent(most.ps / waterfall.total_ps)} {most.name}"


def _beside(text: str, column: int, width: int) -> list[str]:
    """Lines of a text that begins at a column behind what is printed already."""
    lines = textwrap.wrap(text, max(20, width - column - 1)) or [""]
    return [f"  {lines[0]}", *(f"{'':{column}}{line}" for line in lines[1:])]
