"""A serial port at any two pins of a virtual board, whatever makes the characters there: a UART, PIO, or a loop.

The board's own consoles are those of its UARTs and of USB. Here characters are read out of edges, and written as
levels.
"""

from __future__ import annotations

from airwire import _core
from airwire.board.virtual import Board

PS_PER_S = 10**12
DATA_BITS = 8
LOWEST_BAUD, HIGHEST_BAUD = 300, 4_000_000


class SerialPins:
    """8 data bits, no parity, one stop bit, at any rate: ``SerialPins(board, listen="GP0", speak="GP1")``.

    ``listen`` is the pin at which the board sends, ``speak`` the one at which it listens.
    """

    def __init__(self, board: Board, *, listen: str | int, speak: str | int | None = None, baud: int = 115_200) -> None:
        if not LOWEST_BAUD <= baud <= HIGHEST_BAUD:
            raise _core.AirwireError(f"baud is {baud}, but it takes {LOWEST_BAUD} to {HIGHEST_BAUD}")
        self._board = board
        self._gpio = board.pins[listen].gpio
        self._speak = None if speak is None else board.pins[speak]
        self._baud = baud
        self._seen_ps = -1
        self._edges: list[tuple[int, bool]] = []
        self._received = bytearray()
        self.framing_errors = 0
        """Characters whose stop bit was low: the rate is another, or the pin carries something else."""
        if self._speak is not None:
            self._speak.drive(True)

    @property
    def received(self) -> bytes:
        """What the board has sent so far."""
        self._read()
        return bytes(self._received)

    @property
    def text(self) -> str:
        """The same as text."""
        return self.received.decode(errors="replace")

    def send(self, text: str | bytes) -> None:
        """Send to the board, which runs meanwhile."""
        if self._speak is None:
            raise _core.AirwireError("this serial port only listens; give it a pin to speak at")
        content = text.encode() if isinstance(text, str) else text
        start = self._board.time_ps
        for number, byte in enumerate(content):
            # A start bit, the bits of the byte from the lowest on, and a stop bit.
            for place, level in enumerate([False, *(bool(byte >> bit & 1) for bit in range(DATA_BITS)), True]):
                self._speak.drive(level)
                self._board.run(to=start + self._bits(number * (DATA_BITS + 2) + place + 1))

    def _bits(self, count: float) -> int:
        return round(count * PS_PER_S / self._baud)

    def _read(self) -> None:
        """Take up the edges since the last look, and the characters that are whole by now."""
        new = self._board.edges_by_gpio(after_ps=self._seen_ps, gpio=self._gpio)
        self._edges += [(time, level) for time, _, level in new]
        if self._edges:
            self._seen_ps = max(self._seen_ps, self._edges[-1][0])
        done = 0
        while (begin := self._next_start(done)) is not None:
            time = self._edges[begin][0]
            if time + self._bits(DATA_BITS + 1.5) > self._board.time_ps:
                break
            levels = [self._level_at(time + self._bits(place + 0.5), begin) for place in range(DATA_BITS + 2)]
            if levels[-1]:
                self._received.append(sum(level << bit for bit, level in enumerate(levels[1:-1])))
            else:
                self.framing_errors += 1
            stop = time + self._bits(DATA_BITS + 1.5)
            after = (place for place in range(begin, len(self._edges)) if self._edges[place][0] > stop)
            done = next(after, len(self._edges))
        del self._edges[:done]

    def _next_start(self, first: int) -> int | None:
        return next((place for place in range(first, len(self._edges)) if not self._edges[place][1]), None)

    def _level_at(self, time: int, first: int) -> bool:
        level = False
        for when, new in self._edges[first:]:
            if when > time:
                break
            level = new
        return level
