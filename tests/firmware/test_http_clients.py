"""Real clients against the firmware's HTTP server on this machine's sockets: http.client, curl, ab, h11, slow ones."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import h11
import pytest
from http_host import FIRMWARE, HTTP_TESTS, HostBuild, serving

from airwire.fsdata import build
from airwire.fsdata.c_source import write
from artefacts import session_folder

DEMO = FIRMWARE / "sites" / "demo"
# As firmware/tests/http/serve_posix.c has it.
CONNECTION_LIMIT = 8
# Deadlines so short that tests wait for them.
SHORT_MS = 400


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("image") / "demo.bin"
    write(build(DEMO, gzip=True), path)
    return path


@pytest.fixture(scope="module")
def port(host_build: HostBuild, image: Path) -> Iterator[int]:
    with serving(host_build.program(HTTP_TESTS / "serve_posix.c"), image) as port:
        yield port


@pytest.fixture(scope="module")
def impatient_port(tmp_path_factory: pytest.TempPathFactory, image: Path) -> Iterator[int]:
    limits = [f"-DHTTP_{name}_MS={SHORT_MS}u" for name in ("REQUEST", "IDLE", "RESPONSE")]
    build = HostBuild(tmp_path_factory.mktemp("impatient"), session_folder(tmp_path_factory))
    program = build.program(HTTP_TESTS / "serve_posix.c", options=limits)
    with serving(program, image) as port:
        yield port


@contextmanager
def client_of(port: int) -> Iterator[http.client.HTTPConnection]:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    yield client
    client.close()


@contextmanager
def connected(port: int, count: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5)) for _ in range(count)]


def has_closed(connection: socket.socket, within_s: float) -> bool:
    connection.settimeout(within_s)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


def test_http_client_keeps_one_connection_for_all_pages(port: int) -> None:
    with client_of(port) as client:
        client.connect()
        first_socket = client.sock
        for name in ("static.html", "live.js", "style.css", "icon.svg"):
            client.request("GET", f"/{name}")
            response = client.getresponse()
            assert response.status == 200
            assert response.read() == (DEMO / name).read_bytes()
        client.request("GET", "/static.html", headers={"If-None-Match": response.getheader("ETag") or ""})
        assert client.getresponse().read() == (DEMO / "static.html").read_bytes()
        client.request("GET", "/missing")
        missing = client.getresponse()
        assert (missing.status, missing.read()) == (404, (DEMO / "404.html").read_bytes())
        assert client.sock is first_socket


def test_the_live_figures_are_json_and_count_up(port: int) -> None:
    with client_of(port) as client:
        counts = []
        for _ in range(3):
            client.request("GET", "/live.json.shtml")
            response = client.getresponse()
            assert response.getheader("Content-Type") == "application/json"
            assert response.getheader("Cache-Control") == "no-store"
            live = json.loads(response.read())
            assert 0 <= float(live["voltage"]) <= 3.3
            counts.append(int(live["counter"]))
        assert counts == [counts[0], counts[0] + 1, counts[0] + 2]


def test_the_page_with_tags_has_about_207_bytes(port: int) -> None:
    with client_of(port) as client:
        client.request("GET", "/ssi.shtml")
        body = client.getresponse().read()
        assert abs(len(body) - 207) <= 4
        assert b"<p>Hello!</p>" in body
        assert b"<!--#" not in body


def curl(*arguments: str) -> str:
    if shutil.which("curl") is None:
        pytest.skip("curl is not on this machine")
    return subprocess.run(["curl", "-sS", "-m", "10", *arguments], capture_output=True, text=True, check=True).stdout


def test_curl_gets_gzip_and_unpacks_it(port: int) -> None:
    there = f"http://127.0.0.1:{port}/live.js"
    assert curl("--compressed", there) == (DEMO / "live.js").read_text()
    head = curl("--compressed", "-I", there)
    assert "Content-Encoding: gzip\n" in head
    etag = re.search(r'ETag: (".*")', head)
    assert etag is not None
    assert curl("--compressed", "-H", f"If-None-Match: W/{etag[1]}", "-w", "%{http_code}", there) == "304"
    assert curl("-H", f"If-None-Match: {etag[1]}", "-o", "/dev/null", "-w", "%{http_code}", there) == "200"


def test_curl_sends_a_form_and_follows_to_the_page_after_it(port: int) -> None:
    base = f"http://127.0.0.1:{port}"
    sent = curl("-L", "-w", " %{http_code} %{num_redirects}", "--data-urlencode", "name=J\u00f6rg & Co", f"{base}/name")
    assert sent == "Hello 200 1"
    assert curl(f"{base}/last-name") == "J\u00f6rg & Co"
    assert curl("-w", "%{http_code}", "-H", "Expect: 100-continue", "-d", "name=Ann", f"{base}/name") == "303"
    assert curl(f"{base}/last-name") == "Ann"
    assert curl("-0", "-d", "name=Old", "-w", "%{http_code}", f"{base}/name") == "303"
    chunked = curl("-H", "Transfer-Encoding: chunked", "-d", "name=x", "-w", " %{http_code}", f"{base}/name")
    assert chunked.endswith(" 501")


@pytest.mark.parametrize("options", [[], ["-k"], ["-c", "4"], ["-k", "-c", "4"]], ids=" ".join)
@pytest.mark.parametrize("page", ["static.html", "ssi.shtml"])
def test_ab_counts_no_failure(port: int, page: str, options: list[str]) -> None:
    """-l: the length of a page with tags may change, as the published comparison's did."""
    if shutil.which("ab") is None:
        pytest.skip("ab is not on this machine (Debian: apache2-utils)")
    command = ["ab", "-q", "-l", "-n", "400", *options, f"http://127.0.0.1:{port}/{page}"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    figures = dict(re.findall(r"^([A-Z][A-Za-z0-9 -]+): +([0-9.]+)", said, re.MULTILINE))
    assert figures["Complete requests"] == "400"
    assert figures["Failed requests"] == "0"
    assert "Non-2xx responses" not in figures
    assert figures.get("Keep-Alive requests", "0") == ("400" if "-k" in options else "0")


def test_h11_reads_every_page_of_one_connection(port: int) -> None:
    """h11 is stricter than most clients."""
    client = h11.Connection(h11.CLIENT)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        for path in ("/", "/ssi.shtml", "/static.html", "/nowhere"):
            request = h11.Request(method="GET", target=path, headers=[("Host", "board")])
            connection.sendall(client.send(request) + client.send(h11.EndOfMessage()))
            body, event = b"", client.next_event()
            while not isinstance(event, h11.EndOfMessage):
                if event is h11.NEED_DATA:
                    client.receive_data(connection.recv(4096))
                elif isinstance(event, h11.Data):
                    body += event.data
                event = client.next_event()
            assert body.startswith(b"<!DOCTYPE html>")
            client.start_next_cycle()


def test_a_client_beyond_the_limit_is_told_and_the_others_go_on(impatient_port: int) -> None:
    with connected(impatient_port, CONNECTION_LIMIT) as held:
        for connection in held:
            connection.sendall(b"GET /static.html HTTP/1.1\r\nHost: a\r\n\r\n")
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
        with socket.create_connection(("127.0.0.1", impatient_port), timeout=5) as one_more:
            assert one_more.recv(4096).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
            assert has_closed(one_more, 2)
        held[0].sendall(b"GET /static.html HTTP/1.1\r\nHost: a\r\n\r\n")
        assert held[0].recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
        # Idle connections make room by themselves.
        assert all(has_closed(connection, 5) for connection in held)
    with socket.create_connection(("127.0.0.1", impatient_port), timeout=5) as late:
        late.sendall(b"GET /static.html HTTP/1.0\r\n\r\n")
        assert late.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")


def test_slow_clients_cannot_hold_connections(impatient_port: int) -> None:
    """One byte of a header every tenth of a second, on every connection there is."""
    text = b"GET / HTTP/1.1\r\nX-Slow: " + b"a" * 200
    with connected(impatient_port, CONNECTION_LIMIT) as slow:
        begun = time.monotonic()
        with suppress(OSError):
            for byte in text:
                for connection in slow:
                    connection.sendall(bytes([byte]))
                time.sleep(0.1)
        assert SHORT_MS / 1000 <= time.monotonic() - begun < 5
    with socket.create_connection(("127.0.0.1", impatient_port), timeout=5) as other:
        other.sendall(b"GET /static.html HTTP/1.0\r\n\r\n")
        assert other.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")


def test_an_answer_before_the_whole_body_reaches_its_client(port: int) -> None:
    """413 comes while the client still sends; it must not be lost to a reset."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        header = b"POST /name HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        connection.sendall(header + b"Content-Length: 20000\r\n\r\n" + b"x" * 20000)
        answer = b""
        while part := connection.recv(4096):
            answer += part
        assert answer.startswith(b"HTTP/1.1 413 Content Too Large\r\n")


def test_a_pipeline_in_single_bytes_is_answered_in_order(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        both = b"GET /static.html HTTP/1.1\r\nHost: a\r\n\r\nGET /icon.svg HTTP/1.0\r\n\r\n"
        for byte in both:
            connection.sendall(bytes([byte]))
        answer = b""
        while part := connection.recv(4096):
            answer += part
    static, icon = (DEMO / "static.html").read_bytes(), (DEMO / "icon.svg").read_bytes()
    assert 0 < answer.index(static) < answer.index(icon)
    assert answer.endswith(icon)


def test_gzip_variants_unpack_to_the_files(port: int) -> None:
    with client_of(port) as client:
        for name in ("live.js", "style.css"):
            client.request("GET", f"/{name}", headers={"Accept-Encoding": "gzip"})
            assert gzip.decompress(client.getresponse().read()) == (DEMO / name).read_bytes()
