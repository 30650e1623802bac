"""A folder of web pages as one constant image for a board's HTTP server (``airwire fsdata``).

Stands before the firmware's build: the image is C source, and ``firmware/protocols/fsdata/`` reads it. All that can be
known before is computed here: content types, response heads, ETags, gzip variants, the pieces between server-side
includes. Leaves out what only a request knows: whether the connection stays open, and what the tags say.

    header   magic, version, page for 404, size, counts, offsets, CRC-32 of all that follows
    files    40 bytes each, sorted by path: name, two representations (plain, gzip), CRC-32, pieces
    tags     names of 20 bytes each, padded with zeros
    texts    names; pieces of pages with tags; head, blank line and body of each representation, in one run of bytes
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from airwire.board.catalogue import board_names, describe_board
from airwire.fsdata.content_types import SSI_SUFFIXES, content_type
from airwire.fsdata.pages import TAG_NAME_LIMIT, Page, cut
from airwire.fsdata.refusal import refuse

MAGIC = b"AWFS"
VERSION = 1
NONE = 0xFFFF
HEADER = struct.Struct("<4sHHIHHIII4x")
FILE = struct.Struct("<I IHHI IHHI I IHH")
TAG_BYTES = TAG_NAME_LIMIT + 4
# Numbers have eight bits, and the last two mean something else.
TAG_LIMIT = 254
# A path of the server in bytes, decoded; a request line holds it many times over.
PATH_LIMIT = 127
# What the RP2040 can address as flash (RP2040 datasheet, 2.6.3).
IMAGE_LIMIT_BYTES = 16 << 20
# As lwIP's httpd asks for them.
INDEX_NAMES = ("index.shtml", "index.ssi", "index.shtm", "index.html", "index.htm")
# A gzip variant costs flash: it has to save a tenth of the transfer, and more than its own head.
GZIP_SAVES_BYTES = 64
GZIP_SAVES_SHARE = 0.1
# RFC 1952: deflate, no name and no time, slowest compression, unknown system.
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"


@dataclass(frozen=True)
class FsFile:
    """One path that the server answers."""

    path: str
    source: str
    status: int
    content_type: str | None
    body_bytes: int
    gzip_bytes: int | None
    etag: str | None
    crc32: int
    tags: tuple[str, ...]


@dataclass(frozen=True)
class FsData:
    """The image of a folder, and what is in it."""

    image: bytes
    files: tuple[FsFile, ...]
    tags: tuple[str, ...]
    warnings: tuple[str, ...]

    def manifest(self) -> dict[str, Any]:
        """The content of ``airwire.fsdata/1``."""
        return {
            "image_bytes": len(self.image),
            "tags": list(self.tags),
            "files": [
                {
                    "path": file.path,
                    "source": file.source,
                    "status": file.status,
                    "content_type": file.content_type,
                    "bytes": file.body_bytes,
                    "gzip_bytes": file.gzip_bytes,
                    "etag": file.etag,
                    "crc32": f"{file.crc32:08x}",
                    "tags": list(file.tags),
                }
                for file in self.files
            ],
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True)
class _Entry:
    """A path before it has a place in the image."""

    path: bytes
    source: str
    status: str
    content_type: str
    page: Page
    etag: str | None
    gzip: bytes | None = None
    location: str | None = None

    def head(self, body_bytes: int, encoding: str | None) -> tuple[bytes, int]:
        """Status line and header without the blank line, and where the part that a 304 repeats begins."""
        lines = [f"HTTP/1.1 {self.status}"]
        if self.location is not None:
            lines.append(f"Location: {self.location}")
        else:
            lines.append(f"Content-Type: {self.content_type}")
        if not self.page.tags:
            lines.append(f"Content-Length: {body_bytes}")
        if encoding:
            lines.append(f"Content-Encoding: {encoding}")
        validators = []
        if self.etag is not None:
            validators = [f'ETag: "{self.etag}{"z" if encoding else ""}"', "Cache-Control: no-cache"]
            if self.gzip is not None:
                validators.append("Vary: Accept-Encoding")
        elif self.location is None:
            lines.append("Cache-Control: no-store")
        text = "".join(f"{line}\r\n" for line in lines)
        return (text + "".join(f"{line}\r\n" for line in validators)).encode(), len(text) if validators else 0


def build(folder: Path | str, *, gzip: bool = False) -> FsData:
    """Make the image of all files below ``folder``; the same contents give the same bytes.

    ``gzip`` adds a compressed variant to each file that gets enough smaller by it. Raises ``AirwireError`` in one
    sentence where a file cannot be served.
    """
    root = Path(folder)
    warnings: list[str] = []
    entries: dict[bytes, _Entry] = {}
    for file in _files_below(root):
        entry = _read(root, file, gzip, warnings)
        _add(entries, entry)
    if not entries:
        refuse(f"{root}: there is no file to serve in this folder; hidden files are left out")
    for entry in list(_indices(entries, warnings)):
        _add(entries, entry)
    ordered = [entries[path] for path in sorted(entries)]
    tags = sorted({tag for entry in ordered for tag in entry.page.tags})
    if len(tags) > TAG_LIMIT:
        refuse(f"{root}: the pages have {len(tags)} different tags, but an image holds {TAG_LIMIT}; use fewer")
    image = _image(ordered, tags)
    if len(image) > IMAGE_LIMIT_BYTES:
        refuse(f"{root}: the image has {len(image)} bytes, but flash ends at {IMAGE_LIMIT_BYTES}; leave files out")
    warnings.extend(_size_warning(root, len(image)))
    return FsData(image, tuple(_described(entry) for entry in ordered), tuple(tags), tuple(warnings))


def _size_warning(root: Path, image_bytes: int) -> Iterator[str]:
    """The image may be for a board with more flash than those that come along."""
    boards = [describe_board(name) for name in board_names()]
    largest = max(boards, key=lambda board: board.flash_bytes)
    if image_bytes > largest.flash_bytes:
        yield (
            f"{root}: the image has {image_bytes} bytes, but no board that comes along has more than "
            f"{largest.flash_bytes} bytes of flash, firmware included; leave files out, or use a board with more"
        )


def _files_below(root: Path) -> Iterator[Path]:
    """Every visible file, in the order of its name."""
    if not root.is_dir():
        refuse(f"{root}: this is no folder; name the folder that holds the pages")
    try:
        members = sorted(root.iterdir())
    except OSError as error:
        refuse(f"{root}: cannot read this folder: {error.strerror}; give yourself the right to")
    for member in members:
        if member.name.startswith(".") and member.name != ".well-known":
            continue
        if member.is_dir():
            if member.is_symlink():
                refuse(f"{member}: this is a link to a folder; put the folder itself here")
            yield from _files_below(member)
        elif member.is_file() or member.is_symlink():
            yield member
        else:
            refuse(f"{member}: this is no regular file; take it away")


def _read(root: Path, file: Path, gzip: bool, warnings: list[str]) -> _Entry:
    # Path.resolve() does not take links that lead to themselves.
    if file.is_symlink() and not Path(os.path.realpath(file)).is_relative_to(os.path.realpath(root)):
        refuse(f"{file}: this link leads out of {root}; put a copy in its place")
    try:
        size = file.stat().st_size
        content = file.read_bytes() if size <= IMAGE_LIMIT_BYTES else b""
    except OSError as error:
        refuse(f"{file}: cannot read it: {error.strerror}; give yourself the right to, or take it away")
    if size > IMAGE_LIMIT_BYTES:
        refuse(f"{file}: it has {size} bytes, but flash ends at {IMAGE_LIMIT_BYTES}; leave it out")
    path = _path(root, file)
    kind, known = content_type(file.name, content)
    if not known:
        warnings.append(f"{file}: no content type is known for {file.suffix or 'a name without a suffix'}; used {kind}")
    page = cut(content, str(file)) if file.suffix.lower() in SSI_SUFFIXES else Page.plain(content)
    is_not_found_page = path.startswith(b"/404.")
    etag = None if page.tags or is_not_found_page else hashlib.sha256(content).hexdigest()[:16]
    return _Entry(
        path=path,
        source=file.relative_to(root).as_posix(),
        status="404 Not Found" if is_not_found_page else "200 OK",
        content_type=kind,
        page=page,
        etag=etag,
        gzip=_compressed(content) if gzip and etag is not None else None,
    )


def _path(root: Path, file: Path) -> bytes:
    """The path that a request has after URL-decoding; file names may be encoded, for what file systems refuse."""
    path = b""
    for part in file.relative_to(root).parts:
        if re.search(r"%(?![0-9A-Fa-f]{2})", part):
            refuse(f"{file}: a % in its name begins an escape such as %3F, and this one does not; write %25 for a %")
        decoded = unquote_to_bytes(part.encode("utf-8", "surrogateescape"))
        if b"/" in decoded or b"\0" in decoded:
            refuse(f"{file}: an escape in its name stands for a slash or a zero byte; use another name")
        path += b"/" + decoded
    if len(path) > PATH_LIMIT:
        refuse(f"{file}: its path has {len(path)} bytes, but the server takes {PATH_LIMIT}; use a shorter name")
    return path


def _compressed(content: bytes) -> bytes | None:
    """The gzip variant, if it is worth its flash; bytes depend on the contents and on zlib, on nothing else."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    packed = _GZIP_HEADER + deflate.compress(content) + deflate.flush()
    packed += struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
    saved = len(content) - len(packed)
    return packed if saved >= max(GZIP_SAVES_BYTES, GZIP_SAVES_SHARE * len(content)) else None


