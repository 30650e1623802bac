"""The stream of the stopwatch on a Pico (docs/reference/stopwatch.md): bytes in, header and edges out.

A :class:`Decoder` is fed with whatever a port gave, and keeps what it understood. It does no input or output itself.
Every block has a number and a checksum, every edge has a number: what got lost on the way is an error, never a gap.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from struct import Struct
from typing import Final

from airwire._core import AirwireError

VERSION: Final = 1
SYNC: Final = b"\xa7\x57"
PS_PER_S: Final = 10**12
MOST_PAYLOAD_BYTES: Final = 240
CONDITIONS: Final = ("idle", "runs", "overrun", "stalled")

_FRAME = Struct("<2sBcHH")
_CHECKSUM = Struct("<I")
_HEADER = Struct("<IB")
_EDGES = Struct("<QIBBH")
_RECORD = Struct("<I")
_STATE = Struct("<QIIIBB")
_LOST: Final = 1
_CHANNEL_MASK: Final = 3
_LEVEL_BIT: Final = 1 << 2
_DELTA_SHIFT: Final = 3
_SEQUENCES: Final = 1 << 16


class StreamError(AirwireError):
    """The stream is none of a stopwatch, or something in it is lost; one sentence."""


@dataclass(frozen=True)
class Channel:
    """A channel: its place among the others is its number in the records."""

    name: str
    pin: int


@dataclass(frozen=True)
class Header:
    """What the counts of the stream are of."""

    clock_hz: int
    channels: tuple[Channel, ...]

    def time_ps(self, count: int) -> int:
        """The time of a count, from the beginning of the run."""
        return count * PS_PER_S // self.clock_hz


@dataclass(frozen=True)
class Edge:
    """A channel has another level from this time on."""

    channel: int
    level: bool
    time_ps: int


@dataclass(frozen=True)
class State:
    """How far the stopwatch is: every edge before ``time_ps`` was told."""

    time_ps: int
    edges: int
    triggers: int
    late_triggers: int
    condition: str
    levels: int


@dataclass(frozen=True)
class Answer:
    """What a command was answered with; a complaint is a sentence without its full stop."""

    complaint: str | None


class Decoder:
    """Bytes of the stream into what they say. ``edges`` and ``answers`` grow; whoever reads them may clear them."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.state: State | None = None
        self.edges: list[Edge] = []
        self.answers: list[Answer] = []
        self.start_levels: int | None = None
        """The levels at the beginning of the run, a bit for each channel, once they are known."""
        self.known_to_ps = 0
        """Nothing before this time of the run is still to come."""
        self._bytes = bytearray()
        self._taken = 0
        self._sequence: int | None = None
        self._next_edge = 0
        self._levels: int | None = None

    def feed(self, data: bytes) -> None:
        """Take more bytes, in pieces of any size.

        Raises ``StreamError`` at the first that cannot be; what was understood before it stays.
        """
        self._bytes += data
        while (size := self._block_bytes()) is not None and len(self._bytes) >= size:
            block = bytes(self._bytes[:size])
            self._check(block)
            del self._bytes[:size]
            self._take(block)
            self._taken += size

    def _block_bytes(self) -> int | None:
        """How long the next block is, once its frame is there. What cannot be a frame is refused at its first byte."""
        if not SYNC.startswith(self._bytes[: len(SYNC)]):
            raise StreamError(self._foreign())
        if len(self._bytes) > len(SYNC) and self._bytes[len(SYNC)] != VERSION:
            version = self._bytes[len(SYNC)]
            raise StreamError(
                f"The stopwatch speaks version {version} of its stream, and this Airwire knows version {VERSION}; "
                "install the firmware and the Airwire of one release."
            )
        if len(self._bytes) < _FRAME.size:
            return None
        _, _, _, payload_bytes, _ = _FRAME.unpack_from(self._bytes)
        if payload_bytes > MOST_PAYLOAD_BYTES:
            raise StreamError(
                self._garbled(f"a block claims {payload_bytes} bytes, and {MOST_PAYLOAD_BYTES} is the most")
            )
        return _FRAME.size + int(payload_bytes) + _CHECKSUM.size

    def _foreign(self) -> str:
        if self._taken:
            return self._garbled("no block begins here")
        return (
            f"This is no stopwatch's stream: it begins with {bytes(self._bytes[:4]).hex(' ')}, a stopwatch's with "
            f"{SYNC.hex(' ')}; look whether the port is the Pico's and the firmware is stopwatch-usb."
        )

    def _garbled(self, what: str) -> str:
        return (
            f"The stopwatch's stream is garbled at byte {self._taken}: {what}; something else reads from the port, "
            "or the cable is bad."
        )

    def _check(self, block: bytes) -> None:
        (checksum,) = _CHECKSUM.unpack_from(block, len(block) - _CHECKSUM.size)
        if zlib.crc32(block[: -_CHECKSUM.size]) != checksum:
            raise StreamError(self._garbled("the checksum of a block is wrong"))
        *_, sequence = _FRAME.unpack_from(block)
        if self._sequence is not None and sequence != self._sequence:
            missing = (sequence - self._sequence) % _SEQUENCES
            raise StreamError(
                f"{missing} blocks of the stopwatch's stream are missing before byte {self._taken}, with the edges in "
                "them; read the port without a pause, and let nothing else read it."
            )
        self._sequence = (sequence + 1) % _SEQUENCES

    def _take(self, block: bytes) -> None:
        kind, payload = block[3:4], block[_FRAME.size : -_CHECKSUM.size]
        takes = {b"H": self._take_header, b"A": self._take_answer, b"E": self._take_edges, b"S": self._take_state}
        if kind not in takes:
            raise StreamError(self._garbled(f"there are no blocks of kind {kind!r}"))
        takes[kind](payload)

    def _take_header(self, payload: bytes) -> None:
        clock_hz, count = self._unpack(_HEADER, payload)
        channels, at = [], _HEADER.size
        for _ in range(count):
            pin, name_bytes = payload[at : at + 2] if at + 2 <= len(payload) else (0, MOST_PAYLOAD_BYTES)
            name = payload[at + 2 : at + 2 + name_bytes]
            if len(name) != name_bytes:
                raise StreamError(self._garbled("the header ends within its channels"))
            channels.append(Channel(name.decode("ascii", "replace"), pin))
            at += 2 + name_bytes
        if clock_hz == 0 or not 1 <= count <= _CHANNEL_MASK + 1:
            raise StreamError(self._garbled(f"the header has {count} channels and a clock of {clock_hz} Hz"))
        self.header = Header(clock_hz, tuple(channels))
        self._next_edge = 0
        self._levels = self.start_levels = None
        self.known_to_ps = 0

    def _take_answer(self, payload: bytes) -> None:
        if not payload:
            raise StreamError(self._garbled("an answer is empty"))
        self.answers.append(Answer(payload[1:].decode("ascii", "replace") if payload[0] else None))

    def _take_edges(self, payload: bytes) -> None:
        header = self._known_header()
        count, first, levels, flags, _ = self._unpack(_EDGES, payload)
        if first != self._next_edge or flags & _LOST:
            raise StreamError(
                f"The stopwatch had to leave out {(first - self._next_edge) % (1 << 32)} edges after edge "
                f"{self._next_edge}, because nobody read them in time; read the port without a pause, or trigger less "
                "often."
            )
        if self._levels not in (None, levels) or (len(payload) - _EDGES.size) % _RECORD.size:
            raise StreamError(self._garbled(f"the edges from {first} on do not follow from those before"))
        if first == 0:
            self.start_levels = levels
        for (record,) in _RECORD.iter_unpack(payload[_EDGES.size :]):
            channel, level = record & _CHANNEL_MASK, bool(record & _LEVEL_BIT)
            if channel >= len(header.channels) or bool(levels >> channel & 1) == level:
                raise StreamError(self._garbled(f"edge {self._next_edge} is none of its channel's"))
            count += record >> _DELTA_SHIFT
            levels ^= 1 << channel
            self.edges.append(Edge(channel, level, header.time_ps(count)))
            self._next_edge += 1
            self.known_to_ps = self.edges[-1].time_ps
        self._levels = levels

    def _take_state(self, payload: bytes) -> None:
        count, edges, triggers, late, condition, levels = self._unpack(_STATE, payload)
        if condition >= len(CONDITIONS):
            raise StreamError(self._garbled(f"there is no condition {condition}"))
        time_ps = self._known_header().time_ps(count)
        self.state = State(time_ps, edges, triggers, late, CONDITIONS[condition], levels)
        if edges == 0:
            self.start_levels = levels
        if edges == self._next_edge:
            self.known_to_ps = time_ps
        if CONDITIONS[condition] in ("overrun", "stalled"):
            raise StreamError(
                f"The stopwatch could not follow its pins and stopped ({CONDITIONS[condition]}): edges after edge "
                f"{self._next_edge} are lost; trigger less often, or take fewer channels."
            )

    def _known_header(self) -> Header:
        if self.header is None:
            raise StreamError(self._garbled("edges come before a header"))
        return self.header

    def _unpack(self, layout: Struct, payload: bytes) -> tuple[int, ...]:
        if len(payload) < layout.size:
            raise StreamError(self._garbled("a block is too short"))
        return tuple(layout.unpack_from(payload))
