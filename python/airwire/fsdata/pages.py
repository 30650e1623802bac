"""Pages with server-side includes cut into literal text and tags, so that a board never searches text.

A tag is ``<!--#name-->`` as in lwIP's httpd, with spaces allowed around the name. Leaves out all other directives: the
server has no ``include``, ``echo`` or ``exec``, and says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from airwire.fsdata.refusal import refuse

TAG_NAME_LIMIT = 16
_LEAD_IN = b"<!--#"
_LEAD_OUT = b"-->"
_NAME = re.compile(rb"[A-Za-z0-9_]+")
# The length of a piece has 24 bits in the image.
_PIECE_LIMIT_BYTES = (1 << 24) - 1
_COUNT_LIMIT = 65535


@dataclass(frozen=True)
class Page:
    """A body: its literal text in one run, and how much of it stands before each tag."""

    literal: bytes
    pieces: tuple[tuple[int, str | None], ...]

    @staticmethod
    def plain(content: bytes) -> Page:
        """A body without tags."""
        return Page(content, ())

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags in the order of the page."""
        return tuple(tag for _, tag in self.pieces if tag is not None)


def cut(content: bytes, file: str) -> Page:
    """Cut the page that ``file`` names into literal text and tags."""
    literal = bytearray()
    pieces: list[tuple[int, str | None]] = []
    at = 0
    while (begin := content.find(_LEAD_IN, at)) >= 0:
        line = content.count(b"\n", 0, begin) + 1
        end = content.find(_LEAD_OUT, begin + len(_LEAD_IN))
        inside = content[begin + len(_LEAD_IN) : end]
        if end < 0 or b"<" in inside or b"\n" in inside:
            refuse(f"{file}:{line}: a tag begins here and is not closed on this line; close it with -->")
        literal += content[at:begin]
        pieces.append((begin - at, _name(inside, f"{file}:{line}")))
        at = end + len(_LEAD_OUT)
    literal += content[at:]
    if at < len(content):
        pieces.append((len(content) - at, None))
    if any(length > _PIECE_LIMIT_BYTES for length, _ in pieces) or len(pieces) > _COUNT_LIMIT:
        refuse(f"{file}: this page is too large for an image; split it")
    return Page(bytes(literal), tuple(pieces))


def _name(inside: bytes, where: str) -> str:
    name = inside.strip(b" \t")
    shown = name.decode("utf-8", "backslashreplace")
    if not _NAME.fullmatch(name):
        refuse(f"{where}: `{shown}` is no tag's name: it has letters, digits and _; other directives are not served")
    if len(name) > TAG_NAME_LIMIT:
        refuse(f"{where}: the tag {shown} has {len(name)} characters, but {TAG_NAME_LIMIT} are the most; shorten it")
    return name.decode()
