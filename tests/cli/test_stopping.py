"""What ends a command early: service managers and closed terminals end it as Ctrl-C does, and nothing is left over."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import airwire
from airwire.synthetic import SlottedLink

SIGNALS = [signal.SIGTERM, signal.SIGHUP]
SUITE = "samples = 100000\npayloads = [12]\n[links.uart]\n[links.espnow]\n[links.nrf24]\n[links.sik]\n"


def begun(folder: Path, *words: str | Path, before: Callable[[], object] | None = None) -> subprocess.Popen[str]:
    """A command in a process of its own, whose temporary files go to ``folder/tmp``."""
    (folder / "tmp").mkdir()
    return subprocess.Popen(
        [sys.executable, "-m", "airwire.entry", *map(str, words)],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    )


def wait_for(process: subprocess.Popen[str], is_there: Callable[[], bool]) -> None:
    """Until something is there; the process must not have ended before."""
    while not is_there():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def has_open(process: subprocess.Popen[str], name: str) -> bool:
    """Whether a process has a file of that name open; it may close any while somebody looks."""
    opened = []
    for one in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            opened.append(one.readlink().name)
    return name in opened


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and the complaints, within a time in which nobody kills it."""
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, said


@pytest.mark.parametrize("number", SIGNALS)
def test_nothing_is_left_in_the_folder_for_temporary_files(
    firmware: Path, tmp_path: Path, number: signal.Signals
) -> None:
    process = begun(tmp_path, "why", firmware / "w5500-evb-pico" / "http_server-lwip_raw.elf")
    wait_for(process, lambda: any((tmp_path / "tmp").iterdir()))
    process.send_signal(number)
    assert ended(process) == (128 + number, f"airwire: stopped by {number.name}\n")
    assert not any((tmp_path / "tmp").iterdir())


LOSES_IT = """
import os, signal, sys, threading, time
from airwire.cli.guard import guarded

begin = threading.Thread.start

def begin_slowly(thread):
    begin(thread)
    time.sleep(0.05)

# As on a busy machine.
threading.Thread.start = begin_slowly

class Lost:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))

def command():
    Lost()
    # A signal between Python's last look and a long sleep would be heard only after it.
    for _ in range(300):
        time.sleep(0.1)
    return 0

guarded(command)
"""


@pytest.mark.parametrize(
    ("number", "ignored"),
    [(signal.SIGINT, None), (signal.SIGTERM, None), (signal.SIGHUP, None), (signal.SIGTERM, signal.SIGINT)],
)
def test_what_comes_while_python_hears_nothing_is_heard_afterwards(
    number: signal.Signals, ignored: signal.Signals | None
) -> None:
    # Python drops what is raised while an object is removed. Ctrl-C is ignored by what a shell runs in the background.
    done = subprocess.run(
        [sys.executable, "-c", LOSES_IT, str(int(number))],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        preexec_fn=None if ignored is None else lambda: signal.signal(ignored, signal.SIG_IGN),
    )
    name = "Ctrl-C" if number is signal.SIGINT else number.name
    assert (done.returncode, done.stderr) == (128 + number, f"airwire: stopped by {name}\n")


STOPS_EVERYWHERE = """
import sys
from pathlib import Path
from airwire.scratch import ScratchFolder

def use(place):
    with ScratchFolder("airwire-", place) as folder:
        (folder / "kept").write_bytes(b"thrown away")

def is_stopped_at(step, place):
    left = step

    def trace(frame, event, _):
        nonlocal left
        frame.f_trace_opcodes = True
        left -= event == "opcode"
        if left == 0 and event == "opcode":
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    try:
        sys.settrace(trace)
        use(place)
    except (KeyboardInterrupt, OSError):
        # The latter where rmtree is stopped as it closes a folder, and closes it again.
        return True
    finally:
        sys.settrace(None)
    return False

place, step = Path(sys.argv[1]), 1
use(place)
while is_stopped_at(step, place) and not any(place.iterdir()):
    step += 1
print(step, *place.iterdir())
"""


def test_a_folder_is_removed_wherever_it_is_stopped(tmp_path: Path) -> None:
    # At each step of what Python executes while a folder is made, used and removed.
    done = subprocess.run(
        [sys.executable, "-c", STOPS_EVERYWHERE, tmp_path], capture_output=True, text=True, timeout=60, check=False
    )
    steps, *left = done.stdout.split()
    assert (done.stderr, left) == ("", [])
    assert int(steps) > 500


def test_folders_are_made_only_so_that_they_go() -> None:
    package = Path(airwire.__file__).parent
    made = [path for path in package.rglob("*.py") if re.search("mkdtemp|TemporaryDirectory", path.read_text("utf-8"))]
    assert made == []