def _add(entries: dict[bytes, _Entry], entry: _Entry) -> None:
    other = entries.setdefault(entry.path, entry)
    if other is not entry:
        refuse(f"{other.source} and {entry.source} are both {_shown(entry.path)} after URL-decoding; rename one")


def _indices(entries: dict[bytes, _Entry], warnings: list[str]) -> Iterator[_Entry]:
    """For each folder with an index page its path with a slash, and a redirect there from the one without."""
    folders: dict[bytes, list[_Entry]] = {}
    for name in INDEX_NAMES:
        for path, entry in sorted(entries.items()):
            folder, _, last = path.rpartition(b"/")
            if last == name.encode():
                folders.setdefault(folder + b"/", []).append(entry)
    for folder, found in sorted(folders.items()):
        if len(found) > 1:
            others = ", ".join(entry.source for entry in found[1:])
            warnings.append(f"{_shown(folder)} is answered with {found[0].source}, not with {others}")
        first = found[0]
        yield _Entry(folder, first.source, first.status, first.content_type, first.page, first.etag, first.gzip)
        if folder != b"/":
            there = quote(folder)
            yield _Entry(folder[:-1], first.source, "301 Moved Permanently", "", Page.plain(b""), None, None, there)


def _image(entries: list[_Entry], tags: list[str]) -> bytes:
    """All parts with their offsets; contents that several paths share are kept once."""
    files_offset = HEADER.size
    tags_offset = files_offset + FILE.size * len(entries)
    texts = _Texts(tags_offset + TAG_BYTES * len(tags))
    table = b"".join(_file(entry, tags, texts) for entry in entries)
    names = b"".join(tag.encode().ljust(TAG_BYTES, b"\0") for tag in tags)
    not_found = next((n for n, entry in enumerate(entries) if entry.status.startswith("404")), NONE)
    rest = bytes(4) + table + names + texts.bytes
    size = HEADER.size - 4 + len(rest)
    head = HEADER.pack(
        *(MAGIC, VERSION, not_found, size, len(entries), len(tags), files_offset, tags_offset, zlib.crc32(rest))
    )
    return head[:-4] + rest


