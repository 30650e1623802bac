"""Boards at addresses on the command line; servers and clients of this computer stand in their place, good and bad."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import airwire as package
from airwire.board.row import Figure
from airwire.explain.board.figures import interval_text, vague_sentence

Airwire = Callable[..., subprocess.CompletedProcess[str]]
Peer = Callable[[socket.socket], None]


def counting(connection: socket.socket) -> None:
    """Answers each number with the next one, as published scripts do."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while text := connection.recv(64):
        connection.sendall(str(int(text) + 1).encode())


@contextmanager
def board(serve: Peer) -> Iterator[str]:
    """A server in a thread, which serves each connection so; gives its address with the port."""
    with closing(socket.socket()) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def each(connection: socket.socket) -> None:
            with closing(connection), suppress(OSError, ValueError):
                serve(connection)

        def all_of_them() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=each, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=all_of_them, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def test_a_board_is_measured_explained_and_kept(airwire: Airwire, tmp_path: Path) -> None:
    with board(counting) as address:
        done = airwire("probe", "pingpong", address, "--set", "rounds=200", "--out", "run", "--report", "page.html")

    assert (done.returncode, done.stderr) == (0, "")
    first, percentiles, *_ = done.stdout.splitlines()
    assert first.startswith("pingpong rounds=200 to=board:") and "messages/s" in first
    assert percentiles.startswith("  median ") and percentiles.endswith("; 200 of 200 answered")
    assert "By itself this computer reaches" in done.stdout
    (row,) = package.load_run(tmp_path / "run").captures
    assert row.target.kind == "address" and row.target.figure is not None and not row.target.simulated
    assert row.samples["first_byte_ps"].null_count() == row.samples["sent_ps"].null_count() == 0
    assert (row.samples["done_ps"] >= row.samples["first_byte_ps"]).all()
    assert "measured over this computer" in (tmp_path / "page.html").read_text(encoding="utf-8")
    explained = airwire("explain", "run")
    assert explained.returncode == 0 and "By itself this computer reaches" in explained.stdout


def test_wrong_answers_are_said_and_not_taken_for_losses(airwire: Airwire, tmp_path: Path) -> None:
    asked = 0

    def wrong_at_times(connection: socket.socket) -> None:
        nonlocal asked
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while text := connection.recv(64):
            asked += 1
            connection.sendall(str(int(text) + (1 if asked % 10 else 1000)).encode())

    with board(wrong_at_times) as address:
        done = airwire("probe", "pingpong", address, "--set", "rounds=100", "--out", "run")

    said = " ".join(done.stdout.split())
    assert re.search(r"\b10 of 100 messages got a wrong answer\. The first: the answer \w+", said)
    assert "completion of their own" not in said and "interference" not in said
    # After each wrong answer the client calls again, which takes many times as long as a message.
    first = done.stdout.splitlines()[0]
    assert first.endswith(" messages/s") or re.search(r"\+-\d\d?(\.\d+)? %$", first), first
    (row,) = package.load_run(tmp_path / "run").captures
    wrong = row.samples.filter(row.samples["answer"] == "wrong")
    assert (wrong.height, row.samples.height - wrong.height) == (10, 90)
    assert set(wrong["outcome"]) == {"missed"} and not wrong["error"].str.starts_with("wrong").any()
    # Folders of before have no such column: there the word stands before what is said of the answer.
    part = tmp_path / "run" / "samples" / "part-00000.parquet"
    before = (pl.when(pl.col("answer") == "ok").then(None).otherwise(pl.col("answer") + ": " + pl.col("error"))).alias(
        "error"
    )
    pl.read_parquet(part).with_columns(before).drop("answer").write_parquet(part)
    (old,) = package.load_run(tmp_path / "run").captures
    assert old.samples.select("answer", "error").equals(row.samples.select("answer", "error"))
    assert re.search(r"\b10 of 100 messages got a wrong answer\. The first: the answer \w+", said_of(airwire, "run"))


