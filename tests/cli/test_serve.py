"""``airwire board serve``: real programs of this machine talk to the virtual board, by forwarded ports and by a TAP."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest

from airwire.board import Board
from airwire.cli.board.live_rate import LiveRate
from airwire.cli.board.wire_log import WireLog

NAMESPACE = f"airwire-{os.getpid()}"
BOARD = "192.168.1.50"
READY = "sockets for HTTP"


@contextmanager
def served(
    images: Path, log: Path, *options: str, within: tuple[str, ...] = (), name: str = "wiznet_http.elf"
) -> Iterator[subprocess.Popen[bytes]]:
    """A board that serves until the block ends; its console is in ``log``."""
    image = images / name
    command = [*within, sys.executable, "-m", "airwire.cli", "board", "serve", str(image), *options]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            finally:
                process.kill()


def wait_for(log: Path, text: str, seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        content = log.read_text("utf-8", "replace")
        if text in content:
            return content
        time.sleep(0.05)
    raise AssertionError(f"{text!r} did not come: {log.read_text('utf-8', 'replace')}")


def run(*command: str, seconds: float = 60) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def need(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


@pytest.fixture
def namespace() -> Iterator[tuple[str, ...]]:
    need("ip")
    made = subprocess.run(["ip", "netns", "add", NAMESPACE], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("no network namespace can be made here: " + made.stderr.decode().strip())
    try:
        yield ("ip", "netns", "exec", NAMESPACE)
    finally:
        subprocess.run(["ip", "netns", "del", NAMESPACE], check=False)


def test_curl_and_ab_reach_a_forwarded_port(images: Path, tmp_path: Path) -> None:
    need("curl", "ab")
    log = tmp_path / "serve.log"
    with served(images, log, "--forward", "0:80"):
        content = wait_for(log, READY)
        address = content.split(" leads to port 80")[0].split()[-1]
        assert address.startswith("http://127.0.0.1:") and address.endswith("/"), "a terminal makes a link of it"
        page = run("curl", "-s", "--max-time", "30", address)
        assert len(page) == 137
        assert "<title>Airwire</title>" in page
        assert len(run("curl", "-s", "--max-time", "30", f"{address}big")) == 20_480
        run("curl", "-s", "--max-time", "30", f"{address}none")
        requests = run("ab", "-q", "-n", "50", "-c", "2", address)
        assert "Complete requests:      50" in requests
        assert "Failed requests:        0" in requests
    content = log.read_text("utf-8")
    for asked in ("GET /: 200", "GET /big: 200", "GET /none: 404"):
        assert re.search(rf"^ +[0-9.]+ s  {asked} after [0-9.]+ [mu]s$", content, re.MULTILINE), content
    assert re.search(r"^Served [0-9.]+ s at [0-9.]+ % of real time\.$", content, re.MULTILINE)
    assert re.search(r"^53 requests on [0-9]+ connections, [0-9.]+ requests/s; ", content, re.MULTILINE), content
    assert "Answers: 200 52 times, 404 1 time; first byte after " in content


def test_a_request_is_in_the_log_while_the_board_is_idle_after_it(images: Path, tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    with served(images, log, "--forward", "0:80"):
        address = wait_for(log, "leads to port 80").split(" leads to port 80")[0].rsplit(" ", 1)[-1]
        wait_for(log, READY)
        urllib.request.urlopen(address, timeout=20).read()
        # One request is far from the 8 KiB that a buffer holds, and nothing follows it.
        wait_for(log, "GET /: 200 after", seconds=10)


def test_the_rate_at_the_foot_of_a_terminal_is_that_of_the_last_second() -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    out, now = Terminal(), [0.0]
    foot = LiveRate(out, clock=lambda: now[0])
    log = WireLog(foot.say)

    def second(requests: int, board_ps: int) -> str:
        now[0] += 1
        log.requests += requests
        log.last_ps = board_ps
        foot.follow(log)
        return out.getvalue().rsplit("\x1b[K", 1)[-1]

    assert second(300, 10**12) == "300 requests/s"
    assert second(100, 15 * 10**11) == "100 requests/s, 50 % of real time"
    foot.say("GET /: 200")
    assert out.getvalue().endswith("\r\x1b[KGET /: 200\n100 requests/s, 50 % of real time")
    foot.clear()
    assert out.getvalue().endswith("\r\x1b[K")
    assert second(0, 15 * 10**11) == "0 requests/s"


def test_what_is_no_terminal_gets_lines_alone() -> None:
    out, now = StringIO(), [0.0]
    foot = LiveRate(out, clock=lambda: now[0])
    log = WireLog(foot.say)
    log.requests, now[0] = 10, 2
    foot.follow(log)
    foot.say("GET /: 200")
    foot.clear()
    assert out.getvalue() == "GET /: 200\n"


def test_the_log_of_the_wire_is_not_a_wall_and_counts_all(images: Path, tmp_path: Path) -> None:
    traffic = "http to=board requests=60 concurrency=2"
    board = Board("w5500-evb-pico", images / "wiznet_http.elf", record=False, traffic=[traffic])
    board.start_pcap(tmp_path / "wire.pcapng")
    board.run("20 s", until_done=True)
    board.end_pcap()
    recording = (tmp_path / "wire.pcapng").read_bytes()
    whole, lines = WireLog(lambda _line: None), list[str]()
    whole.feed(recording)
    pieces = WireLog(lines.append)
    for at in range(0, len(recording), 7):
        pieces.feed(recording[at : at + 7])
    pieces.end()
    assert list(pieces.summary(1.0)) == list(whole.summary(1.0))
    assert whole.requests == 60 and whole.statuses == {"200": 60}
    latency = board.traffic["http"].latency
    assert latency is not None and 0 < min(whole.answered_ps) < max(whole.answered_ps) <= latency.max_ps
    shown = [line for line in lines if "GET /: 200 after " in line]
    seconds = {line.split(".")[0] for line in shown}
    assert len(shown) <= 20 * len(seconds)
    left_out = sum(int(line.split()[1]) for line in lines if " more in this second" in line)
    assert len(shown) + left_out == 60 and left_out > 0


def test_an_image_is_served_with_other_settings(firmware: Path, tmp_path: Path) -> None:
    need("curl")
    log = tmp_path / "serve.log"
    options = ("--set", "http_port=8080", "--set", "address=192.168.1.77", "--forward", "0:8080")
    with served(firmware / "w5500-evb-pico", log, *options, name="http_server-hardware.elf"):
        content = wait_for(log, "ready at 192.168.1.77")
        address = content.split(" leads to port 8080")[0].split()[-1]
        assert "<html" in run("curl", "-s", "--max-time", "30", address)


def test_ping_ab_wrk_and_iperf_reach_the_board_over_a_tap(
    images: Path, tmp_path: Path, namespace: tuple[str, ...]
) -> None:
    need("ping", "ab", "wrk", "iperf")
    log, pcap = tmp_path / "serve.log", tmp_path / "wire.pcapng"
    with served(images, log, "--tap", "tap0", "--pcap", str(pcap), within=namespace):
        wait_for(log, "The board's network is at tap0")
        run(*namespace, "ip", "link", "set", "tap0", "up")
        run(*namespace, "ip", "addr", "add", "192.168.1.2/24", "dev", "tap0")
        wait_for(log, READY)
        pings = run(*namespace, "ping", "-c", "5", "-i", "0.2", "-W", "10", BOARD)
        assert "5 packets transmitted, 5 received, 0% packet loss" in pings
        assert "Failed requests:        0" in run(*namespace, "ab", "-q", "-n", "50", "-c", "2", f"http://{BOARD}/")
        assert "Requests/sec:" in run(*namespace, "wrk", "-t1", "-c2", "-d1s", f"http://{BOARD}/")
        assert "bits/sec" in run(*namespace, "iperf", "-c", BOARD, "-p", "9", "-t", "1", "-l", "1460")
    if shutil.which("tshark"):
        asked = run(
            "tshark", "-r", str(pcap), "-Y", f"http.request && ip.dst == {BOARD}", "-T", "fields", "-e", "ip.src"
        )
        assert asked.split()[:50] == ["192.168.1.2"] * 50


def test_mosquitto_and_libcoap_reach_the_services_of_the_pc_over_a_tap(
    images: Path, tmp_path: Path, namespace: tuple[str, ...]
) -> None:
    need("mosquitto_pub", "mosquitto_sub", "coap-client-notls")
    log = tmp_path / "serve.log"
    with served(images, log, "--tap", "tap0", within=namespace):
        wait_for(log, "The board's network is at tap0")
        run(*namespace, "ip", "link", "set", "tap0", "up")
        run(*namespace, "ip", "addr", "add", "192.168.1.2/24", "dev", "tap0")
        broker = ("-h", "192.168.1.1", "-t", "lamp", "-q", "1")
        run(*namespace, "mosquitto_pub", *broker, "-r", "-m", "on")
        assert run(*namespace, "mosquitto_sub", *broker, "-C", "1", "-W", "20") == "on\n"
        resources = run(*namespace, "coap-client-notls", "-B", "20", "coap://192.168.1.1/.well-known/core")
        assert "</hello>" in resources


def test_a_port_in_use_is_told_in_one_sentence(images: Path, tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    with served(images, log, "--forward", "0:80"):
        port = wait_for(log, "leads to port 80").split("/ leads to port 80")[0].rsplit(":", 1)[-1]
        again = subprocess.run(
            [
                sys.executable,
                "-m",
                "airwire.cli",
                "board",
                "serve",
                str(images / "wiznet_http.elf"),
                "--forward",
                f"{port}:80",
                "--board",
                "w5500-evb-pico",
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1
    assert f"port {port} of this machine cannot be forwarded" in again.stderr


def port_of(log: Path) -> str:
    return wait_for(log, "leads to port 80").split("/ leads to port 80")[0].rsplit(":", 1)[-1]


def test_a_board_is_served_again_at_the_same_port(images: Path) -> None:
    board = Board("w5500-evb-pico", images / "wiznet_http.elf", record=False)
    board.run("5 s", until=READY)
    ports: list[str] = []

    def ready(addresses: list[str]) -> None:
        ports.append(addresses[0].rsplit(":", 1)[-1])
        Thread(target=fetch, args=(addresses[0],)).start()

    def fetch(address: str) -> None:
        pages.append(urllib.request.urlopen(f"http://{address}/", timeout=10).read())
        board.leave()

    pages: list[bytes] = []
    for forward in ("0:80", None):
        report, _ = board.serve("20 s", forward=[forward or f"{ports[0]}:80"], on_ready=ready)
        assert report.reason == "time" and report.time_ps < 30 * 10**12, report.sentence
    assert ports[0] == ports[1] and [len(page) for page in pages] == [137, 137]


def test_serve_ends_after_a_time_of_the_wall(images: Path) -> None:
    board = Board("w5500-evb-pico", images / "wiznet_http.elf", record=False)
    begun, first = time.monotonic(), board.time_ps
    board.serve("300 ms", forward=["0:80"])
    assert 0.3 <= time.monotonic() - begun < 5
    assert board.time_ps - first <= 3 * 10**11


@pytest.mark.parametrize("for_", ["50ms", "333.3ms"])
def test_a_run_that_forwards_ends_at_exactly_its_time(
    airwire: Callable[..., subprocess.CompletedProcess[str]], images: Path, for_: str
) -> None:
    # The clock of the wall is over at any moment, most of them between two looks at the sockets.
    image = images / "wiznet_http.elf"
    ran = airwire("board", "run", image, "--board", "w5500-evb-pico", "--forward", "0:80", "--for", for_, "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["time_ps"] == round(float(for_.removesuffix("ms")) * 10**9)


def test_run_forwards_ports_and_serve_types(images: Path, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    image = images / "wiznet_http.elf"
    command = [sys.executable, "-m", "airwire.cli", "board", "run", str(image), "--forward", "0:80", "--for", "8s"]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as process:
        port = port_of(log)
        wait_for(log, READY)
        assert len(urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10).read()) == 137
        assert process.wait(60) == 0
    content = log.read_text("utf-8")
    assert re.search(r"^Ran until [0-9.]+ s\.$", content, re.MULTILINE), content
    assert re.search(r"Buses: .*spi0 frames [0-9 ]+ at [0-9.]+ MHz", content), content


def test_keys_and_texts_reach_an_image_that_is_served(images: Path, tmp_path: Path) -> None:
    script, log = tmp_path / "typed.txt", tmp_path / "serve.log"
    script.write_text("first line\nsecond\n", encoding="utf-8")
    command = [sys.executable, "-m", "airwire.cli", "board", "serve", str(images / "hello_uart.elf")]
    options = [
        "--board",
        "w5500-evb-pico",
        "--forward",
        "0:80",
        "--send",
        f"@{script}",
        "--interactive",
        "--for",
        "20s",
    ]
    with (
        log.open("wb") as out,
        subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT) as process,
    ):
        wait_for(log, "second")
        assert process.stdin is not None
        process.stdin.write(b"from a key\r")
        process.stdin.flush()
        wait_for(log, "from a key")
        process.stdin.write(b"\x1d")
        process.stdin.flush()
        assert process.wait(15) == 0
    content = log.read_text("utf-8")
    assert content.index("first line") < content.index("second") < content.index("from a key")


@pytest.mark.parametrize(
    ("name", "why"), [("none.txt", "there is no such file"), (".", "it is no file"), ("long.txt", "more than 1 MiB")]
)
def test_a_file_that_cannot_be_typed_is_refused(images: Path, tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "long.txt").write_bytes(b"x" * (1 << 20) + b"y")
    command = [sys.executable, "-m", "airwire.cli", "board", "run", str(images / "hello_uart.elf")]
    options = ["--board", "pico", "--send", f"@{tmp_path / name}"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and why in done.stderr.replace("\n", " "), done.stderr


def test_the_address_for_a_tap_is_of_the_boards_network(images: Path, tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    file.write_text('[pc]\naddress = "10.1.2.1/16"\n', encoding="utf-8")
    board = Board("w5500-evb-pico", images / "wiznet_http.elf", record=False, network=file)
    assert board.network is not None and board.network.free_address == "10.1.0.1/16"
    usual = Board("w5500-evb-pico", images / "wiznet_http.elf", record=False)
    assert usual.network is not None and usual.network.free_address == "192.168.1.2/24"
