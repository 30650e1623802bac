"""Instruments in the live view: their pairs are there while they still measure, and the capture is kept."""

from __future__ import annotations

import math
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from airwire import analyze
from airwire.cli.live_sources import Wanted, feed_of
from airwire.instruments.base import Change
from airwire.instruments.recording import Pairs
from airwire.live.feed import Feed
from airwire.live.instrument import is_instrument
from airwire.live.source import start

PATIENCE_S = 30


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def shown(spelling: str, out: Path, done: str = "D1", rate: int | None = None) -> tuple[Feed, list[threading.Thread]]:
    wanted = Wanted(None, (), None, {}, 1, samples=None, out=out, trigger="D0", done=done, rate=rate)
    feed, sources = feed_of([Path(spelling)], wanted)
    return feed, start(sources, feed)


def test_a_message_is_told_once_it_is_decided() -> None:
    pairs = Pairs()
    pairs.add([Change(0, False, False), Change(10, True, False), Change(11, False, False)])
    assert pairs.latest == []
    pairs.add([Change(15, False, True), Change(16, False, False), Change(20, True, False), Change(21, False, False)])
    assert pairs.latest == [(10, 5)]
    pairs.add([Change(30, True, False)])
    assert pairs.latest == [(20, None)]


def test_an_instrument_is_told_from_files_and_addresses() -> None:
    assert all(map(is_instrument, ("sigrok:fx2lafw", "pico:/dev/ttyACM0,period=20ms", "saleae", "saleae:10431")))
    assert not any(map(is_instrument, ("sigrok", "pico", "pingpong:192.168.1.50", "saleae.toml", "run")))


@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="sigrok-cli is not installed")
def test_pairs_of_the_demo_device_are_there_while_it_measures_and_a_stop_keeps_the_capture(tmp_path: Path) -> None:
    feed, threads = shown("sigrok:demo", tmp_path / "kept", "D3", 100_000)
    try:
        until(lambda: bool(feed.all_series) and len(feed.all_series[0]) > 20)
        assert feed.state == "running"
    finally:
        feed.stop()
        for thread in threads:
            thread.join(PATIENCE_S)
    capture = tmp_path / "kept" / "capture.csv"
    assert (feed.state, feed.sentence) == ("finished", f"{feed.sentence.split()[0]} pairs in {capture}")
    (series,) = feed.all_series
    told = [int(ps) for ps in series.read(0, len(series))[1] if not math.isnan(ps)]
    frame = analyze(capture, trigger="D0", done="D3", glitch=0).captures[0].samples
    assert told == frame.filter(frame["outcome"] == "paired")["latency_ps"].to_list()[: len(told)]
    assert len(told) > 20


def test_an_instrument_that_is_not_there_ends_in_a_sentence_and_leaves_no_file(tmp_path: Path) -> None:
    pytest.importorskip("serial", reason="pyserial is not installed")
    feed, threads = shown("pico:/dev/no-such-port", tmp_path / "kept")
    for thread in threads:
        thread.join(PATIENCE_S)
    assert feed.state == "failed" and "there is no such port; plug the Pico in" in feed.sentence
    assert list((tmp_path / "kept").iterdir()) == []
