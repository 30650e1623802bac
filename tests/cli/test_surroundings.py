"""What a command meets around it: streams that are closed, pipes, full disks, too little memory, signals and garbage.

Each ends in one sentence and with a documented exit code, or outlives what came. All have processes of their own.
"""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from airwire.cli.complaints import EXIT_BAD_INPUT, EXIT_INTERRUPTED
from airwire.synthetic import SlottedLink
from command_server import CommandServer

Airwire = Callable[..., subprocess.CompletedProcess[str]]


def command(*words: str, shell: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, with what a shell says behind it or before it."""
    line = f"{shell} exec {sys.executable} -m airwire.entry {' '.join(words)}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False, **more)


def test_streams_that_are_closed_and_disks_that_are_full_are_no_fault(tmp_path: Path) -> None:
    assert command("help", "run", "<&-", ">&-").returncode == 0
    assert command("schema", "absent", "2>&-").returncode == EXIT_BAD_INPUT
    full = command("help", "run", ">/dev/full")
    assert (full.returncode, full.stderr) == (
        2,
        "airwire: standard output: cannot write it: No space left on device; send it elsewhere, or make room\n",
    )
    nothing = command("analyze", "-", "<&-", cwd=tmp_path)
    assert nothing.returncode == EXIT_BAD_INPUT
    assert nothing.stderr == "airwire: standard input is no pipe and no file; name a capture, or send one with |\n"


def test_too_little_memory_and_too_many_threads_are_refused_before_anything_is_done(
    command_server: CommandServer, tmp_path: Path
) -> None:
    little = command("links", shell="ulimit -v 400000;")
    assert (little.returncode, little.stderr.count("\n")) == (2, 1)
    assert "the address space is limited to 390 MiB" in little.stderr
    (tmp_path / "suite.toml").write_text("[links.uart]\npayloads = [12]\nsamples = 50\n")
    line = ["run", "suite.toml", "--out", "run"]
    many = command_server.run(line, tmp_path, {**os.environ, "RAYON_NUM_THREADS": "100000"}, timeout_s=60)
    assert (many.returncode, "takes a number of threads from 0 to 1024" in many.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["suite.toml"]


@pytest.mark.parametrize("count", ["0", "-1", "1025", "1" * 5000, "two"])
def test_a_number_of_threads_that_polars_cannot_have_is_refused(
    command_server: CommandServer, tmp_path: Path, count: str
) -> None:
    line = ["history", "list"]
    done = command_server.run(line, tmp_path, {**os.environ, "POLARS_MAX_THREADS": count}, timeout_s=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"airwire: POLARS_MAX_THREADS is {count:.60}, but it takes")


@pytest.mark.parametrize("line", ["demo", "run demo", "convert - out.vcd", "fsdata ."])
def test_a_folder_that_was_removed_is_told_and_no_stream_is_blamed(tmp_path: Path, line: str) -> None:
    (tmp_path / "gone").mkdir()
    done = command(*line.split(), "</dev/null", shell=f"cd {tmp_path}/gone; rmdir {tmp_path}/gone;")
    assert (done.returncode, done.stderr.count("\n")) == (EXIT_BAD_INPUT, 1), done.stderr
    assert "standard output" not in done.stderr
    assert "this folder was removed while you were in it; go to another one" in done.stderr


@pytest.mark.parametrize("how", ["raise ImportError('half loaded') from stop", "raise ImportError('half loaded')", ""])
def test_ctrl_c_that_a_module_wraps_while_it_is_loaded_ends_as_ctrl_c_does(tmp_path: Path, how: str) -> None:
    module = f"try:\n    raise KeyboardInterrupt\nexcept KeyboardInterrupt as stop:\n    {how or 'raise'}\n"
    (tmp_path / "polars.py").write_text(module)
    program = "import sys; sys.path.insert(0, '.'); from airwire.cli import main; main()"
    (tmp_path / "a.csv").write_text("Time [s],Channel 0,Channel 1\n0,0,0\n1,1,0\n1.1,1,1\n2,0,0\n")
    line = [sys.executable, "-c", program, "analyze", "a.csv", "--report", "page.html"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (EXIT_INTERRUPTED, "airwire: stopped by Ctrl-C")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what memory is free in a file")
def test_samples_that_have_no_room_are_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("[links.uart]\npayloads = [12]\n")
    done = command("run", "suite.toml", "--samples", "20000000", shell="ulimit -v 2500000;", cwd=tmp_path)
    assert done.returncode == EXIT_BAD_INPUT, done.stderr
    assert "uart/12B: 20000000 samples take some 3200 MB of memory" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["suite.toml"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says in a file which signals are caught")
def test_ctrl_c_is_heard_from_the_first_line_of_ours(tmp_path: Path) -> None:
    begin = "from airwire.entry import main; main()"
    for after_s in (0.0, 0.05, 0.2):
        process = subprocess.Popen(
            [sys.executable, "-c", begin, "run", "links", "--samples", "100000", "--out", "run"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        # The interpreter's own start, which is not ours, ends when we leave the signal to the system.
        while not catches_ctrl_c(process.pid):
            time.sleep(0.0005)
        while catches_ctrl_c(process.pid) and not (tmp_path / "run").exists():
            time.sleep(0.0005)
        time.sleep(after_s)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (EXIT_INTERRUPTED, -signal.SIGINT), said
        assert "Traceback" not in said


def catches_ctrl_c(pid: int) -> bool:
    """Whether a process has a handler for it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    caught = int(status.partition("SigCgt:\t")[2].split()[0], 16)
    return bool(caught >> (signal.SIGINT - 1) & 1)


def files_of(pid: int) -> Iterator[str]:
    """The files that a process has open; one may be closed meanwhile."""
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            yield str(one.readlink())


@pytest.mark.parametrize("line", ["run pipe", "analyze pipe", "convert pipe out.vcd", "board run pipe"])
def test_ctrl_c_ends_the_wait_for_a_writer_that_writes_nothing(tmp_path: Path, line: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    silent = os.open(tmp_path / "pipe", os.O_RDWR)
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", *line.split()], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    try:
        while str(tmp_path / "pipe") not in files_of(process.pid):
            time.sleep(0.02)
            assert process.poll() is None
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
        os.close(silent)
    assert process.returncode == EXIT_INTERRUPTED, said
    assert said.startswith("airwire: stopped by Ctrl-C") and said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_capture_comes_through_a_pipe_that_is_written_later(airwire: Airwire, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    SlottedLink(messages=40).write_csv(tmp_path / "12B.csv")

    def write() -> None:
        time.sleep(0.3)
        (tmp_path / "pipe.csv").write_bytes((tmp_path / "12B.csv").read_bytes())

    writer = threading.Thread(target=write)
    writer.start()
    done = airwire("analyze", "pipe.csv", "--json")
    writer.join()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["captures"][0]["outcomes"]["paired"] == 40


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(images: Path, number: signal.Signals) -> None:
    import termios

    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    line = ["board", "run", str(images / "hello_uart.elf"), "--board", "pico", "--interactive"]
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", *line], stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while termios.tcgetattr(theirs) == before:
            time.sleep(0.02)
            assert process.poll() is None
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
        assert termios.tcgetattr(theirs) == before
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)


def packet(body: str | bytes) -> bytes:
    """A packet of GDB's remote protocol."""
    content = body if isinstance(body, bytes) else body.encode()
    return b"$%s#%02x" % (content, sum(content) % 256)


GARBAGE = {
    "noise": bytes(place * place % 251 for place in range(20_000)),
    "a packet without an end": b"$" + b"a" * 1_000_000,
    "beginnings": b"$" * 100_000,
    "half a packet": b"$m2000",
    "reads of everything": packet("m0,ffffffff") + packet("mffffffff,ffffffffffffffff") + packet("m-1,5"),
    "writes of everything": packet(b"X20000000,ffffffff:abc") + packet("M20000000,ffffffff:00"),
    "all of flash": packet("vFlashErase:10000000,ffffffff") + packet("vFlashWrite:ffffffff:a") + packet("vFlashDone"),
    "an escape of nothing": packet(b"X20000000,1:}"),
    "threads that are none": packet("Hgffffffffff") + packet("T99999999999") + packet("vCont;c:999999;s:88"),
    "a command that is no text": packet("qRcmd," + "ff" * 1000) + packet("qRcmd,zz"),
    "a table's end": packet("qXfer:features:read:target.xml:ffffffffffffffff,ffffffffffffffff"),
    "breakpoints": b"".join(packet(f"Z0,{0x10000000 + 2 * place:x},2") for place in range(500)),
    "refusals": b"-" * 100_000,
    "interruptions": b"\x03" * 100_000,
}


def test_the_server_for_gdb_outlives_garbage(images: Path) -> None:
    from airwire.board import Board

    board, listening, ended = Board("pico", images / "hello_uart.elf"), threading.Event(), []
    where: list[str] = []

    def tell(address: str) -> None:
        where.append(address)
        listening.set()

    server = threading.Thread(target=lambda: ended.append(board.serve_gdb("127.0.0.1:0", on_listening=tell)))
    server.start()
    assert listening.wait(30)
    host, _, port = where[0].rpartition(":")

    def ask(*packets: bytes) -> bytes:
        with socket.create_connection((host, int(port)), timeout=30) as stream:
            stream.sendall(b"+" + b"".join(packets))
            return stream.recv(64)

    for name, content in GARBAGE.items():
        with socket.create_connection((host, int(port)), timeout=30) as stream, suppress(OSError):
            stream.sendall(content)
        assert ask(packet("?")).startswith(b"+$T05thread:01;"), name
    with suppress(OSError):
        ask(packet("k"))
    server.join(30)
    assert [one.reason for one in ended] == ["killed"]
