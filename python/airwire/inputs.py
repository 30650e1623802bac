"""Files that Python reads of its own accord: regular ones that are not too long.

A pipe that nobody writes and a device that never ends would be waited for. What users name as images, suites, boards,
networks and captures is opened by the core, whose crate ``files`` takes pipes as well.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 1 << 28
ANY_BYTES = 1 << 62
"""For tables, of which only some is read at once."""


def check_file(path: str | Path, most_bytes: int = MOST_BYTES) -> Path:
    """The path of a regular file. Raises ``OSError`` with its name for anything else, and for one that is too long."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no name of a file has a null byte", str(path))
    status = os.stat(path)  # noqa: PTH116  the path may be text
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "this is a pipe or a device, and no file", str(path))
    if status.st_size > most_bytes:
        raise OSError(errno.EFBIG, f"it has {status.st_size} bytes, and {most_bytes} is the most", str(path))
    return Path(path)


def read_file(path: str | Path, most_bytes: int = MOST_BYTES) -> bytes:
    """A whole file."""
    return check_file(path, most_bytes).read_bytes()


def read_text(path: str | Path, most_bytes: int = MOST_BYTES) -> str:
    """A whole file as UTF-8. Raises ``ValueError`` where it is none."""
    return read_file(path, most_bytes).decode("utf-8")
