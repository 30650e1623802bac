"""docs/how-to/ping-pong-in-python.md: its commands copy what is needed, its figures are true."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from micropython_board import WHY_NOT, finish, interpreter, start
from pico_board import REPOSITORY, Costs, PicoBoard, SpiController, clock_for
from ping_pong_rates import PAGE, TABLE, table

TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
HAS_LIBRARY = pytest.mark.skipif(
    importlib.util.find_spec("adafruit_wiznet5k") is None,
    reason="Adafruit's library is not installed (pip install --no-deps -r tests/drivers/requirements.txt)",
)
# Enough of mpremote for the page: ``cp FILES :`` copies to the board, ``run FILE`` copies what it would run.
MPREMOTE = """#!/bin/sh
command=$1; shift
case $command in
cp) while [ "$1" != : ]; do cp "$1" "$BOARD" || exit 1; shift; done ;;
run) cp "$1" "$BOARD" ;;
*) exit 2 ;;
esac
"""


def of(program: str, *, place: str = "") -> list[str]:
    return [line for line in COMMANDS if line.startswith(program) and place in line]


def copied(commands: list[str], folder: Path) -> Path:
    """Do what the page says to copy files; gives the board's drive."""
    drive, tools = folder / "drive", folder / "tools"
    drive.mkdir()
    tools.mkdir()
    (tools / "mpremote").write_text(MPREMOTE, encoding="utf-8")
    (tools / "mpremote").chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "BOARD": str(drive), "CIRCUITPY": str(drive),
    }  # fmt: skip
    assert len(commands) == 2
    for command in commands:
        subprocess.run(["bash", "-c", command], cwd=REPOSITORY, env=environment, check=True)
    return drive


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def pc(command: str, port: int, *more: str) -> subprocess.Popen[str]:
    """Start a PC program of the page, at a port of this machine."""
    words = shlex.split(command.replace("--port 5000", f"--port {port}").replace("192.168.1.20", "127.0.0.1"))
    assert words[0] == "python"
    return subprocess.Popen(
        [sys.executable, *words[1:], *more], cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_every_command_of_the_page_is_run_here() -> None:
    run = [
        *of("mpremote"),
        *of("cp "),
        *of("python ", place="pingpong_server"),
        *of("python ", place="pingpong_client"),
    ]
    assert sorted(run) == sorted(COMMANDS)


@pytest.mark.skipif(interpreter() is None, reason=WHY_NOT)
def test_what_the_page_copies_to_a_micropython_board_is_all_it_needs_to_play_with_the_pc(tmp_path: Path) -> None:
    drive = copied(of("mpremote"), tmp_path)
    port = free_port()
    server = pc(of("python ", place="pingpong_server")[0], port, "--connections", "1")
    assert server.stdout is not None
    assert server.stdout.readline() == f"listening on port {port}\n"
    settings = {"SERVER": "127.0.0.1", "PORT": port}
    code, lines = finish(start(tmp_path, "pingpong_client", drive=[drive], pingpong_client=settings))
    assert code == 0, lines
    assert re.match(r"1000 messages in ", lines[1])
    assert finish(server) == (0, ["127.0.0.1: 1000 numbers answered"])


@HAS_LIBRARY
def test_what_the_page_copies_to_a_circuitpython_board_is_all_it_needs(tmp_path: Path) -> None:
    drive = copied(of("cp "), tmp_path)
    costs = Costs(transaction_ps=330 * 10**6)
    board = PicoBoard(SpiController("w5500"), folders=[drive], costs=costs)
    board.run(drive / "code.py")
    shown = re.search(r"```text\n(ready after \d+ ms: (.*))\n1000 messages", TEXT)
    assert shown
    assert board.console[0].endswith(shown[2])
    assert re.match(r"1000 messages in ", board.console[1])


def test_the_pc_programs_play_with_each_other() -> None:
    port = free_port()
    server = pc(of("python ", place="pingpong_server")[0], port, "--connections", "1")
    assert server.stdout is not None
    server.stdout.readline()
    code, lines = finish(pc(of("python ", place="pingpong_client")[0], port))
    assert code == 0, lines
    assert re.fullmatch(r"1000 messages in \d+\.\d{3} s: \d+\.\d messages/s", lines[0])
    assert finish(server) == (0, ["127.0.0.1: 1000 numbers answered"])


def test_a_pc_client_without_a_server_says_so() -> None:
    code, lines = finish(pc(of("python ", place="pingpong_client")[0], free_port()))
    assert code == 1
    assert "Connection refused" in lines[-1]


def test_the_rp2040_makes_the_clocks_that_the_page_names() -> None:
    assert clock_for(33_000_000) == 31_250_000
    assert clock_for(2_000_000) == 1_953_125
    assert clock_for(33_000_000, of_hz=48_000_000) == 24_000_000
    assert clock_for(20_000_000, of_hz=48_000_000) == 12_000_000


@HAS_LIBRARY
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="bytecodes are counted as CPython 3.11 runs them")
@pytest.mark.slow
@pytest.mark.parametrize("declared", ["none", "least", "middle", "most"])
def test_the_pages_table_is_what_the_bench_computes(declared: str) -> None:
    match = TABLE.search(TEXT)
    assert match
    heading, rows = match[0].splitlines()[1:3], list(table([declared]))
    assert heading == rows[:2]
    assert [line for line in match[0].splitlines() if line.startswith(f"| {declared} |")] == rows[2:]
