"""Files that points need, by their content: each is kept once under its SHA-256, and links give it its name.

The folder of a sweep holds those of its images, so that it runs on although they are built anew meanwhile. A worker on
another machine has a folder of its own, and gets each once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from airwire.inputs import read_file
from airwire.outputs import new_folder, write_file

MOST_BYTES = 1 << 28
_SHORT = 16


def digest_of_bytes(content: bytes) -> str:
    """What a file is called here."""
    return sha256(content).hexdigest()


class Blobs:
    """A folder of files by their content."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, content: bytes) -> str:
        """Keep a file; gives its digest. One that is there already is not written again."""
        digest = digest_of_bytes(content)
        if not (self.folder / digest).is_file():
            with new_folder(self.folder):
                write_file(self.folder / digest, content)
        return digest

    def has(self, digest: str) -> bool:
        """Whether a file is there."""
        return (self.folder / digest).is_file()

    def read(self, digest: str) -> bytes:
        """A file that is there."""
        return read_file(self.folder / digest, MOST_BYTES)

    def tree(self, files: Mapping[str, str]) -> Path:
        """A folder in which these files have their names; it stays for the points that follow."""
        key = sha256(repr(sorted(files.items())).encode()).hexdigest()[:_SHORT]
        place = self.folder / f"tree-{key}"
        for name, digest in files.items():
            link = place / name
            if not link.exists():
                link.parent.mkdir(parents=True, exist_ok=True)
                target = os.path.relpath(self.folder / digest, link.parent)
                # Another process may have put it there at the same time.
                with suppress(FileExistsError):
                    link.symlink_to(target)
        place.mkdir(parents=True, exist_ok=True)
        return place


def name_in_tree(name: str, digest: str) -> str:
    """The name that a file has in a folder of its own: its own one, unless that leads out of it."""
    path = Path(name)
    return f"{digest[:_SHORT]}/{path.name}" if path.is_absolute() or ".." in path.parts else path.as_posix()
