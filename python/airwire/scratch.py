"""Folders for what is thrown away: nothing of them is left, wherever Ctrl-C or a service manager stops the command."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path


class ScratchFolder:
    """A folder that goes at the end of its block, or else with the last reference to it.

    ``with ScratchFolder("airwire-") as path: ...``; ``place`` is where it is made: where the system keeps temporary
    files, unless something else is named. What removes it is there before the folder is: ``tempfile`` does it the other
    way round, and a signal between the two left a folder. Raises ``OSError`` where it cannot be made.
    """

    def __init__(self, prefix: str, place: str | Path | None = None) -> None:
        self.path = Path(place or tempfile.gettempdir()) / f"{prefix}{os.urandom(8).hex()}"
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self.path.mkdir(mode=0o700)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove it with all that is in it; what stops this on the way leaves the rest to the last reference."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._finalizer.detach()
