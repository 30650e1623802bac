"""The firmware's images for a virtual board, and its applications for this machine; settings changed in either.

Both are built once per session. Leaves out what the tests ask of them.
"""

from __future__ import annotations

import os
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "firmware"
TOOLS = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
"""The environment in which CMake and Ninja of the virtual environment are found."""
SYMTAB = 2
"""ELF: type of the section with symbols."""


@dataclass(frozen=True)
class ElfLayout:
    """What differs between 32-bit and 64-bit ELF: formats of the header's table, a section, a symbol."""

    table: str
    table_at: int
    counts_at: int
    section: str
    symbol: str

    def symbol_fields(self, raw: tuple[int, ...]) -> tuple[int, int, int]:
        """Name, value and section of a symbol."""
        return (raw[0], raw[1], raw[5]) if self.table == "<I" else (raw[0], raw[4], raw[3])


ELF32 = ElfLayout("<I", 32, 46, "<10I", "<IIIBBH")
ELF64 = ElfLayout("<Q", 40, 58, "<IIQQQQIIQQ", "<IBBHQQ")


def setting_places(image: bytes) -> Iterator[tuple[str, int]]:
    """Each setting's name and place in an ELF file."""
    layout = ELF64 if image[4] == 2 else ELF32
    (table,) = struct.unpack_from(layout.table, image, layout.table_at)
    size, count = struct.unpack_from("<HH", image, layout.counts_at)
    sections = [struct.unpack_from(layout.section, image, table + n * size) for n in range(count)]
    symbols = next(section for section in sections if section[1] == SYMTAB)
    names = sections[symbols[6]][4]
    for place in range(symbols[4], symbols[4] + symbols[5], struct.calcsize(layout.symbol)):
        name, value, section = layout.symbol_fields(struct.unpack_from(layout.symbol, image, place))
        text = image[names + name : image.index(0, names + name)].decode()
        if text.startswith("setting_") and 0 < section < count:
            yield text.removeprefix("setting_"), sections[section][4] + value - sections[section][3]


def with_settings(image: Path, folder: Path, **settings: int | str) -> Path:
    """A copy of an image whose settings are changed; addresses are given as text."""
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


def build_for_board(folder: Path, board: str) -> Path:
    """The images for a board; gives their folder."""
    _need("arm-none-eabi-gcc", "Debian: gcc-arm-none-eabi")
    _need("cmake", "requirements-dev.txt")
    _need("cargo", "rustup; it fetches lwIP and FreeRTOS")
    _run(sys.executable, "-m", "airwire.cli", "board", "header", board, "--out", folder / "generated")
    _run(
        *("cmake", "-S", FIRMWARE, "-B", folder / "images", "-G", "Ninja"),
        *("-DCMAKE_TOOLCHAIN_FILE=cmake/arm-none-eabi.cmake", f"-DBOARD_DIR={folder / 'generated'}"),
    )
    _run("cmake", "--build", folder / "images")
    return folder / "images"


def build_for_host(folder: Path) -> Path:
    """Applications, tests and fuzz targets for this machine, with sanitizers; gives their folder."""
    _need("cc", "Debian: gcc")
    _need("cmake", "requirements-dev.txt")
    _run("cmake", "-S", FIRMWARE / "tests", "-B", folder, "-G", "Ninja")
    _run("cmake", "--build", folder)
    return folder
