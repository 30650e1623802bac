"""Two virtual boards with wires between their pins, and a board's serial port as a program on a PC has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from airwire import _core
from airwire.board.model import BoardRun
from airwire.board.virtual import Board, Console, end_of_run, run_of
from airwire.values import Time, check_kind, picoseconds, time_from

_LONGEST_S = 86_400
"""Of virtual time that a read waits."""

Side = Literal["first", "second"]


@dataclass(frozen=True)
class PinWire:
    """A wire from a pin of one board, whose level it takes, to a pin of the other, which it drives ``delay`` later."""

    of: Side
    """Whose pin the wire begins at."""
    pin: str | int
    to: str | int
    delay: Time | None = None
    """2 us where it is not given, 1 us at the least: boards run in turns of half of it."""


@dataclass(frozen=True)
class SerialLine:
    """A serial line from a pin of one board to the receiving pin of a UART of the other, without a delay.

    A plain wire moves a pin, and no UART reads its pin bit by bit: a line ends at one.
    """

    of: Side
    """Whose pin the line begins at."""
    pin: str | int
    to: str | int


class WiredBoards:
    """Two boards that run together, with wires and serial lines between their pins.

    An edge arrives exactly so much later as its wire's delay says, and the same again with every run. From here on
    the boards are run by :meth:`run` only. Raises ``AirwireError`` where a wire cannot be like that.
    """

    def __init__(self, first: Board, second: Board, wires: Sequence[PinWire | SerialLine]) -> None:
        self.first = first
        self.second = second
        asked = [
            (
                wire.of == "second",
                str(wire.pin),
                str(wire.to),
                None if wire.delay is None else picoseconds(wire.delay),
            )
            for wire in wires
            if isinstance(wire, PinWire)
        ]
        lines = [(line.of == "second", str(line.pin), str(line.to)) for line in wires if isinstance(line, SerialLine)]
        self._core = _core.WiredBoards(first._core, second._core, asked, lines)

    @property
    def time_ps(self) -> int:
        """The virtual time up to which both have run."""
        return self._core.now_ps

    def run(self, for_: Time) -> tuple[BoardRun, BoardRun]:
        """Run both for a time; a fault of one of them ends the run of both."""
        first, second = self._core.run(end_of_run(self.time_ps, for_))
        return run_of(first), run_of(second)


class SerialPort:
    """A board's serial port, as ``serial.Serial`` of pyserial has one: what reads from it lets the board run.

    ``run`` lets time pass, ``board.run`` or that of :class:`WiredBoards`; ``timeout_s`` is how long a read waits, in
    virtual time, and ``step`` how much of it passes between two looks.
    """

    def __init__(
        self,
        board: Board,
        run: Callable[[Time], Any] | None = None,
        *,
        console: Console = "usb",
        timeout_s: float = 0.1,
        step: Time = "1 ms",
    ) -> None:
        check_kind("board", board, Board, "airwire.Board")
        self._board = board
        self._run = board.run if run is None else run
        self._console = console
        step_ps = time_from("step", step)
        if step_ps is None:
            raise _core.AirwireError("step is None, but it takes a time such as '1 ms'")
        is_number = isinstance(timeout_s, int | float) and not isinstance(timeout_s, bool)
        if not is_number or not 0 <= timeout_s <= _LONGEST_S:
            raise _core.AirwireError(
                f"timeout_s is {timeout_s!r}, but it takes seconds from 0 to {_LONGEST_S}, such as 0.1"
            )
        self._step_ps = step_ps
        self._steps = max(1, round(timeout_s * 10**12 / step_ps))
        self._taken = 0

    def write(self, content: bytes) -> int:
        """Type at the port."""
        self._board.send(content, self._console)
        return len(content)

    def read(self, size: int = 1) -> bytes:
        """At most ``size`` bytes; fewer, or none, where the time is over before more are there."""
        for _ in range(self._steps):
            if content := self._board._core.console(self._console, self._taken)[:size]:
                self._taken += len(content)
                return content
            self._run(self._step_ps)
        return b""
