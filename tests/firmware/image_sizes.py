"""Flash and RAM of every image, a line for each, and which of them have grown since somebody looked at them last.

    make firmware && python tests/firmware/image_sizes.py

writes the file anew, after a growth that is meant.
"""

from __future__ import annotations

import re
import struct
import tomllib
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "build" / "firmware"
RECORD = Path(__file__).with_name("image_sizes.toml")
RENEW = "`python tests/firmware/image_sizes.py` writes the file anew, if that is meant"
FLASH = (".boot2", ".vectors", ".settings", ".text", ".data")
RAM = (".data", ".bss", ".noinit")
MOST_GROWTH = 0.01
LEAST_BYTES = 16
"""So many bytes may come in any case: the smallest image has 172 bytes of RAM, and a variable more is no growth."""

Sizes = dict[str, int]
Images = Mapping[str, Sizes]


def sections(elf: bytes) -> dict[str, tuple[int, int]]:
    """Place in the file and size of each section of a 32-bit ELF."""
    table, entry_bytes, count, names_at = struct.unpack_from("<12xI10x3H", elf, 20)
    entries = [struct.unpack_from("<I12x2I", elf, table + index * entry_bytes) for index in range(count)]
    names = elf[entries[names_at][1] :]
    return {names[name : names.index(b"\0", name)].decode(): (place, size) for name, place, size in entries}


def sizes_of(elf: Path) -> Sizes:
    """What an image takes of flash and RAM."""
    have = sections(elf.read_bytes())
    return {
        "flash": sum(have[name][1] for name in FLASH if name in have),
        "ram": sum(have[name][1] for name in RAM if name in have),
    }


def compiler_of(elf: Path) -> str:
    """The compiler that an image names in its section .comment."""
    content = elf.read_bytes()
    place, size = sections(content)[".comment"]
    found = re.search(rb"GCC: [^\0]+", content[place : place + size])
    assert found, f"{elf} names no compiler"
    return found[0].decode()


def images(firmware: Path) -> dict[str, Path]:
    """Every application's image by its board and name."""
    return {f"{elf.parent.name}/{elf.stem}": elf for elf in sorted(firmware.glob("*/*-*.elf"))}


def measured(firmware: Path) -> dict[str, Sizes]:
    """Every image's sizes."""
    return {name: sizes_of(elf) for name, elf in images(firmware).items()}


def compilers(firmware: Path) -> dict[str, str]:
    """The compiler of each board's images; within a board one image is as good as another."""
    return {elf.parent.name: compiler_of(elf) for elf in images(firmware).values()}


def recorded(own: Mapping[str, str]) -> dict[str, Sizes]:
    """The sizes as they were written last, of boards whose images were built then by the compiler that they have now.

    A machine without avr-gcc has no images for AVRs.
    """
    record = tomllib.loads(RECORD.read_text(encoding="utf-8"))
    same = {board for board, name in own.items() if name == record["compilers"].get(board, name)}
    return {name: sizes for name, sizes in record["images"].items() if name.split("/")[0] in same}


def grown(before: Images, now: Images) -> str | None:
    """Which images are larger than they may be, or have no record, or are gone; in one sentence."""
    told = [f"{name} is new" for name in now if name not in before]
    told += [f"{name} is gone" for name in before if name not in now]
    for name in now.keys() & before.keys():
        for kind, was in before[name].items():
            size = now[name][kind]
            if size - was > max(was * MOST_GROWTH, LEAST_BYTES):
                told.append(f"{name} has {size} bytes of {kind} where it had {was}")
    return f"Images have other sizes than {RECORD.name} says: {'; '.join(sorted(told))}; {RENEW}" if told else None


def main() -> None:
    """Write the sizes of the images as they are, and say which have grown."""
    now = measured(FIRMWARE)
    before = recorded(compilers(FIRMWARE)) if RECORD.is_file() else {}
    lines = [
        "# Bytes of flash and RAM of each image, by board and name. tests/firmware/image_sizes.py writes this file.",
        "[compilers]",
        *(f'"{board}" = "{name}"' for board, name in compilers(FIRMWARE).items()),
        "",
        "[images]",
        *(f'"{name}" = {{ flash = {sizes["flash"]}, ram = {sizes["ram"]} }}' for name, sizes in now.items()),
    ]
    RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(grown(before, now) or "No image has grown.")


if __name__ == "__main__":
    main()
