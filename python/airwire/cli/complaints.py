"""How a command complains, and the exit codes that go with it: what everything in the command line may use."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from airwire.cli.plain import one_line

if TYPE_CHECKING:
    from airwire.model import Analysis

EXIT_NO_FIGURE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def complain(message: str) -> None:
    """One sentence to standard error, in one line whatever it speaks of; where nobody can read it, it is not said."""
    with suppress(OSError):
        print(f"airwire: {one_line(message)}", file=sys.stderr)


def complain_of_cut_short(analysis: Analysis) -> bool:
    """Name each board at an address whose figure is of less than was asked for, and why; whether there was one."""
    from airwire.model import rows_of_addresses

    cut_short = [row for row in rows_of_addresses(analysis) if row.target.figure is not None and row.target.problem]
    for row in cut_short:
        complain(f"{row.path}: it ended before its time: {row.target.problem}")
    return bool(cut_short)
