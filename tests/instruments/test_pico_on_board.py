"""The stopwatch's image on a virtual board as an instrument of the commands: they open its port as they would a Pico's.

The oracle is the recording of the pins of the board that is measured.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pico_bench import DELAY_PS, bench_of, latencies_ps, seen_at
from pico_terminal import terminal_of

import airwire as package
from airwire import SerialPort

pytest.importorskip("serial", reason="pyserial is not installed")

SAMPLES = 400
AGREEMENT_PS = 16_000


@pytest.fixture(scope="session")
def images(firmware: Path) -> Path:
    folder = firmware / "pico"
    if not (folder / "stopwatch-usb.elf").is_file():
        pytest.skip("the stopwatch's image is not built: make firmware")
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
