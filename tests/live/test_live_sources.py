"""What the live view can show: run folders, finished and growing, suites, boards, and whatever pushes batches."""

from __future__ import annotations

import math
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import airwire
from airwire import AirwireError
from airwire.live import Batch, Feed, Source
from airwire.live.batch import batch_of_frame
from airwire.live.board import BoardSource
from airwire.live.run_folder import RunFolderSource
from airwire.live.saved import analysis_of
from airwire.live.source import start
from airwire.live.suite import SuiteSource

SUITE = "samples = 200\n\n[links.uart]\npayloads = [12]\n[links.lora]\npayloads = [12]\n"
PATIENCE_S = 60


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder of two rows."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "suite.toml").write_text(SUITE)
    airwire.run(folder / "suite.toml", out=folder / "run", environment={})
    return folder / "run"


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def latencies_ms(feed: Feed, name: str) -> list[float]:
    """The latencies of a series as they are told to pages."""
    series = feed.series(name)
    return [ps / 1e9 for ps in series.read(0, len(series))[1] if not math.isnan(ps)]


def test_a_finished_run_folder_is_shown_whole_with_its_stages(run: Path, tmp_path: Path) -> None:
    feed = Feed("run", tmp_path)
    assert RunFolderSource(run).run(feed) == f"{run}: 400 messages in 2 rows"
    stored = airwire.load_run(run)
    assert [series.name for series in feed.all_series] == [row.path for row in stored.captures]
    for row, series in zip(stored.captures, feed.all_series, strict=True):
        paired = row.samples.filter(pl.col("outcome") == "paired")
        assert latencies_ms(feed, row.path) == [ps / 1e9 for ps in paired["latency_ps"]]
        assert series.stages is not None
        total_ps = sum(stage.ps for stage in series.stages.stages)
        assert total_ps == pytest.approx(row.statistic("p50"), rel=0.05)
        assert [stage.ps for stage in series.stages.stages] == sorted(
            (stage.ps for stage in series.stages.stages), reverse=True
        )


def test_of_two_run_folders_side_by_side_each_tells_of_its_own_messages(run: Path, tmp_path: Path) -> None:
    feed = Feed("both", tmp_path)
    told = [RunFolderSource(run, prefix).run(feed) for prefix in ("before: ", "after: ")]
    assert told == [f"{run}: 400 messages in 2 rows"] * 2
    assert [series.target for series in feed.all_series] == ["before: "] * 2 + ["after: "] * 2


