"""An interval of a capture, wire by wire, and the bytes that an SPI moved in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from airwire import _core
from airwire.capture.analysis import read_edges

if TYPE_CHECKING:
    import polars as pl

BITS = 8


@dataclass(frozen=True, slots=True)
class CaptureWire:
    """A channel: its level before the first of its edges, and these, each with its time and the level from then on."""

    name: str
    level: bool
    edges: Sequence[tuple[int, bool]]

    def level_at(self, time_ps: int) -> bool:
        """The level at a time, behind an edge at that time."""
        place = bisect_right(self.edges, time_ps, key=itemgetter(0))
        return self.edges[place - 1][1] if place else self.level

    def level_before(self, time_ps: int) -> bool:
        """The level at a time, before an edge at that time."""
        place = bisect_left(self.edges, time_ps, key=itemgetter(0))
        return self.edges[place - 1][1] if place else self.level


@dataclass(frozen=True, slots=True)
class SpiByte:
    """A byte on an SPI, from its first clock pulse to the end of its last."""

    start_ps: int
    end_ps: int
    to_next_ps: int | None
    """From its start to that of the next byte in the same transaction."""
    sent: int | None = None
    received: int | None = None


@dataclass(frozen=True, slots=True)
class CaptureInterval:
    """What is on some wires from one time to another."""

    start_ps: int
    end_ps: int
    wires: Sequence[CaptureWire]
    bytes_: Sequence[SpiByte] = field(default_factory=tuple)
    selects_ps: Sequence[int] = field(default_factory=tuple)
    """When the chip of a bus was selected."""
    bus: SpiBus | None = None
    """The bus that was asked for, its channels by the names of these wires."""


@dataclass(frozen=True, slots=True)
class SpiBus:
    """The channels of an SPI in modes 0 and 3: the clock, what goes out, what comes back, and the chip's select.

    Each by its number or its label.
    """

    clock: str
    sent: str | None = None
    received: str | None = None
    select: str | None = None

    @property
    def channels(self) -> list[str]:
        """Those that it has."""
        return [name for name in (self.select, self.clock, self.sent, self.received) if name is not None]


def read_interval(
    path: str | Path,
    channels: Sequence[str] = (),
    *,
    from_ps: int = 0,
    to_ps: int | None = None,
    bus: SpiBus | None = None,
) -> CaptureInterval:
    """What a capture has from one time to another, on all channels or on those named, and the bytes of a bus there.

    Raises ``AirwireError`` where the file cannot be read, lacks a channel or ends before the interval begins, and where
    the interval itself does or begins before the capture.
    """
    if from_ps < 0:
        # Times count from the start of a capture, whatever its first time stamp is.
        raise _core.AirwireError(
            f"the interval begins at {_core.format_time(from_ps)}, which is before the capture does; name a time from "
            "0 s on"
        )
    read = read_edges(path)
    labels = read.frame.columns[1:]
    bus = None if bus is None else _by_labels(bus, path, labels)
    asked = [_label(name, path, labels) for name in channels]
    shown_labels = list(dict.fromkeys([*asked, *(bus.channels if bus and channels else ())])) or labels
    if to_ps is not None and from_ps >= to_ps:
        raise _core.AirwireError(
            f"the interval begins at {_core.format_time(from_ps)} and ends at {_core.format_time(to_ps)}; "
            "name a later end"
        )
    end_ps = read.end_ps if to_ps is None else min(to_ps, read.end_ps)
    if from_ps >= end_ps:
        raise _core.AirwireError(
            f"{path}: the capture ends at {_core.format_time(read.end_ps)}, and the interval begins at "
            f"{_core.format_time(from_ps)}; name an earlier one"
        )
    wires = [_wire(read.frame, name) for name in shown_labels]
    found = [] if bus is None else _bytes(wires, bus, from_ps, end_ps)
    shown = [_cut(wire, from_ps, end_ps) for wire in wires]
    name = None if bus is None else bus.select
    selects = [at for wire in shown if wire.name == name for at, level in wire.edges if not level]
    return CaptureInterval(from_ps, end_ps, shown, found, selects, bus)


def _label(name: str, path: str | Path, labels: Sequence[str]) -> str:
    """The label of a channel that is named by it or by its number. Raises ``AirwireError`` where there is none."""
    return name if name in labels else read_edges(path, [name]).frame.columns[1]


def _by_labels(bus: SpiBus, path: str | Path, labels: Sequence[str]) -> SpiBus:
    """The same bus with each channel by its label."""
    named = (bus.clock, bus.sent, bus.received, bus.select)
    clock, *others = (None if name is None else _label(name, path, labels) for name in named)
    return SpiBus(clock or bus.clock, *others)


def _wire(rows: pl.DataFrame, name: str) -> CaptureWire:
    """A wire from rows, of which each has the levels of all channels."""
    levels = rows[name]
    own = rows.filter(levels != levels.shift(1)).select("time_ps", name)
    return CaptureWire(name, bool(levels[0]) if len(levels) else False, own.rows())


def _cut(wire: CaptureWire, from_ps: int, to_ps: int) -> CaptureWire:
    first, last = (
        bisect_right(wire.edges, from_ps, key=itemgetter(0)),
        bisect_left(wire.edges, to_ps, key=itemgetter(0)),
    )
    return CaptureWire(wire.name, wire.level_at(from_ps), wire.edges[first:last])


def _bytes(wires: Sequence[CaptureWire], bus: SpiBus, from_ps: int, to_ps: int) -> list[SpiByte]:
    """The bytes that begin in an interval: eight rising edges of the clock each, counted anew with each transaction.

    What the clock does while the chip is not selected is for another one.
    """
    by_name = {wire.name: wire for wire in wires}
    clock = by_name[bus.clock]
    select = None if bus.select is None else by_name[bus.select]
    rises = [at for at, level in clock.edges if level and not (select and select.level_at(at))]
    falls = [at for at, level in clock.edges if not level]
    selected = [at for at, level in select.edges if not level] if select else []
    found: list[SpiByte] = []
    for transaction in _split(rises, selected):
        starts = transaction[: len(transaction) // BITS * BITS : BITS]
        first, last = bisect_left(starts, from_ps), bisect_left(starts, to_ps)
        for place, start in enumerate(starts[first:last], first):
            bits = transaction[place * BITS : (place + 1) * BITS]
            after = bisect_right(falls, bits[-1])
            end = falls[after] if after < len(falls) else bits[-1]
            later = starts[place + 1] - start if place + 1 < len(starts) else None
            sent, received = (_value(by_name[name], bits) if name else None for name in (bus.sent, bus.received))
            found.append(SpiByte(start, end, later, sent, received))
    return found


def _split(rises: Sequence[int], selected: Sequence[int]) -> list[list[int]]:
    bounds = [0, *(bisect_right(rises, at) for at in selected), len(rises)]
    parts = (list(rises[one:other]) for one, other in pairwise(bounds))
    return [part for part in parts if part]


def _value(wire: CaptureWire, samples: Sequence[int]) -> int:
    """A byte that is read at the clock's rising edges; what changes with an edge changes behind it."""
    value = 0
    for at in samples:
        value = value << 1 | int(wire.level_before(at))
    return value
