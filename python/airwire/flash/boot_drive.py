"""The drive that a board shows in its boot mode: found where systems mount drives, and given a UF2.

The boot ROM writes what it gets to flash, and restarts the board with the last block; then the drive goes away. So a
file is written straight to it: there is no second name to write under, and an error after the last byte is none.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from airwire._core import AirwireError
from airwire.inputs import read_file

INFO = "INFO_UF2.TXT"
RP2040_BOARD_ID = "RPI-RP2"
"""What the boot ROM of the RP2040 writes there (RP2040 datasheet, 2.8.3)."""
ROOTS = ("/media/*/*", "/media/*", "/run/media/*/*", "/mnt/*", "/Volumes/*")
"""Where Linux and macOS mount drives."""
LABEL = Path("/dev/disk/by-label/RPI-RP2")
BOOT_MODE = "hold BOOTSEL while you plug the board in, or while you press its reset"
_BOARD_ID = re.compile(r"^Board-ID:[ \t]*(\S+)", re.MULTILINE | re.IGNORECASE)
_GONE = (errno.ENODEV, errno.EIO, errno.ENOENT, errno.ENXIO, errno.ESTALE, errno.EROFS)
_BLOCK_BYTES = 1 << 16
_MOST_INFO_BYTES = 1 << 16
_RESTART_S = 5.0


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive that takes UF2 files, and of which board it is."""

    folder: Path
    board_id: str


def drive_at(folder: Path) -> Drive | None:
    """The boot drive that is mounted there, if one is."""
    try:
        info = read_file(folder / INFO, _MOST_INFO_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return None
    match = _BOARD_ID.search(info)
    return Drive(folder, match[1] if match else "unknown")


def mounted_drives(roots: Sequence[str] = ROOTS) -> list[Drive]:
    """All boot drives that are mounted."""
    folders = sorted(folder for root in roots for folder in Path("/").glob(root.lstrip("/")))
    return [drive for drive in map(drive_at, dict.fromkeys(folders)) if drive is not None]


def copy_to(drive: Drive, name: str, content: bytes) -> bool | None:
    """Write a UF2 to a boot drive; whether the drive went away, as the board restarts. ``None`` for a mere folder.

    Raises AirwireError where the board is another one, the drive has no room, or it goes away too soon.
    """
    if drive.board_id != RP2040_BOARD_ID:
        raise AirwireError(
            f"{drive.folder}: this is the boot drive of another board ({drive.board_id}), and the image is for the "
            f"RP2040 ({RP2040_BOARD_ID}); plug in the right board"
        )
    place = drive.folder / name
    is_mounted = os.path.ismount(drive.folder)
    written = 0
    try:
        with place.open("wb", buffering=0) as file:
            while written < len(content):
                written += file.write(content[written : written + _BLOCK_BYTES])
            os.fsync(file.fileno())
    except OSError as error:
        if written < len(content):
            with suppress(OSError):
                place.unlink(missing_ok=True)
            raise AirwireError(_why(drive, error, written, len(content))) from None
    return _has_restarted(drive) if is_mounted else None


def _why(drive: Drive, error: OSError, written: int, size: int) -> str:
    how_far = f"after {written} of {size} bytes"
    if error.errno in _GONE:
        return (
            f"{drive.folder}: the drive went away {how_far}, so that the image on the board is not whole; {BOOT_MODE}, "
            "and flash again"
        )
    reason = error.strerror or "the system refuses"
    return f"{drive.folder}: cannot write it: {reason} {how_far}; unplug the board, {BOOT_MODE}, and flash again"


def _has_restarted(drive: Drive) -> bool:
    deadline = time.monotonic() + _RESTART_S
    while time.monotonic() < deadline:
        if drive_at(drive.folder) is None:
            return True
        time.sleep(0.1)
    return False
