"""What an instrument tells, kept as it comes: a capture in Saleae's CSV, and the pairs so far.

The pairs are counted for whoever watches, by the strict rule without its exceptions. What counts in the end is the
analysis of the capture.
"""

from __future__ import annotations

import os
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from airwire import _core
from airwire.instruments.base import PS_PER_S, Change, Chunk
from airwire.outputs import UNFINISHED

LIVE_LATENCIES = 100_000
"""The percentiles that are shown while it measures are of as many latencies, the last ones."""


class Message(NamedTuple):
    """A trigger, and how long its done edge took; nothing where none came before the next trigger."""

    trigger_ps: int
    latency_ps: int | None


@dataclass
class Pairs:
    """Triggers and their done edges so far."""

    triggers: int = 0
    dones: int = 0
    paired: int = 0
    latency_ps: deque[int] = field(default_factory=lambda: deque(maxlen=LIVE_LATENCIES))
    latest: list[Message] = field(default_factory=list)
    """Those that were decided by the changes added last."""
    _pending_ps: int | None = None
    _levels: tuple[bool, bool] | None = None

    def add(self, changes: Sequence[Change]) -> None:
        """Take changes in their order."""
        self.latest = []
        for time_ps, trigger, done in changes:
            had_trigger, had_done = self._levels or (trigger, done)
            if done and not had_done:
                self.dones += 1
                if self._pending_ps is not None:
                    self.paired += 1
                    self.latency_ps.append(time_ps - self._pending_ps)
                    self.latest.append(Message(self._pending_ps, time_ps - self._pending_ps))
                    self._pending_ps = None
            if trigger and not had_trigger:
                self.triggers += 1
                if self._pending_ps is not None:
                    self.latest.append(Message(self._pending_ps, None))
                # While done is high nobody sees the message's own edge.
                self._pending_ps = None if had_done or done else time_ps
            self._levels = (trigger, done)

    def percentiles(self, *shares: float) -> list[int] | None:
        """The latencies below which such shares lie (nearest rank); nothing before there is a pair."""
        ordered = sorted(self.latency_ps)
        return [ordered[round(share * (len(ordered) - 1))] for share in shares] if ordered else None


class Recording:
    """A capture file that grows; it has its name once it is finished."""

    def __init__(self, file: BinaryIO, place: Path, trigger: str, done: str) -> None:
        self.place = place
        self.pairs = Pairs()
        self._file = file
        self._last: Change | None = None
        self._end_ps = 0
        self._file.write(f"Time [s],{_quoted(trigger)},{_quoted(done)}\n".encode())

    def add(self, chunk: Chunk) -> None:
        """Keep what an instrument told."""
        self._file.write("".join(map(_row, chunk.changes)).encode())
        self.pairs.add(chunk.changes)
        self._last = chunk.changes[-1] if chunk.changes else self._last
        self._end_ps = max(self._end_ps, chunk.end_ps)

    def flush(self) -> None:
        """See that the file holds all of it."""
        self._file.flush()

    def finish(self) -> None:
        """End with a row at the end of the measurement, as the exports of analysers do."""
        if self._last is not None and self._last.time_ps < self._end_ps:
            self._file.write(_row(self._last._replace(time_ps=self._end_ps)).encode())
        self._file.flush()

    @property
    def is_empty(self) -> bool:
        """Whether the instrument told nothing."""
        return self._last is None


@contextmanager
def recording(out: Path, trigger: str, done: str, overwrite: bool) -> Iterator[Recording]:
    """A recording that becomes ``out``, in the format of its name; an exception in the block leaves nothing of it."""
    spool = out.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        with spool.open("xb") as file:
            made = Recording(file, spool, trigger, done)
            yield made
            made.finish()
            os.fsync(file.fileno())
        if made.is_empty:
            return
        if out.suffix.lower() == ".csv":
            spool.replace(out)
        else:
            _core.convert(str(spool), str(out), [], overwrite, None)
    finally:
        with suppress(OSError):
            spool.unlink(missing_ok=True)


def _row(change: Change) -> str:
    time_ps, trigger, done = change
    return f"{time_ps // PS_PER_S}.{time_ps % PS_PER_S:012d},{trigger:d},{done:d}\n"


def _quoted(label: str) -> str:
    return '"' + label.replace('"', '""') + '"' if any(sign in label for sign in ',"\n\r') else label
