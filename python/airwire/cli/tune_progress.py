"""The progress of a search on a terminal: how many candidates, the best so far, and the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airwire.tune.answer import Progress

_now = time.monotonic
_FEW = 4
"""Candidates before a time left is told: builds begin slowly."""


@contextmanager
def tune_progress(title: str) -> Iterator[Callable[[Progress], None] | None]:
    """A callback that replaces one line on a terminal; elsewhere nothing is shown."""
    if not sys.stderr.isatty():
        yield None
        return
    from airwire.cli.plain_console import PlainConsole

    began = _now()
    with PlainConsole(stderr=True).status(title) as status:
        yield lambda progress: status.update(f"{title}: {line(progress, _now() - began)}")


def line(progress: Progress, seconds: float) -> str:
    """What is done, what is best, and how long the rest of the budget takes at most."""
    from airwire.tune.metrics import METRICS, words

    told = f"{progress.step}, {progress.measured} of at most {progress.budget} candidates"
    if progress.best is not None and progress.goal in progress.best.figures:
        told += f", best {words(METRICS[progress.goal], progress.best.figures[progress.goal])}"
    if progress.measured >= _FEW and progress.measured < progress.budget:
        left = seconds / progress.measured * (progress.budget - progress.measured)
        told += f", {left:.0f} s left at most" if left < 100 else f", {left / 60:.0f} min left at most"
    return told
