"""The line at the foot of a terminal while a board is served: requests or bytes a second, and its pace."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import TextIO

from airwire.cli.board.wire_log import WireLog
from airwire.cli.plain import plain

_EACH_S = 1.0
_CLEARED = "\r\x1b[K"


class LiveRate:
    """Lines of a log with one below them that is written anew each second.

    A terminal only: anywhere else the lines are all that is written.
    """

    def __init__(self, out: TextIO, clock: Callable[[], float] = monotonic) -> None:
        self._out = out
        self._clock = clock
        self._lock = Lock()
        self._at = clock()
        self._requests = 0
        self._bytes = 0
        self._board_ps = 0
        self._line = ""
        self.is_shown = out.isatty()

    def say(self, line: str) -> None:
        """Write a line of the log above the one at the foot."""
        with self._lock:
            shown = plain(line)
            self._out.write(f"{_CLEARED}{shown}\n{self._line}" if self._line else f"{shown}\n")
            self._out.flush()

    def clear(self) -> None:
        """Take the line at the foot away, so that something else can be written."""
        with self._lock:
            if self._line:
                self._line = ""
                self._out.write(_CLEARED)
                self._out.flush()

    def follow(self, log: WireLog) -> None:
        """Show what has passed since the last second, once one is over."""
        now = self._clock()
        seconds = now - self._at
        if not self.is_shown or seconds < _EACH_S:
            return
        requests, exchanged = log.requests, sum(log.bytes_each_way.values())
        line = self._rate(log, (requests - self._requests) / seconds, (exchanged - self._bytes) / seconds, seconds)
        self._at, self._requests, self._bytes, self._board_ps = now, requests, exchanged, log.last_ps
        with self._lock:
            self._line = line
            self._out.write(f"{_CLEARED}{line}")
            self._out.flush()

    def _rate(self, log: WireLog, requests: float, exchanged: float, seconds: float) -> str:
        rate = f"{requests:.3g} requests/s" if log.requests else f"{exchanged / 1000:.3g} kB/s"
        # Where no frame came, the board's time is not known; and the first second begins in its midst.
        is_known = 0 < self._board_ps < log.last_ps
        pace = f", {(log.last_ps - self._board_ps) / 1e10 / seconds:.0f} % of real time" if is_known else ""
        return f"{rate}{pace}"
