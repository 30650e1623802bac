"""How a command complains, and the exit codes that go with it: what everything in the command line may use."""

from __future__ import annotations

import sys
from contextlib import suppress

from airwire.cli.plain import one_line

EXIT_NO_FIGURE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def complain(message: str) -> None:
    """One sentence to standard error, in one line whatever it speaks of; where nobody can read it, it is not said."""
    with suppress(OSError):
        print(f"airwire: {one_line(message)}", file=sys.stderr)
