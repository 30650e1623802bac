"""The firmware's applications and fuzz targets built for this machine with sanitizers; settings changed in a program.

On a board settings are an argument of ``airwire.Board``; a program of this machine is changed in the same words.
"""

from __future__ import annotations

import os
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from airwire.fsdata import build
from airwire.fsdata.c_source import write

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "firmware"
TOOLS = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
"""The environment in which CMake and Ninja of the virtual environment are found."""
SYMTAB = 2
"""ELF: type of the section with symbols."""
SYMBOL_BYTES = 24


def setting_places(image: bytes) -> Iterator[tuple[str, int]]:
    """Each setting's name and place in an ELF file."""
    assert image[:5] == b"\x7fELF\2", "a program of this machine is ELF of 64 bits here"
    (table,) = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, table + n * size) for n in range(count)]
    symbols = next(section for section in sections if section[1] == SYMTAB)
    names = sections[symbols[6]][4]
    for place in range(symbols[4], symbols[4] + symbols[5], SYMBOL_BYTES):
        name, _, _, section, value = struct.unpack_from("<IBBHQ", image, place)
        text = image[names + name : image.index(0, names + name)].decode()
        if text.startswith("setting_") and 0 < section < count:
            yield text.removeprefix("setting_"), sections[section][4] + value - sections[section][3]


def with_settings(image: Path, folder: Path, **settings: int | str) -> Path:
    """A copy of a program whose settings are changed; addresses are given as text."""
    content = bytearray(image.read_bytes())
    places = dict(setting_places(bytes(content)))
    for name, value in settings.items():
        word = bytes(map(int, value.split("."))) if isinstance(value, str) else value.to_bytes(4, "little")
        content[places[name] : places[name] + 4] = word
    copy = folder / f"{image.stem}-{len(list(folder.iterdir()))}{image.suffix}"
    copy.write_bytes(content)
    copy.chmod(copy.stat().st_mode | stat.S_IXUSR)
    return copy


def _run(*command: str | Path) -> None:
    done = subprocess.run([*map(str, command)], env=TOOLS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def _need(program: str, package: str) -> None:
    if shutil.which(program, path=TOOLS["PATH"]) is None:
        pytest.skip(f"{program} is not on this machine ({package})")


def build_for_host(folder: Path) -> Path:
    """Applications, tests and fuzz targets for this machine, with sanitizers; gives their folder."""
    _need("cc", "Debian: gcc")
    _need("cmake", "requirements-dev.txt")
    site, demo = folder / "site", folder / "demo"
    for place in (site, demo):
        place.mkdir()
    write(build(FIRMWARE / "tests" / "http" / "site", gzip=True), site / "site.c")
    write(build(FIRMWARE / "sites" / "demo", gzip=True), demo / "fsdata.c")
    _run("cmake", "-S", FIRMWARE / "tests", "-B", folder, "-G", "Ninja", f"-DSITE_DIR={site}", f"-DDEMO_DIR={demo}")
    _run("cmake", "--build", folder)
    return folder
