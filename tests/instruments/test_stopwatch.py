"""The stopwatch's image on a virtual board agrees with the edges that the simulation records at the pins.

The oracle never sees the stream: it is the recording of the pins of both boards.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from pico_bench import DELAY_PS, Bench, bench_of, latencies_ps, measured, seen_at, told_edges

from airwire import Board, SerialPort
from airwire.instruments.pico import Setup, Sweep, open_stream
from airwire.instruments.pico_stream import Channel, StreamError

CYCLE_PS = 8_000
AGREEMENT_PS = 16_000


@pytest.fixture(scope="session")
def images(firmware: Path) -> Path:
    folder = firmware / "pico"
    if not (folder / "stopwatch-usb.elf").is_file():
        pytest.skip("the stopwatch's image is not built: make firmware")
    return folder


def agreeing(bench: Bench, messages: int) -> None:
    """Every edge at the pins was told, in order, and latencies agree with those at either board's pins."""
    told, seen = told_edges(bench), bench.seen
    assert [edge[1:] for edge in told] == [edge[1:] for edge in seen]
    by_stopwatch, by_pins = latencies_ps(told), latencies_ps(seen)
    by_target = [latency + 2 * DELAY_PS for latency in latencies_ps(seen_at(bench.target))]
    assert len(by_stopwatch) == len(by_pins) == len(by_target) == messages
    assert len(set(by_pins)) > 25, "latencies that are all alike would prove little"
    for other in (by_pins, by_target):
        worst_ps = max(abs(one - another) for one, another in zip(by_stopwatch, other, strict=True))
        assert worst_ps <= AGREEMENT_PS
    assert bench.stopwatch.state is not None
    assert (bench.stopwatch.state.triggers, bench.stopwatch.state.late_triggers) == (messages, 0)


def test_latencies_agree_with_an_analyser_at_the_pins(images: Path) -> None:
    bench = bench_of(images, reply_us="3us", reply_spread_us="25us")
    measured(bench, Setup(period="100 us", jitter="3 us", seed=7, count=300, pulse="40 us"), edges=4 * 300)
    agreeing(bench, 300)


@pytest.mark.slow
def test_latencies_of_10000_messages_agree_with_an_analyser_at_the_pins(images: Path) -> None:
    bench = bench_of(images, reply_us="3us", reply_spread_us="25us")
    measured(bench, Setup(period="100 us", jitter="3 us", seed=7, count=10_000, pulse="40 us"), edges=4 * 10_000)
    agreeing(bench, 10_000)


def fast(images: Path, pulses: int) -> None:
    """Both channels on one pin's pulses, 50 000 edges a second in all."""
    board = Board("pico", images / "stopwatch-usb.elf", record=False)
    board.run("150 ms")
    device = board.usb_device
    assert device is not None
    # The numbers are those of any serial port of a Pico; the names tell it apart.
    assert (device.vendor_id, device.product_id) == (0x2E8A, 0x000A)
    assert (device.manufacturer, device.product) == ("Airwire", "Airwire stopwatch")
    stopwatch = open_stream(SerialPort(board, timeout_s=0.02))
    board.wire("GP2", "GP3")
    board._core.record()
    bench = Bench(board, board, None, stopwatch, [])  # type: ignore[arg-type]
    measured(bench, Setup(period="80 us", pulse="10 us", count=pulses), edges=4 * pulses)
    told, seen = told_edges(bench), bench.seen
    assert len(seen) == 4 * pulses
    assert [edge[1:] for edge in told] == [edge[1:] for edge in seen]
    first_ps = seen[0][0] - told[0][0]
    assert max(abs(one[0] + first_ps - another[0]) for one, another in zip(told, seen, strict=True)) <= CYCLE_PS


def test_no_edge_is_lost_at_50000_edges_a_second(images: Path) -> None:
    # DMA's second channel takes over after 67 ms, so that a shorter run would not meet that.
    fast(images, pulses=1300)


@pytest.mark.slow
def test_no_edge_is_lost_in_two_seconds_of_50000_edges_a_second(images: Path) -> None:
    fast(images, pulses=25_000)


def periods_ps(images: Path, setup: Setup, triggers: int) -> list[int]:
    """The periods of triggers, by the edges at the pin alone."""
    board = Board("pico", images / "stopwatch-usb.elf", record=False)
    board.run("150 ms")
    stopwatch = open_stream(SerialPort(board, timeout_s=0.02))
    board._core.record()
    bench = Bench(board, board, None, stopwatch, [])  # type: ignore[arg-type]
    measured(bench, setup, edges=2 * triggers)
    rises = [time_ps for time_ps, channel, level in bench.seen if channel == 0 and level]
    assert len(rises) == triggers
    return [after - before for before, after in pairwise(rises)]


