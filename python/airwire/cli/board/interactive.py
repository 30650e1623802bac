"""An interactive run: the terminal's keys go to the image's console, and virtual time keeps to the clock on the wall.

Virtual time never runs ahead of real time, so that delays feel as they do on a board; where the image is too much work
to be simulated that fast, it lags behind. Leaves out Windows, whose terminals work otherwise.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from airwire.cli.complaints import complain

if TYPE_CHECKING:
    from airwire.board import Board
    from airwire.board.model import BoardRun

LEAVE = b"\x1d"
"""Ctrl-]."""
_SLICE_PS = 10 * 10**9
_PS_PER_S = 10**12
_LOOK_S = 0.1
"""How often a thread that waits for keys looks whether the run is over."""
# After a pause this long (a debugger, a suspended terminal) lost time is not made up for.
_MOST_BEHIND_S = 0.5


def converse(
    device: Board,
    end_ps: int,
    until: bytes | None,
    send: Sequence[bytes],
    past_faults: bool,
    on_console: Callable[[str, bytes], None] | None,
) -> BoardRun:
    """Run a board at most as fast as real time, with the keyboard as its console's input, until Ctrl-]."""
    complain("Ctrl-] leaves")
    seen = b""
    with _raw_terminal() as keys:
        begun_s, begun_ps = time.monotonic(), device.time_ps
        while True:
            slice_ps = max(min(_SLICE_PS, end_ps - device.time_ps), 0)
            report = device.run(slice_ps, until=until, send=send, past_faults=past_faults, on_console=on_console)
            send = ()
            if report.reason not in ("time", "asleep") or device.time_ps >= end_ps:
                return report
            if until is None and report.reason == "asleep" and not keys:
                return report
            ahead_s = (device.time_ps - begun_ps) / _PS_PER_S - (time.monotonic() - begun_s)
            if ahead_s < -_MOST_BEHIND_S:
                begun_s, begun_ps = time.monotonic(), device.time_ps
            if report.reason == "asleep":
                ahead_s = 0.05
            seen = _read_keys(keys, max(ahead_s, 0.0))
            if LEAVE in seen:
                return report
            if seen:
                device.send(seen)


@contextmanager
def keyboard_of(device: Board) -> Iterator[None]:
    """Give the keyboard to a board that is served: a thread types what comes, until Ctrl-] ends the run."""
    complain("Ctrl-] leaves")
    over = Event()

    def read(keys: Sequence[int]) -> None:
        while not over.is_set():
            ready, _, _ = select.select(keys, [], [], _LOOK_S)
            seen = os.read(ready[0], 1024) if ready else b""
            if LEAVE in seen:
                device.send(seen[: seen.index(LEAVE)])
                device.leave()
                return
            if seen:
                device.send(seen)
            elif ready:
                return

    with _raw_terminal() as keys:
        reader = Thread(target=read, args=(keys,), daemon=True)
        reader.start()
        try:
            yield
        finally:
            over.set()
            reader.join()


def _read_keys(keys: Sequence[int], wait_s: float) -> bytes:
    """What was typed within a time."""
    if not keys:
        time.sleep(wait_s)
        return b""
    ready, _, _ = select.select(keys, [], [], wait_s)
    return os.read(ready[0], 1024) if ready else b""


@contextmanager
def _raw_terminal() -> Iterator[Sequence[int]]:
    """The keyboard, key by key; output stays as it is, so that line ends do what they do on a serial terminal."""
    if not sys.stdin.isatty():
        yield (sys.stdin.fileno(),)
        return
    import termios

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    raw = termios.tcgetattr(keyboard)
    raw[0] &= ~(termios.ICRNL | termios.IXON)
    raw[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
    termios.tcsetattr(keyboard, termios.TCSADRAIN, raw)
    try:
        yield (keyboard,)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
