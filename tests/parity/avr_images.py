"""Our own images for AVRs (tests/images/avr), built with Debian's avr-gcc."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[1] / "images" / "avr"


def build_avr_image(name: str, folder: Path, mcu: str = "atmega328p") -> Path:
    """An image as ELF, with its contents beside it as ``.bin``; skips the test without a compiler."""
    compiler, objcopy = (shutil.which(f"avr-{tool}") for tool in ("gcc", "objcopy"))
    if compiler is None or objcopy is None:
        pytest.skip("avr-gcc is not on this machine (Debian: gcc-avr avr-libc binutils-avr)")
    elf = folder / f"{name}.elf"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    source = str(SOURCES / f"{name}.c")
    subprocess.run([compiler, "-Os", "-g", *warnings, f"-mmcu={mcu}", source, "-o", str(elf)], check=True)
    subprocess.run([objcopy, "-O", "binary", str(elf), str(elf.with_suffix(".bin"))], check=True)
    return elf
