"""``airwire live`` as it is typed: what it shows, what it refuses in a sentence, and what Ctrl-C leaves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from airwire.live import page as pages

Airwire = Callable[..., subprocess.CompletedProcess[str]]
REPOSITORY = Path(__file__).resolve().parents[2]
SUITE = "samples = 200\n\n[links.uart]\npayloads = [12]\n"
ENVIRONMENT = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
IS_BUILT = all((Path(pages.__file__).parent / "assets" / name).is_file() for name in pages.ASSETS)
needs_page = pytest.mark.skipif(not IS_BUILT, reason="the live page is not built: make web")


@contextmanager
def living(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the address that it prints; it is ended in any case."""
    command = [sys.executable, "-m", "airwire.cli", "live", "--no-open", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        assert first.startswith("Live view: http://127.0.0.1:"), first + process.stderr.read()
        yield process, first.removeprefix("Live view: ").strip()
    finally:
        process.kill()
        process.communicate()


def interrupted(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """What the command says and ends with on Ctrl-C."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@needs_page
def test_a_suite_is_shown_and_kept_and_ctrl_c_after_its_end_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    with living(tmp_path, "suite.toml", "--out", "kept") as (process, address):
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert '<h1 id="title">suite</h1>' in answer.read().decode()
        while b"finished" not in told_state(address):
            assert process.poll() is None
        code, out, err = interrupted(process)
    assert (code, err) == (0, "")
    assert out.endswith("Measured: 1 row in kept\n")
    assert (tmp_path / "kept/environment.json").is_file()


def told_state(address: str) -> bytes:
    """The first state that a page is told."""
    from websockets.sync.client import connect

    with connect(address.replace("http:", "ws:") + "stream") as socket:
        socket.recv(20)
        socket.send('{"type":"resume"}')
        while True:
            message = socket.recv(20)
            if isinstance(message, bytes):
                socket.send('{"type":"ack"}')
            elif '"state"' in message:
                return message.encode()


@needs_page
def test_ctrl_c_while_it_measures_ends_with_130_and_keeps_what_is_there(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    assert airwire("run", "suite.toml", "--out", "growing").returncode == 0
    # What a run writes last: without it the folder is still being written.
    (tmp_path / "growing/environment.json").unlink()
    with living(tmp_path, "growing") as (process, address):
        while b"is still being written" not in told_state(address):
            assert process.poll() is None
        code, out, err = interrupted(process)
    assert code == 130, err
    assert err == "airwire: stopped by Ctrl-C; what was measured is kept\n"
    assert out.endswith("Measured: growing: 200 messages in 1 row\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.elf"], "nowhere.elf: there is no such file; name a run folder, a suite, an image, pingpong"),
        (["unfit.elf"], "unfit.elf"),
        (["publishd"], "no suite of this name comes with the package"),
        (["empty"], "empty: is no run folder: it has no samples; name one that airwire run wrote"),
        (["suite.toml", "suite.toml", "suite.toml"], "3 measurements were named, and two fit side by side"),
        (["suite.toml", "suite.toml"], "suite.toml was named twice; name two measurements"),
        (["suite.toml", "--host", "0.0.0.0"], "--host 0.0.0.0 shows the measurement to a network; give --token"),
        (["suite.toml", "--token", "short"], "--token has 5 characters; give 16 or more"),
        (["suite.toml", "--host", "no.such.host.invalid", "--token", "0" * 16], "the live view cannot listen there"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(
    airwire: Airwire, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    (tmp_path / "empty").mkdir(exist_ok=True)
    (tmp_path / "unfit.elf").write_bytes(b"\x7fELF")
    done = airwire("live", "--no-open", *arguments)
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


@needs_page
def test_a_view_that_nobody_ends_is_over_with_the_measurement(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    done = airwire("live", "--no-open", "--until-done", "suite.toml", "--out", "kept")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Measured: 1 row in kept\n")


@needs_page
def test_the_instrument_of_the_how_to_is_shown(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/how-to/watch-a-measurement-live.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    program += "assert (feed.sentence, len(feed.series('stopwatch'))) == ('1000 messages', 1000)\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("http://127.0.0.1:")