def said_of(airwire: Airwire, run: str) -> str:
    """What is explained of a run, on one line."""
    return " ".join(airwire("explain", run).stdout.split())


def test_an_answer_is_not_taken_for_wrong_because_of_what_the_client_says_of_it(
    airwire: Airwire, tmp_path: Path
) -> None:
    with board(counting) as address:
        airwire("probe", "pingpong", address, "--set", "rounds=20", "--out", "run")
    part = tmp_path / "run" / "samples" / "part-00000.parquet"
    lost = pl.col("index") == 3
    pl.read_parquet(part).with_columns(
        pl.when(lost).then(pl.lit("missed")).otherwise(pl.col("outcome")).alias("outcome"),
        pl.when(lost).then(pl.lit("timed_out")).otherwise(pl.col("answer")).alias("answer"),
        pl.when(lost).then(pl.lit("wrong: a port that nobody listens at")).alias("error"),
    ).write_parquet(part)

    assert "wrong answer" not in said_of(airwire, "run")


def test_an_interval_that_says_nothing_is_said_in_words() -> None:
    figure = Figure(value=99.2, interval=(0.0, 12267.6), unit="messages/s", n=90)

    assert interval_text(figure) == ""
    assert vague_sentence(figure) is not None
    assert (interval_text(sure := replace(figure, interval=(98.0, 100.0))), vague_sentence(sure)) == ("+-1.2 %", None)


def test_a_suite_asks_boards_and_compares_them(airwire: Airwire, tmp_path: Path) -> None:
    def slowly(connection: socket.socket) -> None:
        while text := connection.recv(64):
            time.sleep(0.002)
            connection.sendall(str(int(text) + 1).encode())

    with board(counting) as fast, board(slowly) as slow:
        (host, fast_port), slow_port = fast.split(":"), slow.split(":")[1]
        (tmp_path / "two.toml").write_text(
            f"""
            [targets.fast]
            address = "{host}"
            traffic = "pingpong to=board:{fast_port} rounds=100"
            bounds = {{ loss = "<= 0 %" }}
            [targets.slow]
            same_but = "fast"
            traffic = "pingpong to=board:{slow_port} rounds=100"
            bounds = {{ p95 = "<= 1 ms" }}
            """,
            encoding="utf-8",
        )
        done = airwire("run", "two.toml", "--out", "run", "--json")

    assert done.returncode == 1
    fast_row, slow_row = json.loads(done.stdout)["addresses"]
    assert fast_row["figure"]["value"] > slow_row["figure"]["value"]
    assert slow_row["same_but"]["what"] == "traffic"
    assert "slow: p95 <= 1 ms is broken" in done.stderr and "fast: " not in done.stderr


def test_a_rate_that_breaks_its_bound_is_told_in_two_sentences(airwire: Airwire) -> None:
    given = ("--for", "500ms", "--set", "interval=100ms", "--bound", "bits_per_second=>= 10000000 Mbit/s")
    with board(says_nothing) as address:
        done = airwire("probe", "throughput", address, *given)
    rate = r"[0-9][0-9 .]* [Mk]bit/s"
    told = rf"is broken: ({rate})\. The board and the network between set the rate of \1\n"
    assert done.returncode == 1
    assert re.search(told, done.stderr), done.stderr


def test_a_transfer_that_is_broken_off_is_no_success(airwire: Airwire, tmp_path: Path) -> None:
    with board(breaks_off) as address:
        alone = airwire("probe", "throughput", address, "--for", "5s", "--out", "alone")
        (tmp_path / "one.toml").write_text(
            f'[targets.one]\naddress = "127.0.0.1"\ntraffic = "iperf to=board:{address.split(":")[1]}"\n',
            encoding="utf-8",
        )
        in_a_suite = airwire("run", "one.toml", "--out", "suite")

    cause = rf"it ended before its time: connection reset by {re.escape(address)}\n"
    assert alone.returncode == in_a_suite.returncode == 1
    assert re.fullmatch(f"airwire: probe-throughput: {cause}", alone.stderr), alone.stderr
    assert re.fullmatch(f"airwire: one: {cause}", in_a_suite.stderr), in_a_suite.stderr
    assert re.match(r"iperf to=board:[0-9]+ at 127\.0\.0\.1: [0-9]", alone.stdout), alone.stdout