def test_periods_are_fixed_or_jittered_or_swept_to_the_cycle(images: Path) -> None:
    assert set(periods_ps(images, Setup(period="50 us", count=40), 40)) == {50_000_000}
    jittered = periods_ps(images, Setup(period="50 us", jitter="10 us", seed=3, count=60), 60)
    assert all(50_000_000 <= period <= 60_000_000 and period % CYCLE_PS == 0 for period in jittered)
    assert len(set(jittered)) > 50 and max(jittered) > 58_000_000 and min(jittered) < 52_000_000
    assert jittered == periods_ps(images, Setup(period="50 us", jitter="10 us", seed=3, count=60), 60)
    assert jittered != periods_ps(images, Setup(period="50 us", jitter="10 us", seed=4, count=60), 60)
    swept = periods_ps(images, Setup(sweep=Sweep("40 us", "60 us", "5 us"), count=12), 12)
    assert swept == [period * 1_000_000 for period in (45, 50, 55, 60, 40, 45, 50, 55, 60, 40, 45)]


def levels_by_bit(edges: list[tuple[int, int, bool]], bits: int, bit_ps: int) -> list[bool]:
    """The levels in the middle of each bit after the first edge."""
    first_ps = edges[0][0]
    middles = [first_ps + bit_ps * bit + bit_ps // 2 for bit in range(bits)]
    return [[level for time_ps, _, level in edges if time_ps <= middle][-1] for middle in middles]


def test_a_trigger_is_a_byte_on_a_serial_line_or_a_low_rts(images: Path) -> None:
    board = Board("pico", images / "stopwatch-usb.elf", record=False)
    board.run("150 ms")
    stopwatch = open_stream(SerialPort(board, timeout_s=0.02))
    stopwatch.configure(Setup(trigger="uart", byte=0x53, baud=115_200, period="2 ms", count=1))
    board._core.record()
    bench = Bench(board, board, None, stopwatch, [])  # type: ignore[arg-type]
    measured(bench, Setup(trigger="uart", byte=0x53, baud=115_200, period="2 ms", count=1), edges=6)
    after_idle = [edge for edge in bench.seen if edge[1] == 0][1:]
    data = [bool(0x53 >> bit & 1) for bit in range(8)]
    assert levels_by_bit(after_idle, 10, 8_680_555) == [False, *data, True]
    assert board.pins["GP2"].level, "a line rests high after the run, too"
    measured(bench, Setup(trigger="rts", pulse="30 us", period="1 ms", count=2), edges=len(bench.told) + 4)
    assert [edge.level for edge in bench.told[-4:]] == [False, True, False, True]
    widths = [after.time_ps - before.time_ps for before, after in pairwise(bench.told[-4:])]
    assert widths == [30_000_000, 970_000_000, 30_000_000]


def test_what_the_stopwatch_cannot_do_is_refused_in_a_sentence(images: Path) -> None:
    board = Board("pico", images / "stopwatch-usb.elf", record=False)
    board.run("150 ms")
    stopwatch = open_stream(SerialPort(board, timeout_s=0.02))
    for setup, complaint in (
        (Setup(channels=[Channel("a", 2), Channel("b", 2)]), "two channels have one pin"),
        (Setup(channels=[Channel("a", 31)]), "a channel is name=pin"),
        (Setup(baud=5), "baud takes 300 to 10000000"),
        (Setup(count=-1), "count takes a number"),
    ):
        with pytest.raises(StreamError, match=f"^The stopwatch refuses '.*': {complaint}"):
            stopwatch.configure(setup)
    stopwatch.configure(Setup(period="15 us"))
    with pytest.raises(StreamError, match="the period is shorter than the trigger"):
        stopwatch.start()
    with pytest.raises(StreamError, match="whole nanoseconds"):
        stopwatch.configure(Setup(period="5 s"))
    stopwatch.configure(Setup(period="1 ms"))
    stopwatch.start()
    for command in ("count 3", "hello", "start"):
        with pytest.raises(StreamError, match="it runs; send stop first"):
            stopwatch.command(command)
    stopwatch.command("state")
    stopwatch.stop()


def test_edges_that_nobody_reads_in_time_are_told_as_lost(images: Path) -> None:
    """A bouncing line makes more edges than a stopwatch can follow: it says so and stops."""
    board = Board("pico", images / "stopwatch-usb.elf", record=False)
    board.run("150 ms")
    stopwatch = open_stream(SerialPort(board, timeout_s=0.02))
    stopwatch.configure(Setup(period="1 us", pulse="200 ns", count=0))
    stopwatch.start()
    with pytest.raises(StreamError, match=r"could not follow its pins|had to leave out \d+ edges"):
        for _ in range(200):
            stopwatch.read()
