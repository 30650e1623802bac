"""The server of the live view: pages get every sample once, however slow they are and whenever they come back."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from live_peer import PATIENCE_S, Peer, a_page, served_feed, some, stream_of
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from airwire.live import Batch, Feed
from airwire.live import page as pages
from airwire.live.protocol import BATCH_SAMPLES, BATCHES_ON_THE_WAY
from airwire.live.running import Address
from airwire.live.server import MOST_PAGES

Live = tuple[Feed, Address]


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    """A feed that is served, with a page that nobody had to build."""
    monkeypatch.setattr(pages, "check_assets", lambda: None)
    with served_feed(tmp_path / "kept") as found:
        yield found


def test_a_page_gets_every_sample_of_every_series(live: Live) -> None:
    feed, address = live
    feed.series("a").push(some(0, 20_000))
    feed.series("b", "bulk").push(Batch([0, 5], [None, 7], ["wrong", "late"], [1, 2]))
    feed.finish("all is told")
    with a_page(address) as page:
        page.hear_all()
    assert page.texts["series"]["series"] == [
        {"name": "a", "kind": "messages", "target": ""},
        {"name": "b", "kind": "bulk", "target": ""},
    ]
    trigger_ps, latency_ps, outcome, carried = page.columns[0]
    assert list(trigger_ps) == [index * 10**8 for index in range(20_000)]
    assert list(latency_ps) == [10**8 + index for index in range(20_000)]
    assert set(outcome) == {0} and set(carried) == {64}
    trigger_ps, latency_ps, outcome, carried = page.columns[1]
    assert latency_ps[0] != latency_ps[0] and latency_ps[1] == 7
    assert (list(trigger_ps), list(outcome), list(carried)) == ([0, 5], [3, 2], [1, 2])
    assert page.texts["state"] == {"type": "state", "state": "finished", "sentence": "all is told"}


def test_two_pages_see_the_same_while_samples_come(live: Live) -> None:
    feed, address = live

    def measure() -> None:
        for first in range(0, 30_000, 500):
            feed.series("a").push(some(first, 500))
            time.sleep(0.005)
        feed.finish("done")

    with a_page(address) as one, a_page(address) as other:
        measuring = threading.Thread(target=measure)
        measuring.start()
        one.hear_all()
        other.hear_all()
        measuring.join()
    assert one.columns == other.columns
    assert one.have == {0: 30_000}


def test_a_reload_in_mid_run_loses_nothing(live: Live) -> None:
    feed, address = live
    feed.series("a").push(some(0, 12_000))
    with a_page(address) as before:
        while before.have.get(0, 0) < 12_000:
            before.hear()
    feed.series("a").push(some(12_000, 12_000))
    feed.finish("done")
    with a_page(address) as after:
        after.hear_all()
    assert after.have == {0: 24_000}


def test_a_page_whose_connection_broke_gets_only_what_it_lacks(live: Live) -> None:
    feed, address = live
    feed.series("a").push(some(0, 1_000))
    feed.series("b").push(some(0, 10))
    feed.finish("done")
    with a_page(address) as before:
        session = before.hello["session"]
    with a_page(address, session, [990]) as after:
        after.hear_all()
    assert list(after.columns[0][0]) == [index * 10**8 for index in range(990, 1_000)]
    assert after.have == {0: 1_000, 1: 10}


def test_a_page_of_another_session_gets_everything(live: Live) -> None:
    feed, address = live
    feed.series("a").push(some(0, 100))
    feed.finish("done")
    with connect(stream_of(address)) as socket:
        page = Peer(socket, "a session of before", [60])
        page.have = {}
        page.hear_all()
    assert page.have == {0: 100}


def test_a_slow_page_has_few_batches_on_the_way_and_in_the_end_all_samples(live: Live) -> None:
    feed, address = live
    count = (BATCHES_ON_THE_WAY + 4) * BATCH_SAMPLES
    feed.series("a").push(some(0, count))
    feed.finish("done")
    with a_page(address) as page:
        while page.batches < BATCHES_ON_THE_WAY:
            page.hear(confirm=False)
        with pytest.raises(TimeoutError):
            page.socket.recv(0.5)
        for _ in range(BATCHES_ON_THE_WAY):
            page.say(type="ack")
        page.hear_all()
    assert page.have == {0: count}


def test_a_page_that_goes_away_disturbs_nobody(live: Live) -> None:
    feed, address = live
    feed.series("a").push(some(0, 10 * BATCH_SAMPLES))
    with a_page(address) as gone:
        gone.hear(confirm=False)
        gone.socket.socket.close()
    feed.finish("done")
    with a_page(address) as page:
        page.hear_all()
    assert page.have == {0: 10 * BATCH_SAMPLES}


def test_no_more_pages_than_a_limit_are_served_and_a_closed_one_makes_room(live: Live) -> None:
    _, address = live
    with ExitStack() as stack:
        sockets = [stack.enter_context(connect(stream_of(address))) for _ in range(MOST_PAGES)]
        for socket in sockets:
            assert json.loads(socket.recv(5))["type"] == "hello"
        with connect(stream_of(address)) as late, pytest.raises(ConnectionClosed, match="16 pages show this"):
            late.recv(5)
        sockets.pop().close()
        end = time.monotonic() + PATIENCE_S
        while not _is_welcome(address):
            assert time.monotonic() < end, "the closed page's place stays taken"


def _is_welcome(address: Address) -> bool:
    try:
        with connect(stream_of(address)) as page:
            hello: dict[str, str] = json.loads(page.recv(5))
            return hello["type"] == "hello"
    except ConnectionClosed:
        return False


@pytest.mark.parametrize("said", ["nonsense", "[]", '{"type": "mark"}', '{"type": "mark", "text": 5}', '{"have": [1]}'])
def test_a_page_that_says_nonsense_is_closed_and_the_next_one_is_served(live: Live, said: str) -> None:
    feed, address = live
    feed.series("a").push(some(0, 10))
    with a_page(address) as page, pytest.raises(ConnectionClosed):
        page.socket.send(said)
        while True:
            page.hear()
    feed.finish("done")
    with a_page(address) as page:
        page.hear_all()
    assert page.have == {0: 10}


def test_marks_are_kept_beside_the_run_and_shown_on_every_page(live: Live) -> None:
    feed, address = live
    feed.series("a").push(some(0, 100))
    with a_page(address) as one, a_page(address) as other:
        while one.have.get(0, 0) < 100:
            one.hear()
        one.say(type="mark", text="  moved the\nantenna ")
        path = feed.folder / "marks.json"
        assert one.answer() == f"Mark kept in {path}"
        while not other.texts.get("marks", {}).get("marks"):
            other.hear()
    (mark,) = other.texts["marks"]["marks"]
    assert mark["text"] == "moved the antenna"
    assert mark["places"] == {"a": [100, 99 * 10**8]}
    assert json.loads(path.read_text(encoding="utf-8")) == {"schema": "airwire.marks/1", "marks": [mark]}


def test_a_mark_without_a_text_is_refused(live: Live) -> None:
    feed, address = live
    with a_page(address) as page:
        page.say(type="mark", text="   ")
        assert page.answer() == "No mark was set: it needs a text, and there may be a thousand at most."
    assert not feed.folder.exists()


def test_a_report_of_the_run_so_far_is_written_with_its_marks_and_overwrites_none(live: Live) -> None:
    feed, address = live
    with a_page(address) as page:
        page.say(type="save")
        assert page.answer() == "Nothing was written: there is nothing to report yet: no message was measured"
        feed.series("a").push(some(0, 500))
        feed.series("transfer", "bulk").push(Batch([0, 10**12], [10**12, 10**12], None, [10**6, 10**6]))
        feed.mark("moved <the> antenna")
        page.say(type="save")
        assert page.answer() == f"Report: {feed.folder / 'live.html'}"
        page.say(type="save")
        assert page.answer() == f"Report: {feed.folder / 'live-2.html'}"
    report = (feed.folder / "live.html").read_text(encoding="utf-8")
    assert "<title>Tested</title>" in report
    assert "500 messages" in report or "500 triggers" in report
    assert "moved &lt;the&gt; antenna" in report
    assert "transfer: 8 Mbit/s over 2 s" in report


def test_a_report_that_cannot_be_written_is_told_in_a_sentence(live: Live, tmp_path: Path) -> None:
    feed, address = live
    feed.series("a").push(some(0, 50))
    (tmp_path / "kept").write_text("a file in the way")
    with a_page(address) as page:
        page.say(type="save")
        assert page.answer() == f"Nothing was written: {tmp_path / 'kept'}: File exists"
