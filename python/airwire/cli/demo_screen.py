"""What ``airwire demo`` says, on one screen of 80 columns: a board and its causes, then links side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from airwire.board.row import BoardRow
from airwire.cli.tables import console
from airwire.explain.board.figures import figure_text
from airwire.explain.board.run import board_verdict
from airwire.explain.quantities import count, percent, table_time
from airwire.explain.verdict import NOTHING_STANDS_OUT
from airwire.explain.waterfall import link_waterfalls
from airwire.link.model import LinkRow
from airwire.losses import why_none_arrived
from airwire.model import Analysis, Capture, rows_of_boards, rows_of_links

COLUMNS = 80
_PAYLOAD_BYTES = 128
"""The payload of the links on the screen; the report has the others."""
_NAME = 16
_FIGURE = 10


def print_demo(analysis: Analysis) -> None:
    """The bottom line, each state of the board with its verdict, and the ranking of links."""
    out = console()
    out.width = min(out.width, COLUMNS)
    boards = sorted(rows_of_boards(analysis), key=_rate)
    links = [row for row in rows_of_links(analysis) if row.payload_bytes == _PAYLOAD_BYTES]
    links.sort(key=lambda row: row.latency_ps["p50"] if row.latency_ps else float("inf"))
    if boards:
        _print_boards(out, boards)
    if links:
        _print_links(out, links)


def print_next_steps() -> None:
    """What to type next."""
    print("Next: airwire run published, airwire choose --payload 128 --p95 20ms")


def _rate(row: Capture[BoardRow]) -> float:
    return 0.0 if row.target.figure is None else row.target.figure.value


def _print_boards(out: Console, rows: Sequence[Capture[BoardRow]]) -> None:
    slow, fast = (figure_text(rows[end].target.figure) for end in (0, -1))
    changes = count(len(rows) - 1, "change")
    out.print(Text(f"One board: {slow} as it was, {fast} after {changes}.", style="bold"))
    out.print("Simulated in virtual time: nothing here was measured on hardware.", style="dim")
    out.print(Text(f"Board {rows[0].target.board}, {rows[0].target.firmware.rpartition('/')[2]}", style="bold"))
    colours = ("red", *("yellow" for _ in rows[2:]), "green")
    for row, colour in zip(rows, colours, strict=False):
        figure = Text(f"{figure_text(row.target.figure):<16}", style=colour)
        _print_beside(out, figure, _said_of_board(row))


def _print_links(out: Console, rows: Sequence[Capture[LinkRow]]) -> None:
    heading = f"{f'Link, {_PAYLOAD_BYTES} B':<{_NAME}}{'median':>{_FIGURE}}{'p99':>{_FIGURE}}  most of the median"
    out.print(Text(f"\n{heading}", style="bold"))
    for row in rows:
        median, p99 = (table_time(row.latency_ps[name]) if row.latency_ps else "-" for name in ("p50", "p99"))
        _print_beside(out, Text(f"{row.group:<{_NAME}}{median:>{_FIGURE}}{p99:>{_FIGURE}}"), _said_of_link(row))


def _said_of_board(row: Capture[BoardRow]) -> str:
    verdict = board_verdict(row)
    return f"{row.target.title}; {verdict.line}" if verdict.kind == NOTHING_STANDS_OUT else verdict.line


def _said_of_link(row: Capture[LinkRow]) -> str:
    """The largest stage: the heading says what it is a share of."""
    found = link_waterfalls(row, (50,))
    if not found or found[0].total_ps <= 0:
        return why_none_arrived(row.messages)
    stage = max(found[0].stages, key=lambda stage: stage.ps)
    return f"{percent(stage.ps / found[0].total_ps)} {stage.name}"


def _print_beside(out: Console, begun: Text, text: str) -> None:
    """A line that begins with figures, and a text in as many lines as it needs beside them."""
    column = len(begun.plain) + 2
    first, *others = textwrap.wrap(text, max(20, out.width - column)) or [""]
    out.print(begun + Text(f"  {first}"))
    for line in others:
        out.print(Text(f"{'':{column}}{line}"))