def test_a_terminal_that_is_closed_ends_what_ran_in_it(firmware: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.entry", "why", firmware / "w5500-evb-pico" / "http_server-lwip_raw.elf"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        preexec_fn=take_terminal,
    )
    os.close(theirs)
    while not any((tmp_path / "tmp").iterdir()):
        assert process.poll() is None
        time.sleep(0.005)
    os.close(ours)
    assert process.wait(timeout=60) == 128 + signal.SIGHUP
    assert not any((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("number", SIGNALS)
def test_rows_that_are_finished_are_kept(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    process = begun(tmp_path, "run", "suite.toml", "--workers", "1", "--out", "run")
    wait_for(process, lambda: any(tmp_path.glob("run/**/*.parquet")))
    process.send_signal(number)
    code, said = ended(process)
    assert code == 128 + number
    assert said.startswith(f"airwire: stopped by {number.name}; ") and said.endswith(" and kept\n")
    assert (tmp_path / "run" / "manifest.json").exists()


def test_what_the_shell_ignores_stays_ignored(tmp_path: Path) -> None:
    # As nohup does it: a terminal that closes ends nothing.
    (tmp_path / "suite.toml").write_text(SUITE.replace("100000", "2000"))
    process = begun(
        tmp_path, "run", "suite.toml", "--out", "run", before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    wait_for(process, lambda: (tmp_path / "run").exists())
    process.send_signal(signal.SIGHUP)
    assert ended(process) == (0, "")


def test_a_command_in_the_background_that_ignores_ctrl_c_is_ended_by_a_service_manager(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    process = begun(
        tmp_path, "run", "suite.toml", "--out", "run", before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    wait_for(process, lambda: (tmp_path / "run").exists())
    process.send_signal(signal.SIGTERM)
    code, said = ended(process)
    assert code == 128 + signal.SIGTERM and said.startswith("airwire: stopped by SIGTERM")


def test_a_comparison_that_is_stopped_while_it_reads_compares_nothing(tmp_path: Path) -> None:
    head = "$timescale 1 us $end $var wire 1 ! t $end $var wire 1 ? d $end $enddefinitions $end #0 0! 0?"
    edges = "".join(f"#{us} 1! #{us + 1} 0! #{us + 9} 1? #{us + 10} 0?\n" for us in range(20, 20_000_000, 20))
    (tmp_path / "long.vcd").write_text(f"{head}\n{edges}", encoding="ascii")
    process = begun(tmp_path, "compare", "long.vcd", "long.vcd")
    wait_for(process, lambda: has_open(process, "long.vcd"))
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, "airwire: stopped by Ctrl-C\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["waveform", "held", "--out", "held.svg"], "Reading the capture"),
        (["compare", "held", "held.csv"], "Reading captures"),
        (["analyze", "held"], "Analysing captures"),
        (["convert", "held", "held.vcd"], "Converting"),
        (["explain", "held", "--link", "uart", "--payload", "12B"], "Fitting the model to the capture"),
    ],
)
def test_who_waits_for_a_capture_is_told_and_may_stop(tmp_path: Path, words: list[str], says: str) -> None:
    # A capture that takes long to read: a pipe whose writer has said no more than the beginning.
    os.mkfifo(tmp_path / "held")
    (tmp_path / "held.csv").write_text("Time [s],Channel 0,Channel 1\n0,0,0\n", encoding="ascii")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.entry", *words],
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        with (tmp_path / "held").open("w", encoding="ascii") as writer:
            writer.write("Time [s],Channel 0,Channel 1\n0,0,0\n1,1,0\n")
            writer.flush()
            seen, until, is_stopped = "", time.monotonic() + 20, False
            while process.poll() is None and time.monotonic() < until:
                if select.select([ours], [], [], 0.1)[0]:
                    # At the end of the process there is no terminal any more.
                    with suppress(OSError):
                        seen += os.read(ours, 4096).decode("utf-8", "replace")
                # While a bar is drawn, as people cannot choose when.
                if says in seen and not is_stopped:
                    process.send_signal(signal.SIGINT)
                    is_stopped = True
            assert says in seen
            assert process.wait(timeout=5) == 130, seen
    finally:
        process.kill()
        process.wait()
        os.close(ours)


STOPPED_AS_IT_DRAWS = """
import sys
import airwire.report
from airwire import entry

def stopped(*_values, **_options):
    raise KeyboardInterrupt

airwire.report.write_html = stopped
entry.main()
"""


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["run", "suite.toml", "--out", "kept"], "; the run folder kept is kept, and airwire report kept draws it"),
        (["analyze", "12B.csv", "--out", "kept"], "; the run folder kept is kept, and airwire report kept draws it"),
        (["analyze", "12B.csv", "--no-run-folder"], ""),
        (["probe", "ping", "127.0.0.1", "--samples", "3", "--out", "kept"],
         "; the run folder kept is kept, and airwire report kept draws it"),
    ],
)  # fmt: skip
def test_who_stops_a_report_is_told_what_is_kept(tmp_path: Path, words: list[str], kept: str) -> None:
    (tmp_path / "suite.toml").write_text(SUITE.replace("100000", "100"))
    SlottedLink(messages=40).write_csv(tmp_path / "12B.csv")
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_AS_IT_DRAWS, *words, "--report", "page.html"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, f"airwire: stopped by Ctrl-C{kept}\n")
    assert (tmp_path / "kept" / "manifest.json").exists() == bool(kept)
    assert not (tmp_path / "page.html").exists()
