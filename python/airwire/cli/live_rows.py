"""Rows as they are finished, a line each: the figure, and the verdict."""

from __future__ import annotations

from rich.text import Text

from airwire.cli.verdict_lines import verdict_text
from airwire.explain.board.figures import figure_text
from airwire.explain.quantities import table_time
from airwire.explain.verdicts import verdict_of
from airwire.model import Capture

_NAME = 26
_FIGURE = 17


def row_line(row: Capture) -> Text:
    """``pingpong-lwip-64ms  15.63 messages/s  100 % waits for a poll every 64 ms: ...``"""
    name = Text(row.path)
    name.truncate(_NAME, overflow="ellipsis", pad=True)
    verdict = verdict_of(row)
    line = name.append(f"  {_figure(row):>{_FIGURE}}")
    return line if verdict is None else line.append("  ").append_text(verdict_text(verdict))


def _figure(row: Capture) -> str:
    if row.target.figure is not None:
        return figure_text(row.target.figure)
    return "-" if row.latency_ps is None or row.target.unit != "ps" else table_time(row.latency_ps["p50"])
