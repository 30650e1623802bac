"""A capture that comes in a pipe: ``-`` among the paths is standard input, which is kept in a file meanwhile."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from airwire.scratch import ScratchFolder

if TYPE_CHECKING:
    from airwire.model import Analysis

_DASH = Path("-")
NAME = "stdin"


@contextmanager
def with_standard_input(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The paths, with the file that holds standard input in place of ``-``; captures tell their format themselves."""
    if _DASH not in paths:
        yield list(paths)
        return
    with ScratchFolder("airwire-") as folder:
        kept = folder / NAME
        _refuse_device()
        with kept.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield [kept if path == _DASH else path for path in paths]


def _refuse_device() -> None:
    """A terminal has no capture to give, and another device need not end."""
    from airwire._core import AirwireError

    if stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode):
        raise AirwireError("standard input is no pipe and no file; name a capture, or send one with |")


def named(analysis: Analysis, paths: Sequence[Path]) -> Analysis:
    """The analysis of such paths, without the name of the file that nobody knows."""
    kept = next((str(path) for path in paths if path.name == NAME and path.parent.name.startswith("airwire-")), None)
    if kept is None:
        return analysis
    captures = [replace(one, path=NAME, group=NAME) if one.path == kept else one for one in analysis.captures]
    errors = [
        replace(one, path=one.path.replace(kept, NAME), message=one.message.replace(kept, NAME))
        for one in analysis.errors
    ]
    return replace(analysis, captures=captures, errors=errors)
