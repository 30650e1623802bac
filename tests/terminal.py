"""Commands as a reader types them: run by bash in a terminal of fixed width."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Wide enough for the table of a capture; what is shown in the documents does not wrap in odd places.
TERMINAL_COLUMNS = 150


def run_in_terminal(line: str, folder: Path, columns: int = TERMINAL_COLUMNS) -> tuple[int, str]:
    """Run a command line in a folder; its exit code, and what it printed there, then its complaints."""
    ours, theirs = pty.openpty()
    tools = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}",
        "TERM": "dumb",
        "COLUMNS": str(columns),
        "LINES": "50",
    }
    with subprocess.Popen(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(theirs)
        printed = b"".join(_until_closed(ours))
        os.close(ours)
        complaints = process.stderr.read() if process.stderr else b""
    return process.returncode, _tidy((printed + complaints).decode("utf-8"))


def _until_closed(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            # Linux reports the end of a terminal as an input/output error.
            return
        if not data:
            return
        yield data


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n")).strip("\n")