class _Texts:
    """The end of the image, filled from its start, every piece at a multiple of four."""

    def __init__(self, begin: int) -> None:
        self.bytes = bytearray()
        self._begin = begin
        self._known: dict[bytes, int] = {}

    def place(self, text: bytes) -> int:
        if text not in self._known:
            self._known[text] = self._begin + len(self.bytes)
            self.bytes += text + bytes(-len(text) % 4)
        return self._known[text]


def _file(entry: _Entry, tags: list[str], texts: _Texts) -> bytes:
    name = texts.place(entry.path + b"\0")
    records = b"".join(
        struct.pack("<I", length | (0xFF if tag is None else tags.index(tag)) << 24)
        for length, tag in entry.page.pieces
    )
    pieces = texts.place(records) if entry.page.tags else 0
    plain = _representation(entry, entry.page.literal, None, texts)
    packed = (0, 0, 0, 0) if entry.gzip is None else _representation(entry, entry.gzip, "gzip", texts)
    count = len(entry.page.pieces) if entry.page.tags else 0
    return FILE.pack(name, *plain, *packed, zlib.crc32(entry.page.literal), pieces, count, 0)


def _representation(entry: _Entry, body: bytes, encoding: str | None, texts: _Texts) -> tuple[int, int, int, int]:
    head, validators = entry.head(len(body), encoding)
    return texts.place(head + b"\r\n" + body), len(head), validators, len(body)


def _described(entry: _Entry) -> FsFile:
    return FsFile(
        path=_shown(entry.path),
        source=entry.source,
        status=int(entry.status[:3]),
        content_type=entry.content_type or None,
        body_bytes=len(entry.page.literal),
        gzip_bytes=None if entry.gzip is None else len(entry.gzip),
        etag=entry.etag,
        crc32=zlib.crc32(entry.page.literal),
        tags=tuple(dict.fromkeys(tag for _, tag in entry.page.pieces if tag is not None)),
    )


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")