def breaks_off(connection: socket.socket) -> None:
    """Resets the connection after 300 KB."""
    taken = 0
    while taken < 300_000 and (text := connection.recv(1 << 16)):
        taken += len(text)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def says_nothing(connection: socket.socket) -> None:
    """Takes all that is sent."""
    while connection.recv(1 << 16):
        pass


def drip(connection: socket.socket) -> None:
    """A byte now and then, and never the whole of an answer."""
    connection.recv(4096)
    for _ in range(100):
        connection.sendall(b"H")
        time.sleep(0.05)


def endless(connection: socket.socket) -> None:
    """A body without end."""
    connection.recv(4096)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
    while True:
        connection.sendall(bytes(1 << 16))


def half_way(connection: socket.socket) -> None:
    """Resets in the midst of an answer."""
    connection.recv(4096)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def says(text: bytes) -> Peer:
    """Says this, whatever it was asked, and closes."""

    def peer(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(text)

    return peer


@pytest.mark.parametrize(
    ("kind", "peer", "reason"),
    [
        ("http", drip, "within 200 ms"),
        ("http", endless, "within 200 ms"),
        ("http", half_way, "reset"),
        ("http", says(b"SSH-2.0-OpenSSH_9.2\r\n"), "HTTP"),
        ("http", says(b"HTTP/9.9 200 OK\r\n\r\n"), "HTTP"),
        ("http", says(b""), "before the response was complete"),
        ("pingpong", says(b"\x00\xff garbage"), "differs"),
        ("pingpong", drip, ""),
        ("pingpong", says(b""), "closed"),
    ],
)
def test_a_bad_board_gets_a_sentence_and_ends_by_the_time_out(
    airwire: Airwire, kind: str, peer: Peer, reason: str
) -> None:
    count = "requests" if kind == "http" else "rounds"
    begun = time.monotonic()
    with board(peer) as address:
        done = airwire("probe", kind, address, "--set", f"{count}=3", "--set", "timeout=200ms", "--for", "3s")

    assert done.returncode == 1 and time.monotonic() - begun < 10
    assert "No figure: " in done.stdout and "Traceback" not in done.stdout + done.stderr
    assert reason in " ".join(done.stdout.split())


def test_nobody_there_is_said_in_one_sentence(airwire: Airwire) -> None:
    with closing(socket.socket()) as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        done = airwire("probe", "http", address, "--set", "requests=3")

    assert done.returncode == 1 and f"connection refused at {address}" in done.stdout


def silent(connection: socket.socket) -> None:
    """Takes what comes, and never says a word."""
    while connection.recv(4096):
        pass


@pytest.mark.parametrize(
    ("kind", "sent", "advice"),
    [
        ("pingpong", "sent 1 byte", "look whether it answers a number with the next one; newline=true"),
        ("http", "sent a request of", "look whether this port speaks HTTP without TLS"),
        ("ws", "sent a request for a WebSocket", "look whether this port speaks WebSocket without TLS"),
    ],
)
def test_a_server_that_stays_silent_is_told_with_what_it_got_and_what_to_do(
    airwire: Airwire, kind: str, sent: str, advice: str
) -> None:
    with board(silent) as address:
        done = airwire("probe", kind, address, "--for", "500ms")

    said = " ".join(done.stdout.split())
    assert done.returncode == 1 and f"connected to {address}, {sent}" in said
    assert ", and nothing came for " in said and advice in said


def test_datagrams_that_nobody_answers_are_told_with_whom_they_went_to(airwire: Airwire) -> None:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        done = airwire("probe", "udp", address, "--set", "timeout=50ms", "--for", "500ms")

    said = " ".join(done.stdout.split())
    assert done.returncode == 1 and f"{address} answered none of " in said
    assert "within 50 ms; look whether it is on, has this address, and sends back what comes at this UDP port" in said


@pytest.mark.parametrize(("kind", "options"), [("http", []), ("http", ["concurrency=3"]), ("pingpong", ["rounds=900"])])
def test_a_board_is_asked_no_more_often_than_samples_says(airwire: Airwire, kind: str, options: list[str]) -> None:
    asked: list[bytes] = []

    def counted(connection: socket.socket) -> None:
        while text := connection.recv(4096):
            asked.append(text)
            is_http = text.startswith(b"GET ")
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" if is_http else b"%d" % (int(text) + 1))

    with board(counted) as address:
        done = airwire("probe", kind, address, "--samples", "5", *(word for one in options for word in ("--set", one)))

    assert done.returncode == 0 and "5 of 5 answered" in done.stdout
    assert len(asked) == 5


def test_samples_beyond_what_a_client_sends_of_itself_are_sent(airwire: Airwire) -> None:
    with board(counting) as address:
        done = airwire("probe", "pingpong", address, "--samples", "1500")

    assert done.returncode == 0 and "1 500 of 1 500 answered" in done.stdout


@pytest.mark.parametrize("kind", ["pingpong", "http", "udp"])
def test_a_port_that_is_taken_is_refused_before_anything_is_served(airwire: Airwire, kind: str) -> None:
    over = socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM
    with closing(socket.socket(socket.AF_INET, over)) as taken:
        taken.bind(("0.0.0.0", 0))
        if over == socket.SOCK_STREAM:
            taken.listen()
        port = taken.getsockname()[1]
        done = airwire("serve", kind, "--set", f"port={port}", "--for", "300ms")

    assert done.returncode == 2 and f"port {port} is in use by another program; choose another port" in done.stderr
    assert "serving" not in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_port_that_is_had_is_told(airwire: Airwire) -> None:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = airwire("serve", "pingpong", "--set", f"port={port}", "--for", "300ms")

    assert f"port {port}; Ctrl-C ends it" in done.stderr.splitlines()[0]


def test_a_bound_is_written_as_elsewhere_too(airwire: Airwire) -> None:
    asked = ("probe", "ping", "127.0.0.1", "--samples", "3", "--set", "interval=1ms")
    for bound in ("p95<=5s", "p95 <= 5 s", "p95=<=5s", "p95=<= 5 s"):
        assert "Bounds: all of 1 hold." in airwire(*asked, "--bound", bound).stdout, bound
    assert airwire(*asked, "--bound", "p95<1ns").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["probe", "telnet", "127.0.0.1"], "there is no probe 'telnet'; there are pingpong, http, ping"),
        (["probe", "Ping-Pong", "127.0.0.1"], "there is no probe 'Ping-Pong'; the nearest is pingpong"),
        (["probe", "http", "nobody.invalid"], 'address: "nobody.invalid" is no address that this computer knows'),
        (
            ["probe", "http", "127.0.0.1", "--set", "requets=3"],
            "airwire: traffic: http.requets: there is no such option; the nearest is requests",
        ),
        (["probe", "http", "127.0.0.1", "--bound", "p96=<= 1 ms"], "bounds.p96"),
        (["probe", "http", "127.0.0.1", "--bound", "p96<=1ms"], "bounds.p96: there is no such field"),
        (["probe", "ping", "127.0.0.1:80"], "127.0.0.1:80: a ping goes to no port; leave :80 out"),
        (["probe", "http", "127.0.0.1:99999"], "127.0.0.1:99999: 99999 is no port; give one from 1 to 65535"),
        (["probe", "http", "127.0.0.1:"], "127.0.0.1:: nothing is no port"),
        (["probe", "http", ":80"], '":80" names no board'),
        (["probe", "http", "[fe80::1]:80"], "this is an address of IPv6; give the board's IPv4 address"),
        (["probe", "http", "127.0.0.1:80", "--set", "to=board:81"], "to is board:81 as well"),
        (["probe", "ping", "192.0.2.99", "--set", "to=127.0.0.1"], "192.0.2.99: to is 127.0.0.1 as well; leave it out"),
        (
            ["probe", "ping", "127.0.0.1", "--samples", "3", "--set", "count=5"],
            "samples is 3, and count is 5 as well; leave one of them out",
        ),
        (["probe", "http", "a:b:c"], "airwire: a:b:c: there is more than one colon; give an address, or address:port"),
        (
            ["probe", "http", "http://192.168.1.5/index.html"],
            "airwire: http://192.168.1.5/index.html: this is a URL, whose path is an option; give the board alone: "
            "192.168.1.5",
        ),
        (["probe", "http", "::1", "--packets"], "this is an address of IPv6"),
        (["twin", "absent.elf", "--address", "::1"], "this is an address of IPv6"),
        (["serve", "gopher"], "there is no server 'gopher'; there are pingpong, tcp, udp"),
    ],
)
def test_a_wrong_question_is_refused_in_one_sentence(airwire: Airwire, arguments: list[str], sentence: str) -> None:
    done = airwire(*arguments)

    assert done.returncode == 2 and sentence in done.stderr and len(done.stderr.splitlines()) <= 2


