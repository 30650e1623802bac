"""What several tests need and one of them makes: the test images, programs for this machine.

Tests run in several processes (pytest-xdist). Whoever needs an artefact first builds it under a lock; the others wait.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
IMAGES = REPOSITORY / "build" / "test-images"
"""Our own small firmware images (tests/images), as .elf, .bin and .uf2. They stay from session to session."""
NO_COMPILER = "arm-none-eabi-gcc is not on this machine (Debian: gcc-arm-none-eabi)"


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Keep every other process out while this one builds ``place``."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def built_images() -> Path | None:
    """Build the test images; nothing where there is no compiler for them."""
    if shutil.which("arm-none-eabi-gcc") is None:
        return None
    with locked(IMAGES):
        command = ["make", "-j2", "-C", str(REPOSITORY / "tests" / "images"), f"OUT={IMAGES}"]
        built = subprocess.run([*command, f"PYTHON={sys.executable}"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return IMAGES


def session_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this session share, and no other session."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def made_once(place: Path, make: Callable[[Path], object]) -> Path:
    """A folder that ``make`` fills, unless another test of those that share it did."""
    made = place.with_name(f"{place.name}.made")
    with locked(place):
        if not made.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            make(place)
            made.touch()
    return place
