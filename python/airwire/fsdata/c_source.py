"""The image of a folder as C: one source file with its bytes, one header with its counts and tag numbers.

The text depends on the image alone, so that a build repeats.
"""

from __future__ import annotations

import re
from pathlib import Path

from airwire.fsdata import FsData
from airwire.fsdata.refusal import refuse
from airwire.outputs import write_file, write_files

_BYTES_PER_LINE = 24
# The header has a constant of that end itself.
_COUNT_TAG = "COUNT"


def write(data: FsData, output: Path) -> list[Path]:
    """Write ``output`` and what belongs to it: a .c with its .h, or the bare image where the name ends in .bin."""
    if output.suffix == ".bin":
        write_file(output, data.image)
        return [output]
    name = output.stem
    if output.suffix != ".c" or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        refuse(f"{output}: the name has to be a C identifier with .c, such as fsdata.c, or end in .bin")
    header = output.with_suffix(".h")
    write_files({output: c_source(data, name), header: c_header(data, name)})
    return [output, header]


def c_source(data: FsData, name: str = "fsdata") -> str:
    """The image as a constant array of bytes, aligned for words."""
    lines = [
        "/* Made by airwire fsdata; do not edit by hand. The format is in python/airwire/fsdata/__init__.py. */",
        f'#include "{name}.h"',
        "",
        f"_Alignas(4) const FSDATA_CONSTANT uint8_t {name}_image[{name.upper()}_BYTES] = {{",
    ]
    for at in range(0, len(data.image), _BYTES_PER_LINE):
        lines.append("    " + " ".join(f"{byte}," for byte in data.image[at : at + _BYTES_PER_LINE]))
    return "\n".join([*lines, "};", ""])


def c_header(data: FsData, name: str = "fsdata") -> str:
    """The counts, and the numbers of the tags."""
    upper = name.upper()
    if _COUNT_TAG in data.tags:
        refuse(f"the tag {_COUNT_TAG} would stand for {upper}_TAG_{_COUNT_TAG} in {name}.h; rename it")
    lines = [
        "/* Made by airwire fsdata; do not edit by hand. */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "#include <stdint.h>",
        "",
        "/* The address space of constants, for a processor whose flash has one of its own. */",
        "#ifdef FSDATA_ADDRESS_SPACE",
        "#define FSDATA_CONSTANT FSDATA_ADDRESS_SPACE",
        "#else",
        "#define FSDATA_CONSTANT",
        "#endif",
        f"#define {upper}_BYTES {len(data.image)}u",
        f"#define {upper}_FILE_COUNT {len(data.files)}u",
        f"#define {upper}_TAG_COUNT {len(data.tags)}u",
        *(f"#define {upper}_TAG_{tag} {number}u" for number, tag in enumerate(data.tags)),
        "",
        f"extern const FSDATA_CONSTANT uint8_t {name}_image[{upper}_BYTES];",
        "",
        "#endif",
    ]
    return "\n".join([*lines, ""])
