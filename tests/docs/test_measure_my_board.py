"""The servers and clients of "How to measure a board on your network", each in the place of a board."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples" / "measure-my-board"
sys.path.insert(0, str(REPOSITORY / "tests" / "firmware" / "python"))
Airwire = Callable[..., subprocess.CompletedProcess[str]]


def free_port() -> int:
    """A port that nobody has, a moment ago."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@contextmanager
def running(command: list[str], port: int | None = None) -> Iterator[None]:
    """A program; a server from when it listens at its port."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(0 if port is None else 100):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


def probed(airwire: Airwire, port: int) -> None:
    """A board at that port answers 200 numbers rightly."""
    done = airwire("probe", "pingpong", f"127.0.0.1:{port}", "--set", "rounds=200", "--set", "timeout=2s", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["target"]["outcomes"]["paired"] == 200


def micropython() -> list[str]:
    """The interpreter of this computer; skips where there is none."""
    from micropython_board import WHY_NOT, interpreter

    found = interpreter()
    if found is None:
        pytest.skip(WHY_NOT)
    return [str(word) for word in found]


def on_port(name: str, port: int, folder: Path) -> Path:
    """A script with another port than the usual one."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert text.count("5000") == 1
    script = folder / name
    script.write_text(text.replace("5000", str(port)), encoding="utf-8")
    return script


def test_micropythons_server_answers(airwire: Airwire, tmp_path: Path) -> None:
    port = free_port()
    with running([*micropython(), str(on_port("micropython_server.py", port, tmp_path))], port):
        probed(airwire, port)


def test_micropythons_client_is_served(airwire: Airwire, tmp_path: Path) -> None:
    port = free_port()
    script = on_port("micropython_client.py", port, tmp_path)
    text = script.read_text(encoding="utf-8").replace("192.168.1.10", "127.0.0.1").replace("1000", "200")
    script.write_text(text, encoding="utf-8")
    calls = f"until {shlex.join([*micropython(), str(script)])}; do sleep 0.1; done"
    with running(["bash", "-c", calls]):
        done = airwire("serve", "pingpong", "--set", f"port={port}", "--samples", "150", "--for", "20s", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["target"]["outcomes"]["paired"] == 150


def test_cs_server_answers(airwire: Airwire, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc is not on this machine (Debian: build-essential)")
    port, built = free_port(), tmp_path / "server"
    command = [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-DPORT={port}"]
    subprocess.run([*command, str(EXAMPLES / "sockets_server.c"), "-o", str(built)], check=True)
    with running([str(built)], port):
        probed(airwire, port)


CIRCUITPYTHON = """
import socket, types, sys
class Socket(socket.socket):
    def accept(self):
        fd, peer = self._accept()
        return Socket(fileno=fd), peer
class SocketPool:
    AF_INET, SOCK_STREAM = socket.AF_INET, socket.SOCK_STREAM
    def __init__(self, radio): pass
    def socket(self, family, kind): return Socket(family, kind)
radio = types.SimpleNamespace(connect=lambda name, password: None)
sys.modules["wifi"] = types.SimpleNamespace(radio=radio)
sys.modules["socketpool"] = types.SimpleNamespace(SocketPool=SocketPool)
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"))
"""


def test_circuitpythons_server_answers_with_its_modules_on_this_computers_sockets(
    airwire: Airwire, tmp_path: Path
) -> None:
    port = free_port()
    script = on_port("circuitpython_server.py", port, tmp_path)
    with running([sys.executable, "-c", CIRCUITPYTHON, str(script)], port):
        probed(airwire, port)
