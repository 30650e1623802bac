"""A virtual board's serial port as a terminal of this computer, such as a Pico has at /dev/ttyACM0.

A program opens the terminal with pyserial and needs not know of any board. Virtual time passes while somebody has the
terminal open and reads what the board says: a board that nobody listens to waits.
"""

from __future__ import annotations

import os
import pty
import select
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager

from airwire import SerialPort

_LOOK_S = 0.02
_MOST_BYTES = 4096


@contextmanager
def terminal_of(port: SerialPort) -> Iterator[str]:
    """The terminal's name, while the block runs."""
    board_end, program_end = pty.openpty()
    tty.setraw(program_end)
    is_over = threading.Event()
    failures: list[BaseException] = []

    def carry() -> None:
        try:
            _carry(board_end, port, is_over)
        except BaseException as error:
            failures.append(error)

    carrier = threading.Thread(target=carry)
    carrier.start()
    try:
        yield os.ttyname(program_end)
    finally:
        is_over.set()
        carrier.join()
        os.close(program_end)
        os.close(board_end)
    if failures:
        raise failures[0]


def _carry(board_end: int, port: SerialPort, is_over: threading.Event) -> None:
    waiting = b""
    is_open = False
    while not is_over.is_set():
        ready, writable, _ = select.select([board_end], [board_end] if waiting else [], [], 0 if is_open else _LOOK_S)
        if ready:
            port.write(os.read(board_end, _MOST_BYTES))
            is_open = True
        if writable:
            waiting = waiting[os.write(board_end, waiting[:_MOST_BYTES]) :]
        if is_open and not waiting:
            waiting = port.read(_MOST_BYTES)
