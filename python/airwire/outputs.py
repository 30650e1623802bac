"""Files that are there whole or not at all: written beside their place, and put there when they are complete.

All that Airwire writes from Python goes through here, as all that the core writes goes through its crate ``files``. A
device or a pipe has no place beside it and is written to as it is. Functions refuse to write over what they read
(:func:`why_kept`); which files may be written besides is for the commands to say (``cli/paths.py``).
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

UNFINISHED = ".unfinished-"
"""What the name of a file begins with while it is written."""
_READER_S = 1.0
"""How long the reader of a pipe may take to come: it may be started by the same line of a shell."""
_LOOK_EVERY_S = 0.05


@contextmanager
def new_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write; where the block ends by an exception, nothing of it remains, and what was there before stays.

    Raises ``OSError`` with the name of ``path``, whichever file it was that the system refused.
    """
    place = Path(path)
    try:
        if is_device(place):
            with _opened(place) as file:
                yield file
        else:
            # A link stays a link, and the file that it leads to is replaced.
            with _beside(Path(os.path.realpath(place))) as file:
                yield file
    except OSError as error:
        of_this_file = error.filename is None or Path(error.filename).name.startswith(UNFINISHED)
        if error.errno is None or not of_this_file:
            raise
        raise OSError(error.errno, error.strerror, str(place)) from None


def _opened(place: Path) -> BinaryIO:
    """A device or a pipe to write to. Raises ``OSError`` where nobody reads from the pipe.

    Whoever opens such a pipe to write waits for a reader, without a word and for ever where none comes.
    """
    if not stat.S_ISFIFO(place.stat().st_mode):
        return place.open("wb")
    until = time.monotonic() + _READER_S
    while True:
        try:
            pipe = os.open(place, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        else:
            # A slow reader is waited for.
            os.set_blocking(pipe, True)
            return os.fdopen(pipe, "wb")
        if time.monotonic() > until:
            raise OSError(errno.ENXIO, "nobody reads from this pipe")
        time.sleep(_LOOK_EVERY_S)


@contextmanager
def _beside(target: Path) -> Iterator[BinaryIO]:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    unfinished = target.with_name(f"{UNFINISHED}{os.urandom(8).hex()}")
    try:
        with unfinished.open("xb") as file:
            with suppress(FileNotFoundError):
                unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def write_file(path: str | Path, content: bytes | str) -> None:
    """Write a whole file; text as UTF-8 with the line ends that it has."""
    write_files({Path(path): content})


def write_files(contents: Mapping[Path, bytes | str]) -> None:
    """Write files that belong together: none of them appears before all are complete."""
    with ExitStack() as stack:
        for path, content in contents.items():
            file = stack.enter_context(new_file(path))
            file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """A folder with those above it; where the block ends by an exception, those made here that are empty go."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for place in missing:
            with suppress(OSError):
                place.rmdir()
        raise


def why_kept(place: str | Path, inputs: Mapping[str, str | Path | None]) -> str | None:
    """The sentence that refuses ``place`` where it is one of the files that are read, each by what it is called."""
    target = Path(place)
    for name, read in inputs.items():
        if read is not None and target.is_file() and Path(read).is_file() and target.samefile(read):
            return f"{place}: this is the {name} itself, which stays as it is; name another file"
    return None


def is_device(path: Path) -> bool:
    """Whether a path leads to a device or a pipe, which holds nothing that could be lost."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
