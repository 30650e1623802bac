"""The stopwatch's image on a virtual board as an instrument of the commands: they open its port as they would a Pico's.

The oracle is the recording of the pins of the board that is measured.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pico_bench import DELAY_PS, Bench, bench_of, latencies_ps, measured, seen_at, told_edges
from pico_terminal import terminal_of

import airwire as package
from airwire import Board, PinWire, SerialLine, SerialPort, WiredBoards
from airwire.instruments.base import Wanted
from airwire.instruments.pico import Setup, open_stream
from airwire.live.feed import Feed
from airwire.live.instrument import InstrumentSource
from artefacts import NO_COMPILER, built_images

pytest.importorskip("serial", reason="pyserial is not installed")

SAMPLES = 400
AGREEMENT_PS = 16_000


@pytest.fixture(scope="session")
def images(firmware: Path) -> Path:
    folder = firmware / "pico"
    if not (folder / "stopwatch-usb.elf").is_file():
        pytest.skip("the stopwatch's image is not built: make firmware")
    return folder


@pytest.fixture(scope="session")
def test_images() -> Path:
    folder = built_images()
    if folder is None:
        pytest.skip(NO_COMPILER)
    return folder


@pytest.mark.slow
def test_a_capture_with_the_stopwatch_agrees_with_an_analyser_at_the_boards_pins(
    images: Path, airwire: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    bench = bench_of(images, reply_us="3us", reply_spread_us="25us")
    with terminal_of(SerialPort(bench.stopwatch_board, bench.boards.run, timeout_s=0.002)) as terminal:
        made = airwire(
            *("capture", "--instrument", f"pico:{terminal},period=200us,jitter=30us,pulse=40us"),
            *("--trigger", "D0", "--done", "D1", "--samples", str(SAMPLES), "--out", "a.csv", "--limit", "100s"),
            "--json",
        )
    assert made.returncode == 0, made.stderr
    content = json.loads(made.stdout)
    assert (content["ended"], content["sample_rate_hz"]) == ("enough", 125_000_000)
    frame = package.analyze(tmp_path / "a.csv", trigger="D0", done="D1").captures[0].samples
    told = frame.filter(frame["outcome"] == "paired")["latency_ps"].to_list()
    seen = [latency + 2 * DELAY_PS for latency in latencies_ps(seen_at(bench.target))]
    assert SAMPLES <= len(told) <= len(seen)
    assert len(set(told)) > 25, "latencies that are all alike would prove little"
    assert max(abs(one - another) for one, another in zip(told, seen, strict=False)) <= AGREEMENT_PS


@pytest.mark.slow
def test_the_live_view_has_the_stopwatchs_pairs_while_it_runs(images: Path, tmp_path: Path) -> None:
    bench = bench_of(images, reply_us="3us", reply_spread_us="25us")
    with terminal_of(SerialPort(bench.stopwatch_board, bench.boards.run, timeout_s=0.002)) as terminal:
        place = f"pico:{terminal},period=200us,jitter=30us,pulse=40us"
        feed = Feed("stopwatch", tmp_path)
        source = InstrumentSource(place, Wanted("D0", "D1"), tmp_path, samples=SAMPLES)
        assert source.run(feed).endswith(f" pairs in {tmp_path / 'capture.csv'}")
    (series,) = feed.all_series
    seen = [latency + 2 * DELAY_PS for latency in latencies_ps(seen_at(bench.target))]
    told = [int(ps) for ps in series.read(0, len(series))[1]]
    assert SAMPLES <= len(told) <= len(seen)
    assert max(abs(one - another) for one, another in zip(told, seen, strict=False)) <= AGREEMENT_PS


@pytest.mark.slow
def test_a_byte_on_a_serial_line_triggers_the_uart_of_another_board(images: Path, test_images: Path) -> None:
    stopwatch_board = Board("pico", images / "stopwatch-usb.elf", record=False)
    target = Board("pico", test_images / "uart_reply.elf", record=False)
    delay_ps = 2_000_000
    joints: list[PinWire | SerialLine] = [SerialLine("first", "GP2", "GP1"), PinWire("second", "GP3", "GP3", delay_ps)]
    boards = WiredBoards(stopwatch_board, target, joints)
    boards.run("150 ms")
    stopwatch = open_stream(SerialPort(stopwatch_board, boards.run, timeout_s=0.02))
    for board in (stopwatch_board, target):
        board._core.record()
    setup = Setup(trigger="uart", baud=115_200, period="500 us", jitter="50 us", count=50)
    bench = Bench(stopwatch_board, target, boards, stopwatch, [])
    measured(bench, setup, edges=50 * (10 + 2) + 1, most_reads=200)
    told = [edge for edge in told_edges(bench) if edge[1] == 1]
    done = [edge for edge in seen_at(target) if edge[1] == 1]
    # The pin is low before the stopwatch drives it, so that the line brings a break first, which is no U.
    assert [level for *_, level in told] == [level for *_, level in done] == [True, False] * 50
    # Bit 0 of U is high: what follows a start bit is a rise, and each byte has five of either.
    starts = message_starts(told_edges(bench))
    assert len(starts) == 50
    latencies = [rise - start for start, (rise, _, level) in zip(starts, told[::2], strict=True) if level]
    ten_bits_ps = 86_805_000
    assert all(ten_bits_ps - 10_000_000 <= latency <= ten_bits_ps + 60_000_000 for latency in latencies)
    assert len(set(latencies)) > 5, "latencies that are all alike would prove little"
    setup = Setup(trigger="uart", byte=ord("x"), baud=115_200, period="500 us", count=20)
    bench.told.clear()
    measured(bench, setup, edges=20 * 4, most_reads=100)
    assert not [edge for edge in bench.told if edge.channel == 1], "another byte is no trigger"


def message_starts(edges: list[tuple[int, int, bool]]) -> list[int]:
    """The falls of the serial line that come after more than a byte of rest."""
    line = [(time_ps, level) for time_ps, channel, level in edges if channel == 0]
    falls = [time_ps for time_ps, level in line if not level]
    return [at for place, at in enumerate(falls) if place == 0 or at - falls[place - 1] > 100_000_000]
