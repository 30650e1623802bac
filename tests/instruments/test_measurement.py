"""Any instrument behind the interface: what is streamed, counted, kept and cut, with one of the tests' own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from airwire import analyze
from airwire.instruments import catalogue
from airwire.instruments.base import (
    Change,
    Chunk,
    Instrument,
    InstrumentError,
    InstrumentGoneError,
    Wanted,
    without_gap,
)
from airwire.instruments.measurement import measure
from airwire.instruments.recording import Pairs
from airwire.instruments.vcd_stream import VcdStream

HEADER = (
    b"$comment\n  Acquisition with 2/8 channels at 3 MHz\n$end\n$timescale 1 ns $end\n$scope module libsigrok $end\n"
    b'$var wire 1 ! A $end\n$var wire 1 " B $end\n$upscope $end\n$enddefinitions $end\n'
)


class Scripted(Instrument):
    """Tells changes chunk by chunk; its place says how many messages, and whether it goes away then."""

    def start(self) -> None:
        count, _, then = self.place.partition(",")
        self.left = [
            Chunk(
                [
                    Change(n * 1000, False, False),
                    Change(n * 1000 + 10, True, False),
                    Change(n * 1000 + 60, False, True),
                ],
                0,
            )
            for n in range(int(count))
        ]
        self.goes_away = then == "gone"
        self.stops = 0

    def read(self, timeout_s: float) -> Chunk | None:
        if self.left:
            return self.left.pop(0)
        if self.goes_away:
            raise InstrumentGoneError("it was unplugged; plug it in again")
        return None

    def stop(self) -> Sequence[Chunk]:
        self.stops += 1
        return ()


def test_a_third_instrument_is_a_line_in_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = catalogue.Kind("scripted", "COUNT", __name__, "Scripted", "for a test")
    monkeypatch.setattr(catalogue, "KINDS", (*catalogue.KINDS, line))
    instrument = catalogue.open_instrument("scripted:7,gone", Wanted("A", "B"))
    measured = measure(instrument, tmp_path / "a.csv", samples=100, limit_ps=10**12, count=lambda _file: 0)
    assert (measured.ending, str(measured.error)) == ("gone", "it was unplugged; plug it in again")
    assert measured.pairs.paired == 7 and isinstance(instrument, Scripted) and instrument.stops > 0
    (capture,) = analyze(tmp_path / "a.csv", trigger="A", done="B").captures
    assert capture.samples["latency_ps"].to_list() == [50] * 7


def test_pairs_that_are_none_to_the_analysis_are_not_enough(tmp_path: Path) -> None:
    counted: list[int] = []

    def count(file: Path) -> int:
        counted.append(file.read_text().count("\n"))
        return len(counted) * 10

    measured = measure(Scripted("1000", Wanted("A", "B")), tmp_path / "a.vcd", samples=30, limit_ps=10**12, count=count)
    assert (measured.ending, len(counted)) == ("enough", 3)
    assert counted == sorted(set(counted)), "each time there is more to count in"


def test_an_instrument_that_tells_nothing_leaves_no_file(tmp_path: Path) -> None:
    measured = measure(Scripted("0", Wanted("A", "B")), tmp_path / "a.csv", samples=1, limit_ps=10**12, count=len)  # type: ignore[arg-type]
    assert measured.capture is None and list(tmp_path.iterdir()) == []
    with pytest.raises(InstrumentError, match="it was unplugged"):
        measure(Scripted("0,gone", Wanted("A", "B")), tmp_path / "a.csv", samples=1, limit_ps=10**12, count=len)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 10_000])
def test_a_dump_gives_the_same_changes_however_it_is_cut(block_bytes: int) -> None:
    text = HEADER + b'#0 0! 0"\n#333 1!\n#667 0! 1"\n#1000000 x!\n#2000000 0"\n#2000333\n'
    stream = VcdStream("B", "A")
    blocks = [text[at : at + block_bytes] for at in range(0, len(text), block_bytes)]
    changes = [change for block in blocks for change in stream.feed(block)]
    # The second and third sample of 3 MHz, to the picosecond, and not the nanoseconds of the dump.
    assert changes == [
        Change(0, False, False),
        Change(333_333, False, True),
        Change(666_666, True, False),
        Change(2_000_000_000, False, False),
    ]
    assert (stream.rate_hz, stream.end_ps) == (3_000_000, 2_000_333_333)


def test_what_is_no_dump_is_refused() -> None:
    with pytest.raises(InstrumentError, match="tells nothing of a channel C; its channels are A, B"):
        VcdStream("A", "C").feed(HEADER)
    with pytest.raises(InstrumentError, match="sigrok-cli writes no value change dump"):
        VcdStream("A", "B").feed(b"0" * (1 << 21))


def piece(*rows: tuple[int, int, int]) -> list[Change]:
    return [Change(time, bool(trigger), bool(done)) for time, trigger, done in rows]


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        # A whole message stays, and what began before the piece goes: done that was high, a trigger that was high.
        (
            [(0, 0, 0), (5, 1, 0), (6, 0, 0), (8, 0, 1), (9, 0, 0)],
            [(0, 0, 0), (5, 1, 0), (6, 0, 0), (8, 0, 1), (9, 0, 0)],
        ),
        ([(0, 0, 1), (2, 0, 0), (5, 1, 0), (8, 1, 1)], [(2, 0, 0), (5, 1, 0), (8, 1, 1), (99, 0, 0)]),
        (
            [(0, 1, 0), (1, 0, 0), (2, 0, 1), (3, 0, 0), (5, 1, 0), (8, 0, 1)],
            [(3, 0, 0), (5, 1, 0), (8, 0, 1), (99, 0, 0)],
        ),
        # The last trigger has no done edge yet, and one may lie in the gap.
        ([(0, 0, 0), (5, 1, 0), (8, 0, 1), (9, 0, 0), (20, 1, 0)], [(0, 0, 0), (5, 1, 0), (8, 0, 1), (9, 0, 0)]),
        ([(0, 0, 0), (5, 1, 0), (8, 0, 1), (20, 1, 1)], [(0, 0, 0), (5, 1, 0), (8, 0, 1), (20, 0, 0)]),
        ([(0, 0, 0), (5, 1, 0)], [(0, 0, 0)]),
        ([(0, 0, 1), (5, 1, 1)], []),
        ([], []),
    ],
)
def test_a_piece_is_cut_so_that_no_message_is_taken_apart(
    rows: list[tuple[int, int, int]], kept: list[tuple[int, int, int]]
) -> None:
    assert without_gap(piece(*rows), 99) == piece(*kept)


def test_pairs_are_counted_as_the_strict_rule_does() -> None:
    pairs = Pairs()
    pairs.add(piece((0, 0, 0), (1, 1, 0), (5, 1, 1), (6, 0, 0), (10, 1, 1), (12, 0, 0)))
    # In the next chunk: a trigger that is lost, a trigger with two done edges, and one while done is high.
    pairs.add(piece((20, 1, 0), (21, 0, 0), (30, 1, 0), (37, 0, 1), (38, 0, 0), (39, 0, 1), (40, 1, 1)))
    assert (pairs.triggers, pairs.dones, pairs.paired) == (5, 4, 2)
    assert list(pairs.latency_ps) == [4, 7] and pairs.percentiles(0.0, 1.0) == [4, 7]
