"""No image grows by more than a hundredth without somebody having looked at it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import image_sizes
import pytest


def test_no_image_has_grown(firmware: Path) -> None:
    before = image_sizes.recorded(image_sizes.compilers(firmware))
    boards = {name.split("/")[0] for name in before}
    now = {name: sizes for name, sizes in image_sizes.measured(firmware).items() if name.split("/")[0] in boards}
    if not before:
        pytest.skip("the recorded sizes are those of another compiler")
    assert image_sizes.grown(before, now) is None


def test_every_board_that_is_built_has_its_sizes_recorded(firmware: Path) -> None:
    recorded = tomllib.loads(image_sizes.RECORD.read_text(encoding="utf-8"))["compilers"]
    assert set(image_sizes.compilers(firmware)) <= set(recorded), image_sizes.RENEW


@pytest.mark.parametrize(("family", "boards"), [("arm-none-eabi", "*pico*"), ("avr", "goldilocks-*")])
def test_sizes_are_what_the_cross_compilers_tool_says(firmware: Path, family: str, boards: str) -> None:
    if shutil.which(f"{family}-size") is None:
        pytest.skip(f"{family}-size is not on this machine (Debian: binutils-{family})")
    found = {name: elf for name, elf in image_sizes.images(firmware).items() if fnmatch(name.split("/")[0], boards)}
    assert found
    for name, elf in found.items():
        told = subprocess.run([f"{family}-size", "-A", elf], capture_output=True, text=True, check=True).stdout
        have = {section: int(size) for section, size in re.findall(r"^(\.\S+)\s+(\d+)", told, re.MULTILINE)}
        assert image_sizes.sizes_of(elf) == {
            "flash": sum(have.get(section, 0) for section in image_sizes.FLASH),
            "ram": sum(have.get(section, 0) for section in image_sizes.RAM),
        }, name


def test_growth_beyond_a_hundredth_is_named_and_what_is_less_is_not() -> None:
    before = {"board/ping": {"flash": 5000, "ram": 200}, "board/gone": {"flash": 1, "ram": 1}}
    kept = {"board/ping": {"flash": 5050, "ram": 216}, "board/gone": {"flash": 0, "ram": 0}}
    assert image_sizes.grown(before, kept) is None
    told = image_sizes.grown(before, {"board/ping": {"flash": 5051, "ram": 217}, "board/new": {"flash": 1, "ram": 1}})
    assert told is not None
    assert told.startswith(
        "Images have other sizes than image_sizes.toml says: board/gone is gone; board/new is new; "
        "board/ping has 217 bytes of ram where it had 200; board/ping has 5051 bytes of flash where it had 5000; "
    )
