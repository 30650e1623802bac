"""Sketches built with Arduino's own core for AVRs, as Debian has it, by its own recipe (platform.txt of the core)."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CORE = Path("/usr/share/arduino/hardware/arduino/avr")
SKETCHES = Path(__file__).with_name("arduino")
LIBRARIES = ("EEPROM", "SPI", "Wire")
# avr-libc of Debian leaves this out of <float.h>; the core's String wants it.
MISSING = ("-DDECIMAL_DIG=17",)
OPTIONS = ("-Os", "-w", "-ffunction-sections", "-fdata-sections", "-flto", "-fno-fat-lto-objects", "-DARDUINO=10819")
C = ("-std=gnu11",)
CPP = ("-std=gnu++11", "-fpermissive", "-fno-exceptions", "-fno-threadsafe-statics", "-include", "Arduino.h")
LANGUAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    ".c": ("avr-gcc", C),
    ".cpp": ("avr-g++", CPP),
    ".S": ("avr-gcc", ()),
}


@dataclass(frozen=True)
class Arduino:
    """A board as Arduino's core knows it."""

    mcu: str
    clock_hz: int
    variant: str


UNO = Arduino("atmega328p", 16_000_000, "standard")
MEGA = Arduino("atmega2560", 16_000_000, "mega")


def build_sketch(name: str, arduino: Arduino, folder: Path) -> Path:
    """A sketch as ELF; skips the test without the core or a compiler."""
    if not CORE.is_dir():
        pytest.skip("Arduino's core is not on this machine (Debian: arduino-core-avr)")
    if shutil.which("avr-g++") is None:
        pytest.skip("avr-g++ is not on this machine (Debian: gcc-avr avr-libc binutils-avr)")
    sources = [SKETCHES / f"{name}.cpp", *sorted((CORE / "cores" / "arduino").glob("*.*"))]
    for library in LIBRARIES:
        sources += sorted((CORE / "libraries" / library / "src").rglob("*.c*"))
    objects = [_compiled(source, arduino, folder) for source in sources if source.suffix in LANGUAGES]
    elf = folder / f"{name}-{arduino.mcu}.elf"
    _run("avr-gcc", "-Os", "-w", "-flto", "-Wl,--gc-sections", f"-mmcu={arduino.mcu}", "-o", elf, *objects, "-lm")
    return elf


def _compiled(source: Path, arduino: Arduino, folder: Path) -> Path:
    includes = [CORE / "cores" / "arduino", CORE / "variants" / arduino.variant]
    includes += [CORE / "libraries" / library / "src" for library in LIBRARIES]
    includes.append(CORE / "libraries" / "Wire" / "src" / "utility")
    target = [f"-mmcu={arduino.mcu}", f"-DF_CPU={arduino.clock_hz}L", "-DARDUINO_ARCH_AVR"]
    compiler, language = LANGUAGES[source.suffix]
    place = folder / f"{source.parent.name}-{source.name}-{arduino.mcu}.o"
    _run(
        compiler, *OPTIONS, *MISSING, *target, *language, *(f"-I{include}" for include in includes),
        "-c", source, "-o", place,
    )  # fmt: skip
    return place


def _run(*command: str | Path) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
