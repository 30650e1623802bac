"""The firmware's HTTP server on this machine, under address and undefined-behaviour sanitizers.

Its own tests in C, then properties of any request, with Python's http.client as the reader of answers; then the size of
the code on its processor. Real clients are in test_http_clients.py, fuzz inputs in test_host_port.py.
"""

from __future__ import annotations

import gzip
import http.client
import io
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from http_host import FIRMWARE, HTTP_TESTS, WARNINGS, HostBuild, PipeServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airwire.fsdata import build
from airwire.fsdata.c_source import write

if TYPE_CHECKING:
    from socket import socket

EXCHANGE = HTTP_TESTS / "exchange.c"
CODE_LIMIT_BYTES = 5 * 1024
CONNECTION_LIMIT_BYTES = 200
METHODS = ["GET", "HEAD", "POST"]
# Made once for all examples of a property.
PROPERTY = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module", params=["byte by byte", "in rows"])
def reading(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """How the server reads a request, as options of the compiler."""
    return ("-DHTTP_RUNS=1",) if request.param == "in rows" else ()


@pytest.mark.parametrize("test", sorted(HTTP_TESTS.glob("test_*.c")), ids=lambda test: str(test.stem))
def test_expectations_in_c_hold(host_build: HostBuild, test: Path, reading: tuple[str, ...]) -> None:
    program = host_build.program(test, EXCHANGE, options=reading)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def server(host_build: HostBuild, reading: tuple[str, ...]) -> Iterator[PipeServer]:
    running = PipeServer(host_build.program(HTTP_TESTS / "pipe_server.c", EXCHANGE, options=reading))
    yield running
    running.close()


class _Received:
    """An answer in memory, as http.client wants a socket."""

    def __init__(self, answer: bytes) -> None:
        self.file = io.BytesIO(answer)

    def makefile(self, _mode: str) -> io.BytesIO:
        return self.file


def read_answers(answer: bytes, methods: Sequence[str]) -> list[tuple[http.client.HTTPResponse, bytes]]:
    """All answers in a row, read as a client of their own; nothing may be left over."""
    received = _Received(answer)
    # A reader that closes its file at the end of an answer must not close the one they share.
    received.file.close = lambda: None  # type: ignore[method-assign]
    answers = []
    for method in methods:
        if received.file.tell() == len(answer):
            break
        response = http.client.HTTPResponse(cast("socket", received), method=method)
        response.begin()
        answers.append((response, response.read()))
    assert received.file.read() == b""
    return answers


tokens = st.from_regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}", fullmatch=True)
paths = st.one_of(
    st.sampled_from(
        ["/", "/plain.txt", "/style.css", "/long.shtml", "/note?a=b", "/count?x=%41&y", "/nowhere", "/about"]
    ),
    st.from_regex(r"/[a-z%.?/=&+]{0,12}", fullmatch=True),
)
fields = st.one_of(
    st.sampled_from(
        [
            "Connection: close",
            "Connection: keep-alive",
            "Content-Length: 3",
            "Content-Length: x",
            "Transfer-Encoding: chunked",
            "Content-Type: application/x-www-form-urlencoded",
            "Accept-Encoding: gzip",
            'If-None-Match: "abc", *',
            "Expect: 100-continue",
            "Host: other",
            "host:\t[::1]:80 ",
            "ACCEPT-ENCODING:  GZip;q=0, gzip",
            "Accept-Language: de, en;q=0.5",
            "accept-encodings: gzip",
            " folded",
        ]
    ),
    st.builds(lambda name, value: f"{name}: {value}", tokens, st.text(st.characters(codec="latin-1"), max_size=20)),
)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Something between a right request and noise."""
    method = draw(st.sampled_from([*METHODS, "GET", "GET", "PUT"]))
    version = draw(st.sampled_from(["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP"]))
    lines = [f"{method} {draw(paths)} {version}", "Host: board", *draw(st.lists(fields, max_size=4))]
    end = draw(st.sampled_from(["\r\n", "\r\n", "\r\n", "\n"]))
    whole = (end.join(lines) + end + end).encode("latin-1", "replace") + draw(st.sampled_from([b"", b"a=b"]))
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(whole) - 1))
        whole = whole[:at] + draw(st.binary(max_size=3)) + whole[at + 1 :]
    return whole


@PROPERTY
@given(st.data())
def test_any_split_of_any_requests_gives_the_same_answers(server: PipeServer, data: st.DataObject) -> None:
    text = b"".join(data.draw(st.lists(requests(), min_size=1, max_size=3)))
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    cuts = [0, *sorted(places), len(text)]
    pieces = [text[begin:end] for begin, end in pairwise(cuts)]
    whole = server.answer([text])
    assert server.answer(pieces) == whole
    assert server.answer([text[at : at + 1] for at in range(len(text))]) == whole


@PROPERTY
@given(st.binary(max_size=300))
def test_noise_is_refused_once_and_for_all(server: PipeServer, noise: bytes) -> None:
    answer, is_finished = server.answer([noise, b"\r\n\r\n"])
    assert answer == b"" or re.match(rb"HTTP/1\.1 (400|414|431|501|505) ", answer)
    assert is_finished == (answer != b"")


@PROPERTY
@given(st.lists(st.tuples(st.sampled_from(METHODS), paths, st.booleans()), min_size=1, max_size=6))
def test_a_client_reads_every_answer_of_a_pipeline(server: PipeServer, wanted: list[tuple[str, str, bool]]) -> None:
    """http.client takes the stream of bytes apart: lengths, chunks and bodiless answers have to be right for that."""
    text = b"".join(
        f"{method} {path} HTTP/1.1\r\nHost: board\r\nContent-Length: 0\r\n{'Connection: close' if last else 'A: b'}"
        "\r\n\r\n".encode()
        for method, path, last in wanted
    )
    answer, is_finished = server.answer([text])
    answers = read_answers(answer, [method for method, _, _ in wanted])
    closed = next((n for n, (response, _) in enumerate(answers) if response.will_close), None)
    assert is_finished == (closed is not None)
    assert len(answers) == (len(wanted) if closed is None else closed + 1)
    for (method, path, _), (response, body) in zip(wanted, answers, strict=False):
        assert response.status in (200, 301, 303, 400, 404, 405)
        if method == "HEAD":
            assert body == b""
        if (method, path) == ("GET", "/plain.txt"):
            assert body == b"A plain text.\n"


@PROPERTY
@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.text(max_size=20)), min_size=1, max_size=6))
def test_forms_are_decoded_as_urllib_encodes_them(server: PipeServer, pairs: list[tuple[str, str]]) -> None:
    """/count says how many parameters it was given."""
    from urllib.parse import urlencode

    form = urlencode([(name.replace("\0", "_"), value.replace("\0", "_")) for name, value in pairs]).encode()
    header = b"Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n" % len(form)
    answer, _ = server.answer([b"POST /count HTTP/1.1\r\n" + header + form])
    ((response, body),) = read_answers(answer, ["POST"])
    assert (response.status, body) == (200, str(len(pairs)).encode())


@PROPERTY
@given(st.lists(st.tuples(st.sampled_from(["gzip", "br", "*", "identity", "GZip"]), st.none() | st.integers(0, 1000))))
def test_gzip_is_sent_when_its_weight_is_not_zero(server: PipeServer, offers: list[tuple[str, int | None]]) -> None:
    value = ", ".join(name if weight is None else f"{name};q={weight / 1000:.3f}" for name, weight in offers)
    request = f"GET /style.css HTTP/1.1\r\nHost: a\r\nAccept-Encoding: {value}\r\n\r\n"
    ((response, body),) = read_answers(server.answer([request.encode()])[0], ["GET"])
    takes_gzip = any(name.lower() == "gzip" and weight != 0 for name, weight in offers)
    assert response.getheader("Content-Encoding") == ("gzip" if takes_gzip else None)
    text = gzip.decompress(body) if takes_gzip else body
    assert text == (HTTP_TESTS / "site" / "style.css").read_bytes()


@pytest.fixture(scope="module")
def cortex(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The server's objects for its processor."""
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not on this machine (Debian: gcc-arm-none-eabi)")
    folder = tmp_path_factory.mktemp("cortex")
    limit = folder / "limit.c"
    limit.write_text(
        f'#include "http.h"\n_Static_assert(sizeof(struct http_connection) <= {CONNECTION_LIMIT_BYTES}, "small");\n'
    )
    objects = []
    for source in [*sorted(FIRMWARE.glob("protocols/*/*.c")), limit]:
        if source.parent.name not in ("http", "fsdata", folder.name):
            continue
        objects.append(folder / f"{source.stem}.o")
        includes = [f"-I{FIRMWARE / 'protocols' / name}" for name in ("http", "fsdata")]
        command = ["arm-none-eabi-gcc", *WARNINGS, "-Os", "-mcpu=cortex-m0plus", "-mthumb", *includes]
        built = subprocess.run([*command, "-c", source, "-o", objects[-1]], capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
    return objects


def test_code_and_connections_are_small_on_the_processor(cortex: list[Path]) -> None:
    objects = [path for path in cortex if path.name.startswith("http_")]
    listed = subprocess.run(["arm-none-eabi-size", "-t", *objects], capture_output=True, text=True, check=True).stdout
    text, data, bss = map(int, listed.splitlines()[-1].split()[:3])
    assert text <= CODE_LIMIT_BYTES
    assert (data, bss) == (0, 0)


def test_nothing_is_called_that_a_board_does_not_have(cortex: list[Path]) -> None:
    listed = subprocess.run(["arm-none-eabi-nm", "-u", *cortex], capture_output=True, text=True, check=True).stdout
    called = set(re.findall(r"U (\S+)", listed))
    own = {name for name in called if name.startswith(("http_", "fsdata_", "__gnu_thumb1_case"))}
    assert called - own <= {"memcpy", "memset", "memchr", "memcmp", "strcmp", "strncmp", "strlen"}


def test_the_example_of_the_how_to_compiles(host_build: HostBuild, tmp_path: Path) -> None:
    page = (FIRMWARE.parent / "docs" / "how-to" / "serve-pages.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```c\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "example.c").write_text(example + "\nint main(void) { return start() == 0; }\n", encoding="utf-8")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.shtml").write_text("<!--#voltage-->", encoding="utf-8")
    write(build(tmp_path / "site"), tmp_path / "fsdata.c")
    program = host_build.program(tmp_path / "example.c", tmp_path / "fsdata.c", options=[f"-I{tmp_path}"])
    assert subprocess.run([program], check=False).returncode == 0


def test_the_how_to_says_what_the_code_costs(cortex: list[Path]) -> None:
    page = (FIRMWARE.parent / "docs" / "how-to" / "serve-pages.md").read_text(encoding="utf-8")
    said = re.search(r"(\d+) bytes for the server, (\d+) for the reader of images", page)
    assert said is not None
    for wanted, group in ((said[1], "http_"), (said[2], "fsdata_")):
        objects = [path for path in cortex if path.name.startswith(group)]
        listed = subprocess.run(["arm-none-eabi-size", "-t", *objects], capture_output=True, text=True, check=True)
        # Another compiler of the same kind may differ a little.
        assert int(wanted) == pytest.approx(int(listed.stdout.splitlines()[-1].split()[0]), rel=0.03)
