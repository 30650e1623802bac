"""The firmware's HTTP server built for this machine: test programs, and the server on sockets.

The server is the library that its own CMakeLists.txt builds. All of it has sanitizers, and is compiled once per
session. Leaves out what the tests ask of them.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from host_applications import TOOLS

from airwire.fsdata import build
from airwire.fsdata.c_source import write
from artefacts import made_once

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "firmware"
HTTP_TESTS = FIRMWARE / "tests" / "http"
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


class HostBuild:
    """A folder for programs, another that the tests of a session share for libraries, and the compiler."""

    def __init__(self, folder: Path, shared: Path) -> None:
        self.folder = folder
        self.shared = shared
        self.compiler = shutil.which("cc") or shutil.which("clang") or ""
        if not self.compiler:
            pytest.skip("no C compiler on this machine (Debian: gcc)")
        probe = folder / "probe.c"
        probe.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        if not self._compile(folder / "probe", [probe]):
            pytest.skip(f"{self.compiler} has no address and undefined-behaviour sanitizers")
        write(build(HTTP_TESTS / "site", gzip=True), folder / "site.c")

    def program(self, *sources: Path, options: Sequence[str] = ()) -> Path:
        """Compile a program with the HTTP server, and with the tests' site where ``sources`` name exchange.c."""
        server = self.libraries("protocols/http", *(option for option in options if option.startswith("-D")))
        site = [self.folder / "site.c"] if any(source.name == "exchange.c" for source in sources) else []
        output = self.folder / sources[0].stem
        assert self._compile(output, [*sources, *site, *server], options), self._said
        return output

    def libraries(self, source: str, *options: str) -> list[Path]:
        """Libraries that a folder of the firmware builds by itself, with sanitizers, once for each set of options."""
        flags = " ".join([*WARNINGS, *SANITIZERS, *options])

        def make(place: Path) -> None:
            configure = ["cmake", "-S", FIRMWARE / source, "-B", place, "-G", "Ninja", f"-DCMAKE_C_FLAGS={flags}"]
            for command in (configure, ["cmake", "--build", place]):
                done = subprocess.run([*map(str, command)], env=TOOLS, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

        place = made_once(self.shared / f"host-{Path(source).name}-{'-'.join(options)}", make)
        return sorted(place.glob("*.a")) + sorted(place.glob("*/*.a"))

    def _compile(self, output: Path, sources: Sequence[Path], options: Sequence[str] = ()) -> bool:
        folders = ("tests", "tests/http", "protocols/http", "protocols/fsdata")
        includes = [f"-I{FIRMWARE / folder}" for folder in folders]
        command = [self.compiler, *WARNINGS, *SANITIZERS, *options, *includes, f"-I{self.folder}", "-o", str(output)]
        done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
        self._said = done.stderr
        return done.returncode == 0


class PipeServer:
    """The tests' site behind a pipe (firmware/tests/http/pipe_server.c)."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen([self._program], stdin=pipe, stdout=pipe, stderr=pipe)

    def answer(self, pieces: Sequence[bytes]) -> tuple[bytes, bool]:
        """All that is answered to these pieces on a connection of their own, and whether that was then finished."""
        to_server, from_server = self._process.stdin, self._process.stdout
        assert to_server is not None
        assert from_server is not None
        message = b"".join([struct.pack("<I", len(pieces)), *(struct.pack("<I", len(p)) + p for p in pieces)])
        with suppress(BrokenPipeError):
            to_server.write(message)
            to_server.flush()
        head = from_server.read(4)
        if len(head) < 4:
            # Hypothesis makes the input smaller and needs a server for each try.
            said = self._process.communicate()[1].decode(errors="replace")
            self._process = self._start()
            pytest.fail(f"the server broke off: {said}")
        (count,) = struct.unpack("<I", head)
        return from_server.read(count), from_server.read(1) == b"\1"

    def close(self) -> None:
        """End the program; it has to end well."""
        assert self._process.communicate()[1] == b""
        assert self._process.returncode == 0


@contextmanager
def serving(program: Path, image: Path) -> Iterator[int]:
    """The server on sockets with this image; gives its port, and looks at what sanitizers said."""
    process = subprocess.Popen([program, image], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = process.stdout.readline()
        assert port.strip().isdigit(), process.communicate()[1]
        yield int(port)
        assert process.poll() is None, process.communicate()[1]
    finally:
        process.terminate()
        said = process.communicate()[1]
    assert said == ""
