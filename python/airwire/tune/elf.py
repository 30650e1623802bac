"""What an image takes of RAM and flash, from the sections of its ELF (System V ABI, "Sections")."""

from __future__ import annotations

import struct
from pathlib import Path

from airwire import _core
from airwire.inputs import read_file

_MAGIC = b"\x7fELF\x01\x01"
"""Of 32 bits, little end first."""
_SHF_ALLOC = 2
_RAM = range(0x2000_0000, 0x4000_0000)
"""Of a Cortex-M (ARMv6-M Architecture Reference Manual, "The system address map")."""
_SHT_NOBITS = 8


def sizes_of(image: Path) -> dict[str, int]:
    """Bytes of ``ram`` (variables, buffers, pools, stack, and code that runs there) and of ``flash``.

    Raises ``AirwireError`` where the image is no ELF.
    """
    content = read_file(image)
    if not content.startswith(_MAGIC):
        raise _core.AirwireError(f"{image}: RAM and flash are told by an ELF, and this is none; give the .elf")
    try:
        place, entry_bytes, count = struct.unpack_from("<I10xHH", content, 32)
        ram = flash = 0
        for index in range(count):
            kind, flags, address, size = struct.unpack_from("<4x3I4xI", content, place + index * entry_bytes)
            if not flags & _SHF_ALLOC:
                continue
            ram += size if address in _RAM else 0
            flash += size if kind != _SHT_NOBITS else 0
    except struct.error:
        raise _core.AirwireError(f"{image}: the file ends within its ELF; build it anew") from None
    return {"ram": ram, "flash": flash}