def test_a_board_that_goes_away_keeps_what_was_measured(airwire: Airwire, tmp_path: Path) -> None:
    left = threading.Semaphore(50)

    def goes(connection: socket.socket) -> None:
        while (text := connection.recv(64)) and left.acquire(blocking=False):
            connection.sendall(str(int(text) + 1).encode())

    with board(goes) as address:
        done = airwire(
            "probe", "pingpong", address, "--set", "rounds=60", "--set", "timeout=200ms", "--out", "run"
        )  # fmt: skip

    assert done.returncode == 0
    (row,) = package.load_run(tmp_path / "run").captures
    assert row.outcomes["paired"] == 50 and row.outcomes["missed"] > 0


def test_a_board_that_calls_is_served_until_ctrl_c_and_kept(tmp_path: Path) -> None:
    with closing(socket.socket()) as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
    command = [sys.executable, "-m", "airwire.cli", "serve", "pingpong", "--set", f"port={port}", "--out", "run"]
    serving = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        with closing(_called(port)) as board:
            for number in range(0, 100, 2):
                board.sendall(str(number).encode())
                assert board.recv(64) == str(number + 1).encode()
        time.sleep(0.3)
        os.kill(serving.pid, signal.SIGINT)
        out, told = serving.communicate(timeout=20)
    finally:
        serving.kill()

    assert serving.returncode == 0, told
    assert told.startswith("airwire: serving pingpong at ") and f"port {port}" in told
    assert "of 50 answered" in out
    (row,) = package.load_run(tmp_path / "run").captures
    assert row.outcomes["paired"] >= 49


def test_a_server_that_nobody_called_before_ctrl_c_measured_nothing(tmp_path: Path) -> None:
    with closing(socket.socket()) as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
    command = [sys.executable, "-m", "airwire.cli", "serve", "pingpong", "--set", f"port={port}", "--out", "run"]
    serving = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert serving.stderr is not None
        first = serving.stderr.readline()
        os.kill(serving.pid, signal.SIGINT)
        _, told = serving.communicate(timeout=20)
    finally:
        serving.kill()

    assert first.endswith("Ctrl-C ends it\n") and serving.returncode == 1, told
    assert "pingpong measured nothing: nobody called" in told and len(told.splitlines()) == 1


def _called(port: int) -> socket.socket:
    for _ in range(200):
        with suppress(OSError):
            return socket.create_connection(("127.0.0.1", port), timeout=5)
        time.sleep(0.05)
    raise AssertionError("nobody serves")


def test_a_port_that_somebody_has_is_named(airwire: Airwire) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = airwire("serve", "pingpong", "--set", f"port={port}")

    assert done.returncode == 2 and f"port {port}" in done.stderr and "Traceback" not in done.stderr
