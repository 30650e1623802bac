"""What comes with the package: its suites, by name, and the firmware images that they run.

In a checkout the suites are links to those in ``suites/``, and the folder of images is empty until a wheel is built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from airwire import _core

FindImage = Callable[[str], Path]
"""Gives the file of an image by the name that a suite has for it; raises ``AirwireError`` where it is nowhere."""

_PACKAGE = Path(__file__).resolve().parents[1]
_SUITES = _PACKAGE / "suites"
IMAGES = _PACKAGE / "images"
"""A folder of images for each board, with their SHA-256."""


def suite_names() -> list[str]:
    """The suites that come with the package."""
    return sorted(file.stem for file in _SUITES.glob("*.toml"))


def find_suite(suite: str | Path) -> Path:
    """The file of a suite: one that is there, else a suite of the package by its name.

    Raises ``AirwireError`` with the nearest name for a name that there is not. What looks like a path is given back as
    it is, so that reading it says what is wrong with it.
    """
    path = Path(suite)
    is_a_name = path.suffix == "" and str(suite) == path.name
    if not is_a_name or (path.exists() and not path.is_dir()):
        return path
    known = suite_names()
    if path.name in known:
        # Beside the file that the link leads to a checkout has its build.
        return (_SUITES / f"{path.name}.toml").resolve()
    if path.is_dir():
        raise _core.AirwireError(f"{path}: is a folder, and no suite; name a TOML file")
    raise _core.AirwireError(
        f"{path.name}: there is no such file, and no suite of this name comes with the package; "
        f"{_core.name_hint(path.name, known)}"
    )


def image_finder(folder: Path, named: str | Path | None = None) -> FindImage:
    """Finds the images of a suite in ``folder`` as a run does: in the folder ``named`` alone where there is one."""
    return partial(_find_image, folder, None if named is None else Path(named))


def _find_image(folder: Path, named: Path | None, name: str) -> Path:
    return Path(_core.find_image(name, folder, named=named, packaged=IMAGES))
