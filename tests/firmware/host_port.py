"""The firmware's applications as programs of this machine, while a test talks with them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from host_applications import with_settings

HOST = "127.0.0.1"
WAIT_S = 10


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Application:
    """A running application, and what it has said so far."""

    def __init__(self, program: Path, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        self.said = ""
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.said += line
                self._news.notify_all()

    def end(self) -> str:
        """End it; what the sanitizers had to say."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(WAIT_S)
        self._reader.join()
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        with self.process.stdout, self.process.stderr:
            return self.process.stderr.read()

    def wait_for(self, text: str) -> str:
        with self._news:
            assert self._news.wait_for(lambda: text in self.said, WAIT_S), f"{text!r} did not come: {self.said}"
            return self.said


@contextmanager
def running(
    host: Path,
    name: str,
    environment: Mapping[str, str] | None = None,
    settings: Mapping[str, int | str] | None = None,
    **changed: int | str,
) -> Iterator[Application]:
    """An application that must end well, with nothing for the sanitizers to say."""
    with tempfile.TemporaryDirectory() as folder:
        program = with_settings(host / f"{name}-host", Path(folder), **{**(settings or {}), **changed})
        application = Application(program, environment or {})
        application.wait_for("ready\n")
        try:
            yield application
        finally:
            complaints = application.end()
        assert complaints == ""
        assert application.process.returncode == 0
