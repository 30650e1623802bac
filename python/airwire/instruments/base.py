"""What an instrument is: something that watches two channels and tells their levels as they change.

It is started, read until enough was seen, and stopped; then it may still hold changes. Every read has a time-out, so
that whoever reads stays in charge. Leaves out what becomes of the changes (``recording``) and when it is enough
(``measurement``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from airwire._core import AirwireError

PS_PER_S = 10**12


class InstrumentError(AirwireError):
    """What an instrument cannot do, in one sentence: what, which instrument, what to do."""


class InstrumentGoneError(InstrumentError):
    """An instrument that went away while it measured. What it told before is good."""


class Change(NamedTuple):
    """The levels of both channels from a time on, in picoseconds since the start of the measurement."""

    time_ps: int
    trigger: bool
    done: bool


@dataclass(frozen=True, slots=True)
class Chunk:
    """What an instrument told since it was read last: changes in ascending order, perhaps none.

    The first change of all has the levels at the start. Nothing before ``end_ps`` is still to come.
    """

    changes: Sequence[Change]
    end_ps: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of an instrument: two of its channels by their names, and how often it is to look at them."""

    trigger: str
    done: str
    sample_rate_hz: int | None = None
    """``None``: as the instrument has it."""


class Instrument(ABC):
    """An instrument at a place (a driver, a serial port), for one measurement.

    ``start`` raises ``InstrumentError`` where it cannot be used, ``read`` ``InstrumentGoneError`` where it went away.
    ``stop`` may always be called, more than once too, and raises nothing: what cannot be had any more is not told.
    """

    def __init__(self, place: str, wanted: Wanted) -> None:
        self.place = place
        self.wanted = wanted

    @property
    def is_continuous(self) -> bool:
        """Whether it sees every edge from start to stop; otherwise it looks in pieces, with gaps between."""
        return True

    @property
    def sample_rate_hz(self) -> int | None:
        """How often it looks at its channels, once it is known."""
        return self.wanted.sample_rate_hz

    @abstractmethod
    def start(self) -> None:
        """Begin to measure."""

    @abstractmethod
    def read(self, timeout_s: float) -> Chunk | None:
        """What it has seen since the last call, after no more than about ``timeout_s``; ``None`` at its very end."""

    @abstractmethod
    def stop(self) -> Sequence[Chunk]:
        """End the measurement, and tell what it still holds."""


def needed_module(name: str, package: str, extra: str, instrument: str) -> Any:
    """A module of a package that only this instrument needs. Raises ``InstrumentError`` where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise InstrumentError(
            f"{instrument} needs the Python package {package}, which is not installed: pip install 'airwire[{extra}]'"
        ) from None


def without_gap(changes: Sequence[Change], end_ps: int) -> list[Change]:
    """A piece of a measurement cut so that it can follow another one, of which it is parted by a gap.

    It begins before the first trigger edge that comes while both channels are low, and ends with both low. A last
    trigger without a done edge goes: that edge may lie in the gap, and nobody knows whether the message was lost.
    """
    first = next((at for at in range(1, len(changes)) if _rises(changes, at) and not any(changes[at - 1][1:])), None)
    if first is None:
        return []
    last = max(at for at in range(first, len(changes)) if _rises(changes, at))
    is_answered = any(changes[at].done and not changes[at - 1].done for at in range(last, len(changes)))
    kept = list(changes[first - 1 :] if is_answered else changes[first - 1 : last])
    end_ps = end_ps if is_answered else changes[last].time_ps
    return [*kept, Change(end_ps, False, False)] if any(kept[-1][1:]) else kept


def _rises(changes: Sequence[Change], at: int) -> bool:
    return changes[at].trigger and not changes[at - 1].trigger