def test_a_part_that_ctrl_c_broke_off_is_read_again(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # polars raises KeyboardInterrupt on whatever thread it computes when Ctrl-C comes.
    reads = iter([KeyboardInterrupt(), None])
    read_parquet = pl.read_parquet

    def broken_off_once(path: Path, *, columns: list[str] | None = None) -> pl.DataFrame:
        if (broken := next(reads, None)) is not None:
            raise broken
        return read_parquet(path, columns=columns)

    monkeypatch.setattr(pl, "read_parquet", broken_off_once)
    feed = Feed("run", tmp_path)
    for thread in start([RunFolderSource(run)], feed):
        thread.join(PATIENCE_S)
    assert (feed.state, feed.sentence) == ("finished", f"{run}: 400 messages in 2 rows")


def test_a_source_that_ctrl_c_breaks_off_counts_as_running_until_the_main_thread_stops_it(tmp_path: Path) -> None:
    class BrokenOff:
        def run(self, feed: Feed) -> str:
            raise KeyboardInterrupt

    feed = Feed("broken off", tmp_path)
    threads = start([BrokenOff()], feed)
    assert feed.state == "running"
    feed.stop()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert (feed.state, feed.sentence) == ("finished", "stopped by Ctrl-C")


def test_parts_that_are_added_to_a_growing_run_folder_are_shown(run: Path, tmp_path: Path) -> None:
    growing = tmp_path / "growing"
    shutil.copytree(run, growing)
    (growing / "environment.json").unlink()
    part = growing / "samples/part-00000.parquet"
    samples = pl.read_parquet(part)
    samples.head(150).write_parquet(part)
    feed = Feed("growing", tmp_path)
    threads = start([RunFolderSource(growing, "now: ")], feed)
    until(lambda: sum(map(len, feed.all_series)) == 150)
    before: str = feed.state
    assert (before, feed.sentence) == ("running", f"{growing} is still being written")
    # As the core does it: written beside its place, then renamed.
    samples.slice(150).write_parquet(growing / "samples/unfinished")
    (growing / "samples/unfinished").rename(growing / "samples/part-00001.parquet")
    until(lambda: sum(map(len, feed.all_series)) == 400)
    shutil.copy(run / "environment.json", growing)
    threads[0].join(PATIENCE_S)
    assert feed.state == "finished"
    assert [series.name for series in feed.all_series] == ["now: uart/12B", "now: lora/12B"]
    assert latencies_ms(feed, "now: uart/12B") == pytest.approx(
        [ps / 1e9 for ps in samples.filter(pl.col("run") == "uart/12B")["latency_ps"].drop_nulls()]
    )


def test_a_growing_run_folder_is_left_when_it_is_asked_for(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "growing")
    (tmp_path / "growing/environment.json").unlink()
    feed = Feed("growing", tmp_path)
    (thread,) = start([RunFolderSource(tmp_path / "growing")], feed)
    until(lambda: sum(map(len, feed.all_series)) == 400)
    feed.stop()
    thread.join(PATIENCE_S)
    assert feed.state == "finished"


def test_a_part_that_is_damaged_ends_the_view_in_a_sentence_and_keeps_what_came_before(
    run: Path, tmp_path: Path
) -> None:
    shutil.copytree(run, tmp_path / "damaged")
    (tmp_path / "damaged/samples/part-00001.parquet").write_bytes(b"no parquet")
    feed = Feed("damaged", tmp_path)
    start([RunFolderSource(tmp_path / "damaged")], feed)[0].join(PATIENCE_S)
    assert feed.state == "failed"
    assert "part-00001.parquet: this part cannot be read" in feed.sentence and "\n" not in feed.sentence
    assert sum(map(len, feed.all_series)) == 400
    with pytest.raises(AirwireError, match="is no run folder: it has no samples"):
        RunFolderSource(tmp_path)


def test_outcomes_of_captures_and_of_clients_are_told_in_the_same_words() -> None:
    frame = pl.DataFrame(
        {
            "index": [0, 1, 2, 3, 4, 5],
            "trigger_ps": [0, 10, 20, 30, 40, 50],
            "latency_ps": [5, None, None, None, None, None],
            "outcome": ["paired", "missed", "missed", "missed", "overlapped", "glitch"],
            "status": [None, None, None, "404", None, None],
            "payload_bytes": [12, None, 12, 12, 12, 12],
        }
    )
    batch = batch_of_frame(frame, frozenset({2}))
    assert batch.outcomes == ["ok", "lost", "late", "wrong", "overlapped", "glitch"]
    assert batch.payload_bytes == [12, 0, 12, 12, 12, 12]
    with pytest.raises(ValueError, match="latency_ps has 1 values for 2 messages; give one of each"):
        Batch([0, 1], [5])


def test_a_suite_shows_its_rows_as_they_are_done_and_keeps_its_run_folder(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    feed = Feed("suite", tmp_path)
    source = SuiteSource(tmp_path / "suite.toml", tmp_path / "run")
    assert source.run(feed) == f"2 rows in {tmp_path / 'run'}"
    assert [(series.name, len(series)) for series in feed.all_series] == [("uart/12B", 200), ("lora/12B", 200)]
    stored = airwire.load_run(tmp_path / "run")
    for row in stored.captures:
        assert latencies_ms(feed, row.path) == [ps / 1e9 for ps in row.samples["latency_ps"].drop_nulls()]
    assert {row.path for row in source.analysis().captures} == {"uart/12B", "lora/12B"}


def test_a_suite_that_is_stopped_keeps_what_was_done(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("samples = 3000000\n\n[links.lora]\npayloads = [12, 64]\n")
    feed = Feed("suite", tmp_path)
    (thread,) = start([SuiteSource(tmp_path / "suite.toml", tmp_path / "run")], feed)
    until(lambda: " % of the suite is done" in feed.sentence)
    feed.stop()
    thread.join(PATIENCE_S)
    assert feed.state == "finished" and feed.sentence.startswith("stopped early: ")


def test_a_suite_that_cannot_be_run_ends_the_view_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("[links.uart]\npayloads = [12]\nbaud = 'fast'\n")
    feed = Feed("suite", tmp_path)
    start([SuiteSource(tmp_path / "suite.toml", tmp_path / "run")], feed)[0].join(PATIENCE_S)
    assert feed.state == "failed" and "suite.toml:3" in feed.sentence


def test_a_board_shows_the_messages_that_its_client_measures(firmware: Path, tmp_path: Path) -> None:
    image = firmware / "w5500-evb-pico/pingpong_server-lwip_raw.elf"
    feed = Feed("board", tmp_path)
    sentence = BoardSource(image, 1000).run(feed)
    assert sentence.startswith("pingpong_server-lwip_raw.elf: 1,000 messages in ")
    board = airwire.Board(
        "w5500-evb-pico", image, record=False, traffic=["pingpong kind=pingpong to=board:5000 rounds=1000000"]
    )
    board.run("3.2 s")
    alone = board.traffic.samples("pingpong")[:1000]
    # That somebody looks on changes nothing.
    assert latencies_ms(feed, image.stem) == [row["latency_ps"] / 1e9 for row in alone]


def test_an_image_that_cannot_be_measured_is_told_in_a_sentence(firmware: Path, tmp_path: Path) -> None:
    feed = Feed("board", tmp_path)
    image = firmware / "w5500-evb-pico/gpio_handlers.elf"
    start([BoardSource(image, 100, board="w5500-evb-pico")], feed)[0].join(PATIENCE_S)
    assert feed.state == "failed"
    assert feed.sentence.startswith("gpio_handlers.elf cannot be measured: ")


class Pushing:
    """An instrument, as another package would connect one."""

    def __init__(self, name: str, messages: int) -> None:
        self.name, self.messages = name, messages

    def run(self, feed: Feed) -> str:
        """Push a batch of ten until there are enough."""
        series = feed.series(self.name)
        for first in range(0, self.messages, 10):
            series.push(Batch([*range(first, first + 10)], [1000] * 10))
        return f"{self.messages} from {self.name}"


def test_sources_run_side_by_side_and_one_that_breaks_is_told_with_what_the_other_had(tmp_path: Path) -> None:
    class Breaking:
        def run(self, feed: Feed) -> str:
            feed.series("broken").push(Batch([1], [None]))
            raise OSError(5, "Input/output error", "/dev/ttyACM0")

    feed = Feed("two", tmp_path)
    sources: list[Source] = [Pushing("a", 500), Breaking()]
    for thread in start(sources, feed):
        thread.join(PATIENCE_S)
    assert feed.state == "failed" and "/dev/ttyACM0" in feed.sentence
    assert {series.name: len(series) for series in feed.all_series} == {"a": 500, "broken": 1}


def test_many_threads_may_push_into_one_series(tmp_path: Path) -> None:
    feed = Feed("many", tmp_path)
    threads = [threading.Thread(target=Pushing("a", 5000).run, args=(feed,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(feed.series("a")) == 20_000
    assert len({len(column) for column in feed.series("a").read(0, 30_000)}) == 1


def test_the_report_of_a_feed_has_the_figures_of_its_samples(tmp_path: Path) -> None:
    feed = Feed("fed", tmp_path)
    latencies = [10**9 + (7919 * index) % 1000 * 10**6 for index in range(1000)]
    outcomes = ["wrong" if index % 100 == 7 else "ok" for index in range(1000)]
    triggers = [index * 10**10 for index in range(1000)]
    feed.series("a").push(Batch(triggers, latencies, outcomes))  # type: ignore[arg-type]
    (row,) = analysis_of(feed).captures
    counted = sorted(latency for latency, outcome in zip(latencies, outcomes, strict=True) if outcome == "ok")
    assert (row.outcomes["paired"], row.outcomes["missed"]) == (990, 10)
    assert row.statistic("p50") == (counted[494] + counted[495]) / 2
    assert row.statistic("max") == counted[-1]
    assert row.samples["done_ps"].null_count() == 10
