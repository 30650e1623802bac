"""The kinds of file that commands write, told by how they begin: an output replaces a file of its own kind only.

A report that is written again replaces the one before; a suite, an image or a table that lies under the name by mistake
stays. Leaves out images in plain binary, which begin with anything.
"""

from __future__ import annotations

from pathlib import Path

from airwire.outputs import is_device

_PACKED = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}
HISTORY = ".sqlite"
_KINDS: dict[str, tuple[str, tuple[bytes, ...]]] = {
    ".html": ("HTML page", (b"<!doctype html", b"<html")),
    ".svg": ("SVG picture", (b"<svg", b"<?xml")),
    ".png": ("PNG picture", (b"\x89png",)),
    ".json": ("trace or history of Airwire's", (b'{"displaytimeunit"', b'{"schema":"airwire.history')),
    ".parquet": ("Parquet table", (b"par1",)),
    HISTORY: ("SQLite data base", (b"sqlite format 3\0",)),
    ".pcapng": ("pcapng capture", (b"\x0a\x0d\x0d\x0a",)),
    ".vcd": ("value change dump", (b"$",)),
    ".csv": ("capture in CSV", (b"time",)),
    ".c": ("C file of airwire fsdata's", (b"/* made by airwire fsdata",)),
    ".h": ("C file of airwire fsdata's", (b"/* made by airwire fsdata",)),
    ".uf2": ("UF2 image", (b"uf2\n",)),
    ".elf": ("ELF image", (b"\x7felf",)),
}
_HEAD_BYTES = 64


def kind_to_keep(file: Path, kinds: tuple[str, ...]) -> str | None:
    """What a file is expected to be where it is none of ``kinds`` (endings), so that it is not to be replaced.

    Where there are several kinds the ending of the file's name decides. A file that is empty holds nothing to keep.
    """
    if not kinds or is_device(file) or not file.is_file():
        return None
    ending = kinds[0] if len(kinds) == 1 else file.suffix.lower()
    with file.open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    if not head:
        return None
    if ending in kinds and ending in _PACKED:
        return None if head.startswith(_PACKED[ending]) else f"{ending} file"
    if ending not in kinds or ending not in _KINDS:
        return None
    name, beginnings = _KINDS[ending]
    return None if head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t").lower().startswith(beginnings) else name
