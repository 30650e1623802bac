"""An instrument run until it has seen enough: the capture that comes of it, and why it ended.

Ctrl-C ends the measurement, not the program: what was captured is kept. So does an instrument that goes away.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from airwire.instruments.base import PS_PER_S, Instrument, InstrumentError, InstrumentGoneError
from airwire.instruments.recording import Pairs, Recording, recording

Ending = Literal["enough", "limit", "interrupted", "end", "gone"]
"""Why a measurement ended: enough pairs, its time was over, Ctrl-C, a file at its end, an instrument that went away."""
_READ_S = 0.1


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement with an instrument."""

    capture: Path | None
    """The file; nothing where the instrument told nothing."""
    ending: Ending
    sample_rate_hz: int | None
    pairs: Pairs
    error: InstrumentError | None = None
    """Why the instrument went away."""


def measure(
    instrument: Instrument,
    out: Path,
    *,
    samples: int,
    limit_ps: int,
    count: Callable[[Path], int],
    overwrite: bool = False,
    gaps_allowed: bool = True,
    progress: Callable[[Pairs, float], Any] | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Measured:
    """Run an instrument until ``count`` finds as many pairs in the capture so far, or until ``limit_ps`` is over.

    Without ``gaps_allowed`` an instrument that measures in pieces is refused: where messages overtake the next trigger,
    a gap would pair them wrongly.
    ``progress(pairs, seconds)`` is called some ten times a second, and ends nothing; ``is_stopped`` does what Ctrl-C
    does, for those that run on a thread. Raises ``InstrumentError`` where the instrument
    cannot be used, and leaves no file then.
    """
    wanted = instrument.wanted
    with recording(out, wanted.trigger, wanted.done, overwrite) as made:
        begun = time.monotonic()
        try:
            instrument.start()
            with _ctrl_c() as is_interrupted:
                until = _Until(samples, limit_ps, count, lambda: is_interrupted() or is_stopped(), gaps_allowed)
                ending, error = _until_enough(instrument, made, until, progress)
                if ending != "enough":
                    for chunk in instrument.stop():
                        made.add(chunk)
                        if progress is not None:
                            progress(made.pairs, time.monotonic() - begun)
        finally:
            instrument.stop()
        if error is not None and made.is_empty:
            raise error
    return Measured(None if made.is_empty else out, ending, instrument.sample_rate_hz, made.pairs, error)


@dataclass(frozen=True, slots=True)
class _Until:
    """What ends a measurement."""

    samples: int
    limit_ps: int
    count: Callable[[Path], int]
    is_interrupted: Callable[[], bool]
    gaps_allowed: bool


def _until_enough(
    instrument: Instrument, made: Recording, until: _Until, progress: Callable[[Pairs, float], Any] | None
) -> tuple[Ending, InstrumentError | None]:
    begun = time.monotonic()
    goal = until.samples
    while True:
        if not until.gaps_allowed and not instrument.is_continuous:
            raise InstrumentError(
                f"{instrument.place or 'saleae'}: it measures in pieces with gaps between, and --pairing fifo needs a "
                "capture without gaps; use --pairing strict"
            )
        try:
            chunk = instrument.read(_READ_S)
        except InstrumentGoneError as error:
            return "gone", error
        if chunk is None:
            return "end", None
        made.add(chunk)
        seconds = time.monotonic() - begun
        if progress is not None:
            progress(made.pairs, seconds)
        if made.pairs.paired >= goal:
            made.flush()
            missing = until.samples - until.count(made.place)
            if missing <= 0:
                return "enough", None
            # Some pairs are none to the analysis; a capture of many such is not read anew for each.
            goal = made.pairs.paired + max(missing, goal // 8)
        if until.is_interrupted():
            return "interrupted", None
        if seconds * PS_PER_S >= until.limit_ps:
            return "limit", None


@contextmanager
def _ctrl_c() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed meanwhile; pressed again, it ends the program as usual."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.getsignal(signal.SIGINT)

    def first(_signal: int, _frame: Any) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, first)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
