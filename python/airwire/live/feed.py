"""What is measured now, as the live view keeps it: every sample of every series, marks, stages and a state.

Whoever measures pushes batches, from any thread; whoever shows reads from any index on. Nothing is ever dropped and
nothing waits for a reader, so that a slow page cannot disturb a measurement. A sample takes 32 bytes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Literal

from airwire.live.batch import CODES, Batch
from airwire.stage import Stage

if TYPE_CHECKING:
    from airwire.model import Analysis

State = Literal["running", "finished", "failed"]
Kind = Literal["messages", "bulk"]
"""Whether samples are messages, or intervals of a bulk transfer."""
COLUMNS = ("trigger_ps", "latency_ps", "outcome", "bytes")
"""The columns of a sample, on the wire in this order."""
MOST_MARKS = 1000
LONGEST_MARK = 200


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that a person did in mid measurement, such as "moved the antenna"."""

    text: str
    at: str
    """The wall clock, RFC 3339."""
    places: dict[str, tuple[int, int]]
    """Of each series: the number of samples before it, and the time of the last of them."""


@dataclass(frozen=True, slots=True)
class Stages:
    """Where the time of a series' messages goes."""

    of: str
    """Which messages, in words."""
    stages: Sequence[Stage]


class Series:
    """The samples of one row, target or channel."""

    def __init__(self, number: int, name: str, kind: Kind, target: str, lock: Lock) -> None:
        self.number, self.name, self.kind, self.target = number, name, kind, target
        self.stages: Stages | None = None
        self._lock = lock
        self._columns = {column: array("d") for column in COLUMNS}

    def __len__(self) -> int:
        return len(self._columns["bytes"])

    def push(self, batch: Batch) -> None:
        """Add messages, in the order of their triggers as far as the measurement has one."""
        latencies = [math.nan if one is None else one for one in batch.latency_ps]
        if batch.outcomes is None:
            codes = [CODES["lost" if math.isnan(one) else "ok"] for one in latencies]
        else:
            codes = [CODES[outcome] for outcome in batch.outcomes]
        carried = repeat(0, len(batch)) if batch.payload_bytes is None else batch.payload_bytes
        new = [array("d", values) for values in (batch.trigger_ps, latencies, codes, carried)]
        with self._lock:
            for column, values in zip(self._columns.values(), new, strict=True):
                column.extend(values)

    def read(self, first: int, most: int) -> list[array[float]]:
        """The columns of at most ``most`` samples from an index on."""
        with self._lock:
            return [column[first : first + most] for column in self._columns.values()]

    @property
    def last_ps(self) -> int:
        """The latest trigger; 0 before there is one."""
        with self._lock:
            triggers = self._columns["trigger_ps"]
            return int(triggers[-1]) if triggers else 0


@dataclass
class Feed:
    """A measurement that the live view shows.

    ``folder`` is where marks and reports go; it is made when there is something to write. ``analysis`` gives what an
    ordinary report of the run so far is made of; without it the samples of the feed are.
    """

    title: str
    folder: Path
    analysis: Callable[[], Analysis] | None = None
    state: State = "running"
    sentence: str = ""
    """What it is at, or how it ended."""
    marks: list[Mark] = field(default_factory=list)
    started: str = field(default_factory=lambda: _utc_now())
    _series: list[Series] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _stopped: Event = field(default_factory=Event)

    def series(self, name: str, kind: Kind = "messages", target: str = "") -> Series:
        """The series of this name, made where there is none; ``target`` tells apart what stands side by side."""
        with self._lock:
            found = next((one for one in self._series if one.name == name), None)
            if found is None:
                found = Series(len(self._series), name, kind, target, self._lock)
                self._series.append(found)
            return found

    @property
    def all_series(self) -> list[Series]:
        """All series, in the order in which they began."""
        with self._lock:
            return list(self._series)

    def mark(self, text: str) -> Mark | None:
        """Note what a person did, now; nothing where there is no text or there are too many marks."""
        words = " ".join(text.split())[:LONGEST_MARK]
        if not words or len(self.marks) >= MOST_MARKS:
            return None
        places = {one.name: (len(one), one.last_ps) for one in self.all_series}
        made = Mark(words, _utc_now(), places)
        self.marks.append(made)
        return made

    def finish(self, sentence: str, state: State = "finished") -> None:
        """Say that nothing more will come, and how it ended."""
        self.sentence, self.state = sentence, state

    def stop(self) -> None:
        """Ask whoever pushes to come to an end."""
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        """Whether whoever pushes was asked to come to an end."""
        return self._stopped.is_set()

    def rest(self, seconds: float) -> bool:
        """Wait, but not beyond the request to stop; gives whether there was one."""
        return self._stopped.wait(seconds)


def _utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
