"""picotool, which writes to a board in its boot mode without a drive: where none is mounted, as on a server."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from airwire._core import AirwireError
from airwire.flash.boot_drive import BOOT_MODE
from airwire.scratch import ScratchFolder

NAME = "picotool"
_LONGEST_S = 120.0
_NO_BOARD = "No accessible"


def find(given: Path | None) -> Path | None:
    """picotool where it is named, or else in PATH. Raises AirwireError where the one that is named is none."""
    if given is None:
        found = shutil.which(NAME)
        return None if found is None else Path(found)
    if shutil.which(given) is None:
        raise AirwireError(f"{given}: this is no program that can be run; name picotool, or leave --picotool out")
    return given


def load(picotool: Path, name: str, content: bytes) -> None:
    """Write a UF2 to the board, compare it, and start it. Raises AirwireError where picotool fails."""
    with ScratchFolder("airwire-") as folder:
        file = folder / name
        file.write_bytes(content)
        command = [str(picotool.absolute()), "load", "--verify", "--execute", str(file), "-t", "uf2"]
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, timeout=_LONGEST_S, stdin=subprocess.DEVNULL
            )
        except OSError as error:
            raise AirwireError(f"{picotool}: cannot run it: {error.strerror}; name picotool with --picotool") from None
        except subprocess.TimeoutExpired:
            raise AirwireError(
                f"{picotool}: it did not end within {_LONGEST_S:.0f} s; unplug the board, {BOOT_MODE}, and flash again"
            ) from None
    if done.returncode != 0:
        raise AirwireError(_why(picotool, (done.stdout + b"\n" + done.stderr).decode(errors="replace")))


def _why(picotool: Path, said: str) -> str:
    lines = [line.strip().rstrip(".") for line in said.splitlines() if line.strip()]
    if any(_NO_BOARD in line for line in lines):
        return f"{picotool}: it finds no board in its boot mode; {BOOT_MODE}, and flash again"
    return f"{picotool}: it failed: {lines[-1] if lines else 'it says no reason'}; try picotool info by itself"
