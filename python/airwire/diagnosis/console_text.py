"""What a terminal shows of an image's console: lines without the control sequences that move its cursor or colour it.

Shells write over their prompt whenever something else is printed. Of the sequences of ECMA-48 those are followed that
do so within a line: cursor left and right, and the erasure of what is behind it. All others show nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# A control sequence, or one character (ECMA-48, 5.4).
_PIECE = re.compile(r"\x1b\[(?P<number>\d*)[0-?]*[ -/]*(?P<what>[@-~])|\x1b.?|(?P<plain>.)", re.DOTALL)
_TAB = 8
_ERASES = "JK"
# No terminal is wider.
_MOST_COLUMNS = 1000


def shown(console: str) -> Sequence[str]:
    """The lines, without spaces at their ends; the last one is where the cursor is."""
    return [_line(line).strip() for line in console.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def _line(text: str) -> str:
    cells: list[str] = []
    column = 0
    for piece in _PIECE.finditer(text):
        what, plain = piece["what"], piece["plain"]
        count = int(piece["number"] or 1)
        if what == "D" or plain == "\b":
            column = max(column - (count if what else 1), 0)
        elif what == "C":
            column = min(column + count, _MOST_COLUMNS)
        elif what and what in _ERASES and piece["number"] in ("", "0"):
            del cells[column:]
        elif plain == "\t":
            column = min(column // _TAB * _TAB + _TAB, _MOST_COLUMNS)
        elif plain and plain.isprintable():
            cells += " " * (column + 1 - len(cells))
            cells[column] = plain
            column += 1
    return "".join(cells)
