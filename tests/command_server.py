"""Loads the command line once, and makes a copy of itself for each command of the tests.

Loading takes longer than most commands do, and hundreds of tests run one. A copy is a process of its own, with its own
folder, environment, output and exit code, in which ``python -m airwire.cli`` runs from its first line. Three things are
there already: the modules, the parser, and the library of a report's charts once a command has made one. What a
terminal, signals or a fresh process change is tested with processes that are started as users start them.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import pkgutil
import resource
import runpy
import signal
import socket
import subprocess
import sys
import traceback
import zlib
from pathlib import Path
from typing import Any, TextIO

from artefacts import made_once

MOST_BYTES = 1 << 20
LOADED = ("airwire", "rich.progress", "rich.table")
"""With all that is in them."""
LOADED_ALONE = ("polars", "vl_convert")
"""And such as need no more than is loaded with them."""
NO_MEMORY_THREAD = "background_thread:false"
"""The allocator of polars would have a thread of its own."""
IDLE_THREADS = {"polars-ooc-clea"}
"""What polars starts with its import, to remove files that it never writes here. A copy is without it."""


class CommandServer:
    """The server's side of the tests: it is started with the first command."""

    def __init__(self, environment: dict[str, str], shared: Path) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno()), str(shared)],
                pass_fds=[theirs.fileno()],
                env=environment | {"_RJEM_MALLOC_CONF": NO_MEMORY_THREAD},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                process_group=0,
            )
        self._socket = ours

    def run(
        self,
        arguments: list[str],
        folder: Path,
        environment: dict[str, str],
        timeout_s: float,
        most_file_bytes: int | None = None,
        program: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; raises ``TimeoutExpired`` where it takes too long.

        With ``most_file_bytes`` its system refuses longer files, as a full disk would. ``program`` is a Python file
        that is run instead of ``airwire``.
        """
        request = {
            "arguments": arguments,
            "folder": str(folder),
            "environment": environment,
            "limit": most_file_bytes,
            "program": str(program) if program else None,
        }
        # What is printed is in memory, which counts as files do; a pipe does not, and holds less.
        outputs = [_file_in_memory() if most_file_bytes is None else _pipe() for _ in ("stdout", "stderr")]
        try:
            socket.send_fds(self._socket, [json.dumps(request).encode()], [into for _, into in outputs])
            self._socket.settimeout(timeout_s)
            code = int(self._socket.recv(64))
        except TimeoutError:
            self.close()
            raise subprocess.TimeoutExpired(arguments, timeout_s) from None
        finally:
            for _, into in outputs:
                os.close(into)
        return subprocess.CompletedProcess(arguments, code, *(_content(output) for output, _ in outputs))

    def close(self) -> None:
        """End the server and the command that it runs, if it runs one."""
        self._socket.close()
        os.killpg(self._server.pid, signal.SIGKILL)
        self._server.wait()


def _file_in_memory() -> tuple[int, int]:
    """Where to read it and where to write it."""
    file = os.memfd_create("printed")
    return os.open(f"/proc/self/fd/{file}", os.O_RDONLY), file


def _pipe() -> tuple[int, int]:
    output, into = os.pipe()
    fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, MOST_BYTES)
    return output, into


def _content(output: int) -> str:
    with open(output, encoding="utf-8") as file:
        return file.read()


def serve(requests: socket.socket, shared: Path) -> None:
    """Carry out one command after the other, until nobody asks any more."""
    for name in LOADED:
        _load(name)
    for name in LOADED_ALONE:
        importlib.import_module(name)
    _keep_parser()
    _keep_library_of_charts(shared)
    threads = {(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()}
    assert len(threads - IDLE_THREADS) == 1, f"a process with threads cannot be copied: {threads}"
    gc.freeze()
    while True:
        request, outputs, _, _ = socket.recv_fds(requests, MOST_BYTES, 2)
        if not request:
            return
        child = os.fork()
        if child == 0:
            requests.close()
            _become(json.loads(request), outputs)
        for output in outputs:
            os.close(output)
        _, status = os.waitpid(child, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


def _load(name: str) -> None:
    """A module with all those in it, but such as are programs."""
    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"{name}."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)


def _keep_parser() -> None:
    """Every command parses with one parser, which typer would build anew of the same functions."""
    import typer.main

    from airwire.cli import app

    build, parser = typer.main.get_command, typer.main.get_command(app)
    _load_all(parser)
    typer.main.get_command = lambda typer_instance: parser if typer_instance is app else build(typer_instance)


def _load_all(group: Any) -> None:
    """Commands that are loaded when they are asked for, and those below them."""
    for command in group.commands.values():
        if hasattr(command, "commands"):
            _load_all(command)


def _keep_library_of_charts(shared: Path) -> None:
    """The first report of a session bundles the JavaScript of its charts, which takes longer than all the rest."""
    import vl_convert

    bundle = vl_convert.javascript_bundle

    def kept(snippet: str, vl_version: str | None = None) -> str:
        def make(folder: Path) -> None:
            (folder / "bundle.js").write_text(bundle(snippet, vl_version), encoding="utf-8")

        asked = zlib.crc32(f"{snippet} {vl_version}".encode())
        try:
            return (made_once(shared / f"bundle-{asked:08x}", make) / "bundle.js").read_text(encoding="utf-8")
        except OSError:
            # This command's disk is full.
            return bundle(snippet, vl_version)

    vl_convert.javascript_bundle = kept


def _become(request: dict[str, Any], outputs: list[int]) -> None:
    """Run the command in this copy, which ends with it."""
    code = 1
    try:
        for output, place in zip(outputs, (1, 2), strict=True):
            os.dup2(output, place)
        sys.stdout, sys.stderr = _opened(1, sys.stdout), _opened(2, sys.stderr)
        os.environ.clear()
        os.environ.update(request["environment"])
        if request["limit"] is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["limit"], request["limit"]))
        os.chdir(request["folder"])
        sys.argv = [request["program"] or "airwire", *request["arguments"]]
        if request["program"] is None:
            runpy.run_module("airwire.cli", run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(request["program"], run_name="__main__")
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # as the interpreter itself does
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _opened(place: int, before: TextIO) -> TextIO:
    """What a program writes to, which can tell a pipe from a file."""
    return open(
        place,
        "w",
        encoding=before.encoding,
        errors=before.errors,
        buffering=1 if before.line_buffering else -1,
        closefd=False,
    )


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), Path(sys.argv[2]))
