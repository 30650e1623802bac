"""The decoder of the stopwatch's stream: what is whole is understood in pieces of any size, and what is not is told.

Blocks are written here as docs/reference/stopwatch.md describes them, by hand.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterable

import pytest

from airwire.instruments.pico import Setup, open_stream
from airwire.instruments.pico_stream import Answer, Channel, Decoder, Edge, Header, StreamError

CLOCK_HZ = 125_000_000
CYCLE_PS = 8_000
HEADER = struct.pack("<IB", CLOCK_HZ, 2) + b"\x02\x07trigger" + b"\x03\x04done"


class Writer:
    """Blocks with numbers that go up from a first one."""

    def __init__(self, sequence: int = 65_535) -> None:
        self.sequence = sequence

    def block(self, kind: bytes, payload: bytes, version: int = 1) -> bytes:
        frame = b"\xa7\x57" + bytes([version]) + kind + struct.pack("<HH", len(payload), self.sequence % 65_536)
        self.sequence += 1
        return frame + payload + struct.pack("<I", zlib.crc32(frame + payload))

    def edges(
        self, first: int, count: int, levels: int, records: Iterable[tuple[int, bool, int]], flags: int = 0
    ) -> bytes:
        words = b"".join(struct.pack("<I", delta << 3 | level << 2 | channel) for channel, level, delta in records)
        return self.block(b"E", struct.pack("<QIBBH", count, first, levels, flags, 0) + words)

    def state(self, condition: int = 1) -> bytes:
        return self.block(b"S", struct.pack("<QIIIBB", 1_000, 4, 1, 0, condition, 0))


def stream() -> bytes:
    """A run of four edges in two blocks, the second after more than 32 bits of cycles."""
    writer = Writer()
    late = 2**40
    return (
        writer.block(b"A", b"\0")
        + writer.block(b"H", HEADER)
        + writer.edges(0, 100, 0b00, [(0, True, 0), (1, True, 25)])
        + writer.edges(2, late, 0b11, [(0, False, 0), (1, False, 0)])
        + writer.state()
    )


def decoded(content: bytes, piece: int = 1 << 20) -> Decoder:
    decoder = Decoder()
    for at in range(0, len(content), piece):
        decoder.feed(content[at : at + piece])
    return decoder


@pytest.mark.parametrize("piece", [1, 3, 64, 10_000])
def test_a_stream_is_the_same_in_pieces_of_any_size(piece: int) -> None:
    decoder = decoded(stream(), piece)
    assert decoder.header == Header(CLOCK_HZ, (Channel("trigger", 2), Channel("done", 3)))
    assert decoder.answers == [Answer(None)]
    late_ps = 2**40 * CYCLE_PS
    assert decoder.edges == [
        Edge(0, True, 100 * CYCLE_PS),
        Edge(1, True, 125 * CYCLE_PS),
        Edge(0, False, late_ps),
        Edge(1, False, late_ps),
    ]
    assert decoder.state is not None and (decoder.state.condition, decoder.state.time_ps) == ("runs", 8_000_000)


def test_the_levels_at_the_start_and_how_far_the_run_is_known_are_told_without_edges() -> None:
    writer = Writer()
    decoder = decoded(writer.block(b"H", HEADER))
    assert (decoder.start_levels, decoder.known_to_ps) == (None, 0)
    decoder.feed(writer.block(b"S", struct.pack("<QIIIBB", 500, 0, 0, 0, 1, 0b10)))
    assert (decoder.start_levels, decoder.known_to_ps) == (0b10, 500 * CYCLE_PS)
    # Of an edge that was found and not sent yet nothing is known.
    decoder.feed(writer.block(b"S", struct.pack("<QIIIBB", 900, 1, 0, 0, 1, 0b11)))
    assert (decoder.start_levels, decoder.known_to_ps) == (0b10, 500 * CYCLE_PS)
    decoder.feed(writer.edges(0, 800, 0b10, [(0, True, 0)]))
    assert (decoder.start_levels, decoder.known_to_ps) == (0b10, 800 * CYCLE_PS)
    assert decoded(stream()).start_levels == 0


def test_times_are_no_multiples_of_a_rounded_cycle() -> None:
    assert Header(133_000_000, ()).time_ps(133_000_000 * 3600) == 3600 * 10**12


def test_every_changed_byte_is_noticed_or_left_out_with_its_block() -> None:
    content = stream()
    chance = random.Random(5)
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= chance.randrange(1, 256)
        decoder = Decoder()
        try:
            decoder.feed(bytes(changed))
        except StreamError as error:
            assert str(error).endswith(".") and "\n" not in str(error)
        else:
            # A length that grew: the block is not whole yet.
            assert len(decoder.edges) < 4 or decoder.state is None


def test_every_lost_block_of_edges_is_noticed() -> None:
    writer = Writer(7)
    blocks = [writer.block(b"H", HEADER)]
    blocks += [writer.edges(at, 100 + at, at % 2, [(0, at % 2 == 0, 0)]) for at in range(5)]
    blocks.append(writer.state())
    assert len(decoded(b"".join(blocks)).edges) == 5
    for lost in range(1, 6):
        with pytest.raises(StreamError, match=r"^1 blocks of the stopwatch's stream are missing before byte \d+"):
            decoded(b"".join(blocks[:lost] + blocks[lost + 1 :]))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"MicroPython v1.24", "This is no stopwatch's stream: it begins with 4d 69 63 72"),
        (b"\xa7", None),
        (b"\xa7\x58", "This is no stopwatch's stream"),
        (b"\xa7\x57\x02", "speaks version 2 of its stream, and this Airwire knows version 1"),
        (stream() + b"ok\n", r"garbled at byte \d+: no block begins here"),
        (b"\xa7\x57\x01E\xff\xff\0\0", "a block claims 65535 bytes"),
        (Writer().block(b"Z", b""), "there are no blocks of kind"),
        (Writer().block(b"H", b"\0"), "a block is too short"),
        (Writer().block(b"H", struct.pack("<IB", CLOCK_HZ, 2) + b"\x02\x07tr"), "the header ends within its channels"),
        (Writer().block(b"H", struct.pack("<IB", 0, 1) + b"\x02\x00"), "1 channels and a clock of 0 Hz"),
        (Writer().block(b"A", b""), "an answer is empty"),
        (Writer().edges(0, 0, 0, []), "edges come before a header"),
    ],
)
def test_what_is_no_stream_is_refused_in_a_sentence(content: bytes, sentence: str | None) -> None:
    if sentence is None:
        decoded(content)
        return
    with pytest.raises(StreamError, match=sentence):
        decoded(content)


@pytest.mark.parametrize(
    ("first", "levels", "records", "flags", "sentence"),
    [
        (3, 0b01, [(0, False, 0)], 0, "had to leave out 2 edges after edge 1,"),
        (1, 0b01, [(0, False, 0)], 1, "had to leave out 0 edges after edge 1,"),
        (1, 0b00, [(0, True, 0)], 0, "the edges from 1 on do not follow"),
        (1, 0b01, [(0, True, 0)], 0, "edge 1 is none of its channel's"),
        (1, 0b01, [(2, True, 0)], 0, "edge 1 is none of its channel's"),
    ],
)
def test_edges_that_do_not_follow_are_refused_and_those_before_stay(
    first: int, levels: int, records: list[tuple[int, bool, int]], flags: int, sentence: str
) -> None:
    writer = Writer()
    decoder = decoded(writer.block(b"H", HEADER) + writer.edges(0, 5, 0, [(0, True, 0)]))
    with pytest.raises(StreamError, match=sentence):
        decoder.feed(writer.edges(first, 9, levels, records, flags))
    assert decoder.edges == [Edge(0, True, 40_000)]


@pytest.mark.parametrize(("condition", "name"), [(2, "overrun"), (3, "stalled")])
def test_a_stopwatch_that_could_not_follow_is_an_error(condition: int, name: str) -> None:
    writer = Writer()
    with pytest.raises(
        StreamError, match=rf"could not follow its pins and stopped \({name}\): edges after edge 0 are lost"
    ):
        decoded(writer.block(b"H", HEADER) + writer.state(condition))


class Silence:
    """A port at which nobody is."""

    def read(self, _size: int) -> bytes:
        return b""

    def write(self, _content: bytes) -> None:
        pass


class Chatter(Silence):
    """A port at which somebody never stops."""

    def read(self, size: int) -> bytes:
        return b"x" * size


def test_a_port_without_a_stopwatch_is_told_in_bounded_time() -> None:
    with pytest.raises(StreamError, match="Nothing at the port answers to 'hello'"):
        open_stream(Silence())
    with pytest.raises(StreamError, match="goes on talking when a stopwatch would stop"):
        open_stream(Chatter())


def test_times_that_a_stopwatch_cannot_be_told_are_refused() -> None:
    for setup in (Setup(period=1_500), Setup(pulse="5 s"), Setup(jitter=-1000)):
        with pytest.raises(StreamError, match="takes whole nanoseconds, 4294967295 at the most"):
            setup.commands()
    assert Setup(period="1 ms").commands()[2:4] == ["period 1000000", "jitter 0 1"]
