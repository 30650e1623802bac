"""What goes over a board's wire, in lines: requests with their answers, connections, and a summary at the end.

The frames come as pcapng, from the recording that the core makes of the wire, so that looking at them changes nothing.
Times are the board's own.
"""

from __future__ import annotations

import struct
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median, quantiles

from airwire.explain.quantities import count, rough_time

_MOST_LINES = 20
"""In a second of the board's; more would be a wall."""
_METHODS = (b"GET ", b"HEAD ", b"POST ", b"PUT ", b"DELETE ", b"OPTIONS ", b"PATCH ")
_FRAME_BLOCK = 6
_BLOCK_HEAD = struct.Struct("<II")
_FRAME_HEAD = struct.Struct("<IIIII")
_PS_PER_TICK = 1000
_SECOND_PS = 10**12
_IPV4, _TCP = 0x0800, 6
_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_FOR_A_PERCENTILE = 20
_End = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment on the wire."""

    time_ps: int
    source: _End
    destination: _End
    sequence: int
    flags: int
    payload: bytes


@dataclass(slots=True)
class Connection:
    """A connection, from the first segment of the one who asked for it."""

    caller: _End
    called: _End
    expected: dict[_End, int] = field(default_factory=dict)
    asked: deque[tuple[int, str]] = field(default_factory=deque)
    requests: int = 0
    sent: Counter[_End] = field(default_factory=Counter)
    is_answered: bool = False


class WireLog:
    """Follows the wire; ``say`` takes each line."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._unread = b""
        self._open: dict[frozenset[_End], Connection] = {}
        self._second = -1
        self._in_second = 0
        self.connections = 0
        self.refused = 0
        self.requests = 0
        self.statuses: Counter[str] = Counter()
        self.answered_ps: list[int] = []
        self.bytes_each_way: Counter[str] = Counter()
        self.last_ps = 0
        """When the last frame was on the wire."""

    def feed(self, content: bytes) -> None:
        """Take more of the recording."""
        for time_ps, frame in self._frames(content):
            self.last_ps = time_ps
            segment = segment_of(time_ps, frame)
            if segment is not None:
                self._follow(segment)

    def end(self) -> None:
        """Say what was left out last."""
        self._turn(-1)

    def summary(self, seconds: float) -> Iterator[str]:
        """What was served, in at most three lines."""
        if not self.connections and not self.refused:
            yield "Nobody connected to the board."
            return
        refused = f", {count(self.refused, 'connection')} refused by the board" if self.refused else ""
        if not self.requests:
            yield f"{count(self.connections, 'connection')}{refused}; {self._amounts()}."
            return
        rate = f", {self.requests / seconds:.3g} requests/s" if seconds > 0 else ""
        on = count(self.connections, "connection")
        yield f"{count(self.requests, 'request')} on {on}{refused}{rate}; {self._amounts()}."
        statuses = ", ".join(f"{status} {count(number, 'time')}" for status, number in sorted(self.statuses.items()))
        yield f"Answers: {statuses or 'none'}{self._latencies()}."

    def _amounts(self) -> str:
        to, back = self.bytes_each_way["to"], self.bytes_each_way["from"]
        return f"{to} bytes to servers, {back} bytes from them"

    def _latencies(self) -> str:
        if not self.answered_ps:
            return ""
        said = f"; first byte after {rough_time(median(self.answered_ps))} at the median"
        if len(self.answered_ps) >= _FOR_A_PERCENTILE:
            said += f", {rough_time(quantiles(self.answered_ps, n=20, method='inclusive')[-1])} at p95"
        return said

    def _frames(self, content: bytes) -> Iterator[tuple[int, bytes]]:
        self._unread += content
        at = 0
        while len(self._unread) - at >= _BLOCK_HEAD.size:
            kind, length = _BLOCK_HEAD.unpack_from(self._unread, at)
            if len(self._unread) - at < length:
                break
            if kind == _FRAME_BLOCK:
                _, high, low, size, _ = _FRAME_HEAD.unpack_from(self._unread, at + _BLOCK_HEAD.size)
                begun = at + _BLOCK_HEAD.size + _FRAME_HEAD.size
                yield (high << 32 | low) * _PS_PER_TICK, self._unread[begun : begun + size]
            at += length
        self._unread = self._unread[at:]

    def _follow(self, segment: Segment) -> None:
        ends = frozenset((segment.source, segment.destination))
        if segment.flags & (_SYN | _ACK) == _SYN:
            known = self._open.get(ends)
            if known is None or known.is_answered:
                self._open[ends] = Connection(segment.source, segment.destination)
            return
        connection = self._open.get(ends)
        if connection is None:
            return
        if segment.flags & _RST:
            del self._open[ends]
            self._reset(connection, segment)
            return
        if not connection.is_answered:
            connection.is_answered = True
            self.connections += 1
        self._take(connection, segment)
        if segment.flags & _FIN and segment.source == connection.caller and not connection.requests:
            self._line(segment.time_ps, f"{_port(connection)} closed after {_exchanged(connection)}")

    def _reset(self, connection: Connection, segment: Segment) -> None:
        if not connection.is_answered:
            self.refused += 1
            self._line(segment.time_ps, f"{_port(connection)} refused: nobody listens there, or no socket is free")
        elif segment.source == connection.called:
            self._line(segment.time_ps, f"{_port(connection)} reset after {_exchanged(connection)}")

    def _take(self, connection: Connection, segment: Segment) -> None:
        """What a segment carries, once, however often it is sent."""
        size = len(segment.payload)
        expected = connection.expected.get(segment.source)
        if size == 0 or (expected is not None and (segment.sequence - expected) & 0x80000000):
            return
        connection.expected[segment.source] = (segment.sequence + size) & 0xFFFFFFFF
        connection.sent[segment.source] += size
        is_asked = segment.source == connection.caller
        self.bytes_each_way["to" if is_asked else "from"] += size
        if is_asked and segment.payload.startswith(_METHODS):
            connection.requests += 1
            self.requests += 1
            first = segment.payload.split(b"\r\n", 1)[0].decode("latin-1").rsplit(" ", 1)[0]
            connection.asked.append((segment.time_ps, "".join(sign if sign.isprintable() else "?" for sign in first)))
        elif not is_asked and connection.asked and segment.payload.startswith(b"HTTP/1."):
            begun, what = connection.asked.popleft()
            status = segment.payload[9:12].decode("latin-1")
            self.statuses[status] += 1
            self.answered_ps.append(segment.time_ps - begun)
            self._line(segment.time_ps, f"{what}: {status} after {rough_time(segment.time_ps - begun)}")

    def _line(self, time_ps: int, text: str) -> None:
        self._turn(time_ps // _SECOND_PS)
        self._in_second += 1
        if self._in_second <= _MOST_LINES:
            self._say(f"{time_ps / _SECOND_PS:9.3f} s  {text}")

    def _turn(self, second: int) -> None:
        if second != self._second:
            left_out = self._in_second - _MOST_LINES
            if left_out > 0:
                self._say(f"{'':9}    and {left_out} more in this second")
            self._second, self._in_second = second, 0


def segment_of(time_ps: int, frame: bytes) -> Segment | None:
    """A frame as a TCP segment over IPv4; ``None`` where it is something else."""
    if len(frame) < 54 or int.from_bytes(frame[12:14], "big") != _IPV4 or frame[23] != _TCP:
        return None
    packet = frame[14 : 14 + int.from_bytes(frame[16:18], "big")]
    head = 4 * (packet[0] & 15)
    segment = packet[head:]
    if len(segment) < 20:
        return None
    source, destination, sequence = struct.unpack_from(">HHI", segment)
    names = [".".join(map(str, packet[at : at + 4])) for at in (12, 16)]
    payload = segment[4 * (segment[12] >> 4) :]
    return Segment(time_ps, (names[0], source), (names[1], destination), sequence, segment[13], payload)


def _port(connection: Connection) -> str:
    return f"connection to port {connection.called[1]}"


def _exchanged(connection: Connection) -> str:
    return f"{connection.sent[connection.caller]} bytes there, {connection.sent[connection.called]} back"
