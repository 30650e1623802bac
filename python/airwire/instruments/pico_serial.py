"""The stopwatch on a Pico as an instrument: its serial port opened, its trigger set, its edges as changes.

The stopwatch makes the triggers itself, at GP2, and watches done at GP3. Its stream and its commands are in ``pico``.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from airwire._core import AirwireError
from airwire.instruments.base import (
    Change,
    Chunk,
    Instrument,
    InstrumentError,
    InstrumentGoneError,
    Wanted,
    needed_module,
)
from airwire.instruments.pico import Setup, Stopwatch, open_stream
from airwire.instruments.pico_stream import Channel, Edge, StreamError

_PINS = {"trigger": 2, "done": 3, "D0": 2, "D1": 3}
_READ_S = 0.02
_TRIGGERS = ("pulse", "uart", "rts", "none")
_TIMES = ("period", "jitter", "pulse")


class Pico(Instrument):
    """``pico:/dev/ttyACM0``, and what it triggers behind a comma: ``pico:/dev/ttyACM0,period=20ms,jitter=5ms``."""

    def __init__(self, place: str, wanted: Wanted) -> None:
        super().__init__(place, wanted)
        self._path, *options = place.split(",")
        self._setup = _setup(options, wanted)
        self._port: Any = None
        self._stopwatch: Stopwatch | None = None
        self._levels: int | None = None

    @property
    def sample_rate_hz(self) -> int | None:
        """The clock that it counts, once the stopwatch has told it."""
        return None if self._stopwatch is None else self._stopwatch.header.clock_hz

    def start(self) -> None:
        """Open the port, tell the stopwatch what to do, and let it trigger."""
        if self.wanted.sample_rate_hz is not None:
            raise InstrumentError(
                f"pico:{self._path}: the stopwatch looks at every cycle of its clock; leave --rate out"
            )
        self._port = self._open()
        try:
            self._stopwatch = open_stream(self._port)
            self._stopwatch.configure(self._setup)
            self._stopwatch.start()
        except (StreamError, OSError) as error:
            raise InstrumentError(self._sentence(error)) from None

    def _open(self) -> Any:
        serial = needed_module("serial", "pyserial", "pico", "pico")
        try:
            return serial.Serial(self._path, timeout=_READ_S, write_timeout=1.0, exclusive=True)
        except (OSError, ValueError) as error:
            raise InstrumentError(f"pico:{self._path}: {_why_not_open(error)}") from None

    def read(self, timeout_s: float) -> Chunk | None:
        """The edges that came meanwhile."""
        assert self._stopwatch is not None, "an instrument is started before it is read"
        try:
            return self._chunk(self._stopwatch.read())
        except (StreamError, OSError) as error:
            raise InstrumentGoneError(self._sentence(error)) from None

    def stop(self) -> Sequence[Chunk]:
        """End the triggers, and close the port."""
        chunks: list[Chunk] = []
        if self._port is not None:
            with suppress(StreamError, OSError):
                if self._stopwatch is not None:
                    chunks.append(self._chunk(self._stopwatch.stop()))
            with suppress(OSError):
                self._port.close()
        self._port = None
        return chunks

    def _chunk(self, edges: Sequence[Edge]) -> Chunk:
        assert self._stopwatch is not None
        decoder = self._stopwatch.decoder
        changes: list[Change] = []
        if self._levels is None and decoder.start_levels is not None:
            self._levels = decoder.start_levels
            changes.append(self._change(0))
        for edge in edges:
            assert self._levels is not None, "levels at the start come with the first edge"
            self._levels = self._levels & ~(1 << edge.channel) | edge.level << edge.channel
            changes.append(self._change(edge.time_ps))
        return Chunk(changes, decoder.known_to_ps)

    def _change(self, time_ps: int) -> Change:
        levels = self._levels or 0
        return Change(time_ps, bool(levels & 1), bool(levels & 2))

    def _sentence(self, error: Exception) -> str:
        if isinstance(error, StreamError):
            return f"pico:{self._path}: {str(error).rstrip('.')}"
        return f"pico:{self._path}: the port went away; plug the Pico in again"


def _setup(options: Sequence[str], wanted: Wanted) -> Setup:
    """What the stopwatch is told, from the options behind its port."""
    from airwire.values import parse_time

    pins = [_pin(name) for name in (wanted.trigger, wanted.done)]
    given: dict[str, Any] = {"channels": (Channel("trigger", pins[0]), Channel("done", pins[1]))}
    for option in options:
        name, _, value = option.partition("=")
        try:
            if name == "trigger" and value in _TRIGGERS:
                given[name] = value
            elif name in _TIMES:
                given[name] = parse_time(value)
            elif name == "baud" and value.isdecimal():
                given[name] = int(value)
            else:
                raise InstrumentError(
                    f"pico: there is no `{option}`; write trigger={'|'.join(_TRIGGERS)}, period=, jitter= or pulse= "
                    "with a time, or baud= with a number"
                )
        except InstrumentError:
            raise
        except AirwireError as error:
            raise InstrumentError(f"pico: {option}: {error}") from None
    return Setup(**given)


def _pin(name: str) -> int:
    """The GPIO of a channel: ``GP7``, or ``D0`` and ``D1`` for the pins that the stopwatch has by itself."""
    number = name.upper().removeprefix("GP")
    if name in _PINS:
        return _PINS[name]
    if not number.isdecimal():
        raise InstrumentError(f"pico: there is no channel {name}; write D0 (GP2), D1 (GP3), or a pin such as GP7")
    return int(number)


def _why_not_open(error: Exception) -> str:
    """Errors of pyserial hold the system's number, or none at all."""
    number = getattr(error, "errno", None)
    if number == errno.EACCES:
        return "this user may not open the port; join the group that it belongs to (dialout), and log in again"
    if number in (errno.EAGAIN, errno.EBUSY):
        return "another program has the port; end that program (a terminal, mpremote, Thonny)"
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        return "there is no such port; plug the Pico in, and look for it below /dev/ttyACM*"
    return f"the port cannot be opened ({str(error).rstrip('.')}); look whether it is the Pico's"
