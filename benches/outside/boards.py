"""Virtual boards as peers: served in real time at a TAP of this network namespace, with a published fault switched on.

Images are those of ``make firmware``. A computer that cannot keep real time makes boards slower than they are.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benches.outside.cases import Case

IMAGES = Path(__file__).resolve().parents[2] / "build" / "firmware"
TAP, PC, BOARD = "tap0", "192.168.1.2", "192.168.1.50"
_LONGEST_START_S = 60.0
_LONGEST_END_S = 30.0


def is_built(case: Case) -> bool:
    """Whether the case's image is there."""
    return (IMAGES / case.peer).is_file()


@contextmanager
def served(case: Case) -> Iterator[str]:
    """The board; gives its address once its network is there."""
    settings = [word for name, value in case.settings.items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, "-m", "airwire.cli", "board", "serve", str(IMAGES / case.peer), "--tap", TAP, *settings]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            _await_tap(process)
            yield BOARD
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(_LONGEST_END_S)
            finally:
                process.kill()


def _await_tap(process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _LONGEST_START_S
    while not _has_interface():
        if time.monotonic() > end or process.poll() is not None:
            raise SystemExit(f"the virtual board made no {TAP} within {_LONGEST_START_S:.0f} s")
        time.sleep(0.05)
    subprocess.run(["ip", "link", "set", TAP, "up"], check=True)
    subprocess.run(["ip", "addr", "add", f"{PC}/24", "dev", TAP], check=True)


def _has_interface() -> bool:
    """``/sys`` may be that of another namespace."""
    return subprocess.run(["ip", "link", "show", TAP], capture_output=True, check=False).returncode == 0
