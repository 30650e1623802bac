"""A measurement in real time on a terminal: one line with rate and percentiles, which changes as messages come."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from airwire.explain.board.figures import quantity
from airwire.explain.quantities import count, table_time

if TYPE_CHECKING:
    import polars as pl
    from rich.status import Status

_KEPT = 20_000
"""Percentiles are of so many messages, the latest."""
_WINDOW_PS = 2 * 10**12
"""The rate is that of this time, the latest."""


class LiveFigures:
    """Takes messages as they come; shows nothing where nobody looks."""

    def __init__(self, status: Status | None, wait: str) -> None:
        self._status = status
        self._wait = wait
        self._latencies: deque[int] = deque(maxlen=_KEPT)
        self._recent: deque[tuple[int, int]] = deque()
        self._messages = self._lost = 0

    def __call__(self, _row: str, _unit: str, samples: pl.DataFrame) -> None:
        """Take messages, and show what all of them say."""
        if self._status is None or samples.height == 0:
            return
        answered = samples.filter(samples["outcome"] == "paired")
        self._messages += samples.height
        self._lost += samples.height - answered.height
        self._latencies.extend(answered["latency_ps"].to_list())
        done: list[int] = answered["done_ps"].to_list()
        if done:
            self._recent.append((max(done), len(done)))
        self._status.update(self.line or self._wait)

    @property
    def line(self) -> str:
        """``1 234 messages, 1 598/s, median 601 us, p99 739 us, 0 lost``; empty before the first one."""
        if not self._latencies:
            return f"{count(self._messages, 'message')}, all lost" if self._messages else ""
        ordered = sorted(self._latencies)
        median, slow = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
        rate = f", {quantity(self._rate, 'messages/s')}" if self._rate else ""
        times = f"median {table_time(median)}, p99 {table_time(slow)}"
        return f"{count(self._messages, 'message')}{rate}, {times}, {self._lost} lost"

    @property
    def _rate(self) -> float:
        """Messages a second, of the latest time."""
        while self._recent[-1][0] - self._recent[0][0] > _WINDOW_PS:
            self._recent.popleft()
        first, last = self._recent[0][0], self._recent[-1][0]
        messages = sum(many for _, many in list(self._recent)[1:])
        return messages * 1e12 / (last - first) if last > first else 0.0


@contextmanager
def live_figures(wait: str) -> Iterator[LiveFigures]:
    """A callback for messages as they come; ``wait`` is shown before the first ones."""
    if not sys.stderr.isatty():
        yield LiveFigures(None, wait)
        return
    from airwire.cli.plain_console import PlainConsole

    with PlainConsole(stderr=True).status(wait) as status:
        yield LiveFigures(status, wait)
