"""Results that take long and come from files alone: kept from session to session, under a key of all these files.

Everything that Airwire computes is the same for the same program and input. Such a result is made anew when its key is
another: a byte of the package, of its requirements, of the tests' own way of running it, or of an input has changed.
`make clean` removes all of them.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import airwire
from artefacts import REPOSITORY, made_once
from terminal import run_in_terminal

KEPT = REPOSITORY / "build" / "test-runs"
MOST_KEPT = 3
"""Of each name: somebody who goes back and forth between two states of the sources has both."""
TESTS = REPOSITORY / "tests"
PACKAGE = Path(airwire.__file__).parent
CODE = {".py", ".so", ".toml"}
OWN = (TESTS / "artefacts.py", TESTS / "kept.py", TESTS / "terminal.py", REPOSITORY / "requirements.txt")


def kept_result(name: str, inputs: Iterable[Path], make: Callable[[Path], object], key: str = "") -> Path:
    """The folder that ``make`` filled when package and inputs were as they are now; ``key`` is what it asks besides.

    An input may be a folder: all files in it count.
    """
    asked = hashlib.sha256(f"{sys.version}\n{key}\n{package_digest()}\n".encode())
    for file in _files(inputs):
        asked.update(f"{file}\n{_digest(file)}\n".encode())
    _forget(name)
    return made_once(KEPT / f"{name}-{asked.hexdigest()[:16]}", make)


@cache
def package_digest() -> str:
    """Of the package's code, and of what runs it for tests."""
    files = sorted(file for file in PACKAGE.rglob("*") if file.suffix in CODE and file.is_file())
    return hashlib.sha256("".join(_digest(file) for file in [*OWN, *files]).encode()).hexdigest()


def _files(inputs: Iterable[Path]) -> list[Path]:
    return sorted(
        file for place in inputs for file in (place.rglob("*") if place.is_dir() else [place]) if file.is_file()
    )


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _forget(name: str) -> None:
    """Those that were made longest ago, as far as there are too many."""
    made = sorted(KEPT.glob(f"{name}-*.made"), key=lambda mark: mark.stat().st_mtime, reverse=True)
    for mark in made[MOST_KEPT:]:
        mark.unlink(missing_ok=True)
        shutil.rmtree(mark.with_suffix(""), ignore_errors=True)
        mark.with_suffix(".lock").unlink(missing_ok=True)


def command_run(command: str) -> Path:
    """The folder in which a document's command for a whole suite or the demo ran."""
    words = command.split()
    suite = Path(words[2]).stem if words[1] == "run" else words[1]

    def make(folder: Path) -> None:
        for name in ("suites", "build"):
            (folder / name).symlink_to(REPOSITORY / name)
        code, printed = run_in_terminal(command, folder)
        assert code == 0, f"{command}\n{printed}"

    images = (REPOSITORY / "build" / "firmware").glob("*/*.elf")
    return kept_result(f"run-of-{suite}", [REPOSITORY / "suites", *images], make, key=command)
