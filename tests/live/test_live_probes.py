"""Boards at addresses in the live view: their messages are there while they are still measured."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from airwire.live.feed import Feed
from airwire.live.probe import ProbeSource, probe_of
from airwire.live.source import start
from airwire.live.suite import SuiteSource
from airwire.model import Analysis
from airwire.runs.suite import run


@pytest.fixture
def board() -> Iterator[int]:
    """The port of a server of this computer that takes a millisecond for each number."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve() -> None:
            with suppress(OSError, ValueError):
                while True:
                    with listener.accept()[0] as connection:
                        while text := connection.recv(64):
                            time.sleep(0.001)
                            connection.sendall(str(int(text) + 1).encode())

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


def until(condition: object, seconds: float = 20) -> bool:
    """Whether something comes to be in time."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_messages_of_a_probe_are_there_while_it_runs_and_a_stop_keeps_them(board: int, tmp_path: Path) -> None:
    feed = Feed("probe", tmp_path / "run")
    threads = start([ProbeSource("pingpong", f"127.0.0.1:{board}", tmp_path / "run")], feed)
    try:
        assert until(lambda: feed.all_series and len(feed.all_series[0]) > 100)
        assert not feed.sentence.startswith("stopped")
    finally:
        feed.stop()
        for thread in threads:
            thread.join(20)

    assert feed.state == "finished", feed.sentence
    assert (tmp_path / "run" / "manifest.json").is_file()


def test_a_suite_of_addresses_fills_in_while_it_runs(board: int, tmp_path: Path) -> None:
    suite = tmp_path / "own.toml"
    traffic = f"pingpong to=board:{board} rounds=400"
    suite.write_text(f'[targets.own]\naddress = "127.0.0.1"\ntraffic = "{traffic}"\n', encoding="utf-8")
    feed = Feed("suite", tmp_path / "run")
    threads = start([SuiteSource(suite, tmp_path / "run")], feed)

    assert until(lambda: feed.all_series and 0 < len(feed.all_series[0]) < 400)
    for thread in threads:
        thread.join(20)
    assert [(one.name, len(one)) for one in feed.all_series] == [("own", 400)]
    assert feed.state == "finished", feed.sentence


def test_a_row_of_very_many_messages_is_shown_once(board: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_untold(*arguments: Any, row_done: object, **options: Any) -> Analysis:
        """As the core does with rows of more than 100,000 messages: nobody is told when they are done."""
        return run(*arguments, **options)

    monkeypatch.setattr("airwire.live.suite.run", run_untold)
    suite = tmp_path / "own.toml"
    traffic = f"pingpong to=board:{board} rounds=200"
    suite.write_text(f'[targets.own]\naddress = "127.0.0.1"\ntraffic = "{traffic}"\n', encoding="utf-8")
    feed = Feed("suite", tmp_path / "run")

    SuiteSource(suite, tmp_path / "run").run(feed)

    assert [(one.name, len(one)) for one in feed.all_series] == [("own", 200)]


def test_what_is_asked_of_which_address_is_told_from_files() -> None:
    assert probe_of("pingpong:192.168.1.50:5000") == ("pingpong", "192.168.1.50:5000")
    assert probe_of("build/firmware/x.elf") is None and probe_of("published") is None
