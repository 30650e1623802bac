"""What a client may ask of the demo site, and what it has to get: asked of images on a virtual board and of the host's.

Each function takes the server's address and asserts. Limits of time are those of a loaded machine.
"""

from __future__ import annotations

import http.client
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

SITE = Path(__file__).resolve().parents[2] / "firmware" / "sites" / "demo"
STATIC = (SITE / "static.html").read_bytes()
FORM = "Content-Type: application/x-www-form-urlencoded"
WAIT_S = 60
BODY_BYTES = 20_000
"""Far more than a form may have."""

Address = tuple[str, int]


class Answer(NamedTuple):
    """One answer, read to its end."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def request(method: str, path: str, *fields: str, body: bytes = b"") -> bytes:
    """A request of HTTP/1.1."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: board", *fields, "", ""]).encode() + body


def answer_of(connection: socket.socket, method: str = "GET") -> Answer:
    """The next answer on a connection."""
    response = http.client.HTTPResponse(connection, method=method)
    response.begin()
    return Answer(response.status, response.headers, response.read())


def connect(address: Address) -> socket.socket:
    """A new connection, without Nagle's waits."""
    connection = socket.create_connection(address, WAIT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def ask(address: Address, content: bytes, method: str = "GET") -> Answer:
    """The answer to a request on a connection of its own."""
    with connect(address) as connection:
        connection.sendall(content)
        return answer_of(connection, method)


@contextmanager
def holding(address: Address, seats: int) -> Iterator[list[socket.socket]]:
    """So many connections that have each had a page and stay."""
    with ExitStack() as stack:
        held = [stack.enter_context(connect(address)) for _ in range(seats)]
        for connection in held:
            is_served(connection)
        yield held


def is_served(connection: socket.socket) -> None:
    """Asserts that a page comes on a connection."""
    connection.sendall(request("GET", "/static.html"))
    answer = answer_of(connection)
    assert (answer.status, answer.body) == (200, STATIC)


def is_served_soon(address: Address) -> None:
    """Asserts that there is a seat for a new client once others have left, as soon as the server knows of it."""
    end = time.monotonic() + WAIT_S
    while True:
        try:
            answer = ask(address, request("GET", "/static.html"))
        except ConnectionError:
            answer = None
        assert answer is None or answer.status in {200, 503}
        if answer is not None and answer.status == 200:
            assert answer.body == STATIC
            return
        assert time.monotonic() < end, "nobody is served any more"
        time.sleep(0.05)


def has_ended(connection: socket.socket) -> bool:
    """Whether nothing more comes, in order or by a reset."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def pages_on_one_connection(address: Address) -> None:
    """Every file of the site, and a page with tags."""
    with connect(address) as connection:
        for name in ("static.html", "live.js", "style.css", "icon.svg"):
            connection.sendall(request("GET", f"/{name}"))
            answer = answer_of(connection)
            assert (answer.status, answer.body) == (200, (SITE / name).read_bytes())
        connection.sendall(request("GET", "/live.json.shtml"))
        assert re.fullmatch(rb'\{"voltage": "1\.6\d\d", "temperature": .*\}\n', answer_of(connection).body)


def head_is_get_without_a_body(address: Address) -> None:
    """And the connection goes on behind it."""
    with connect(address) as connection:
        for path in ("/static.html", "/nowhere"):
            answers = {}
            for method in ("HEAD", "GET"):
                connection.sendall(request(method, path))
                answers[method] = answer_of(connection, method)
            assert answers["HEAD"].status == answers["GET"].status
            assert answers["HEAD"].headers.items() == answers["GET"].headers.items()
            assert (answers["HEAD"].body, answers["GET"].body != b"") == (b"", True)


def known_pages_are_not_sent_again(address: Address) -> None:
    """304 for the page's own ETag, the page for another."""
    with connect(address) as connection:
        connection.sendall(request("GET", "/static.html"))
        etag = answer_of(connection).headers["ETag"]
        for given, status, body in ((etag, 304, b""), (f'"other", W/{etag}', 304, b""), ('"other"', 200, STATIC)):
            connection.sendall(request("GET", "/static.html", f"If-None-Match: {given}"))
            answer = answer_of(connection)
            assert (answer.status, answer.body, answer.headers["ETag"]) == (status, body, etag)


def wrong_requests_are_told_what_is_wrong(address: Address) -> None:
    """Each on a connection of its own, and a right one after it."""
    long = "x" * 5000
    for content, status, allowed in (
        (request("GET", "/nowhere"), 404, None),
        (request("POST", "/static.html", FORM, "Content-Length: 0"), 405, "GET, HEAD"),
        (request("GET", "/lamp"), 405, "POST"),
        (request("POST", "/lamp", FORM), 411, None),
        (request("GET", f"/{long}"), 414, None),
        (request("GET", "/", f"X-Long: {long}"), 431, None),
        (request("POST", "/lamp", FORM, "Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 501, None),
        (b"GET / HTTP/1.1\r\n\r\n", 400, None),
    ):
        answer = ask(address, content)
        assert (answer.status, answer.headers["Allow"]) == (status, allowed), content[:40]
        assert answer.body, content[:40]
    assert ask(address, request("GET", "/nowhere")).body == (SITE / "404.html").read_bytes()
    assert ask(address, request("GET", "/static.html")).body == STATIC


def an_early_answer_is_not_lost_to_a_reset(address: Address) -> None:
    """413 comes while the client still sends its body, and is read only when all of that is out."""
    with connect(address) as connection:
        connection.sendall(request("POST", "/lamp", FORM, f"Content-Length: {BODY_BYTES}"))
        for _ in range(10):
            connection.sendall(b"x" * (BODY_BYTES // 10))
            time.sleep(0.02)
        answer = answer_of(connection)
        assert (answer.status, has_ended(connection)) == (413, True)


def one_too_many_is_told_and_the_others_go_on(address: Address, seats: int, is_told: bool) -> None:
    """A client whose request is there with its connection gets 503, or is refused by a chip that has no socket left."""
    with holding(address, seats) as held:
        with connect(address) as late:
            if is_told:
                late.sendall(request("GET", "/static.html"))
                time.sleep(0.1)
                answer = answer_of(late)
                assert (answer.status, answer.headers["Connection"]) == (503, "close")
            assert has_ended(late)
        for connection in held:
            is_served(connection)
    is_served_soon(address)


def slow_clients_cannot_hold_seats(address: Address, seats: int, limit_s: float) -> None:
    """A byte of a header now and then on every seat there is: after the limit each is free again."""
    text = b"GET / HTTP/1.1\r\nX-Slow: " + b"a" * 1000
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(address)) for _ in range(seats)]
        begun, sent = time.monotonic(), 0
        open_ones = list(slow)
        while open_ones:
            assert time.monotonic() - begun < WAIT_S, f"{len(open_ones)} slow clients still sit there"
            for connection in list(open_ones):
                try:
                    connection.sendall(text[sent : sent + 1])
                    connection.settimeout(0.01)
                    assert connection.recv(1) == b""
                    open_ones.remove(connection)
                except TimeoutError:
                    continue
                except OSError:
                    open_ones.remove(connection)
            sent += 1
            time.sleep(limit_s / 20)
        assert time.monotonic() - begun >= limit_s / 2, "nobody is sent away at once"
    is_served_soon(address)
