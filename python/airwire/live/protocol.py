"""What the server and a page say to each other over their WebSocket.

Texts are JSON objects with a ``type``; samples come as binary batches of Float64 columns, which the page reads without
copying. A page says how many samples of each series it has and confirms each batch: the server has only a few batches
on the way to it, keeps nothing else for it, and goes on from there when it comes back.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import msgspec

from airwire.live.feed import COLUMNS, LONGEST_MARK, Feed, Series

VERSION: Final = 1
BATCH_SAMPLES = 8192
BATCHES_ON_THE_WAY = 4
_HEADER = struct.Struct("<IIIId")
"""Version, series, samples, columns, and the index of the first sample: 24 bytes, so that columns are aligned."""


class Resume(msgspec.Struct, tag="resume", frozen=True):
    """A page's first word: how many samples of each series it has of a session."""

    session: str | None = None
    have: list[int] = []


class Ack(msgspec.Struct, tag="ack", frozen=True):
    """A page has taken a batch."""


class MarkNow(msgspec.Struct, tag="mark", frozen=True):
    """A person has done something."""

    text: str


class Save(msgspec.Struct, tag="save", frozen=True):
    """Write the report of the run so far."""


Said = Resume | Ack | MarkNow | Save
_DECODER: msgspec.json.Decoder[Said] = msgspec.json.Decoder(Said)


def said(text: str) -> Said:
    """What a page said. Raises ``msgspec.MsgspecError`` where that is none of it."""
    return _DECODER.decode(text)


def told(kind: str, **content: Any) -> str:
    """A text of the server's."""
    return msgspec.json.encode({"type": kind, **content}).decode()


def hello(feed: Feed, session: str) -> str:
    """The server's first word."""
    return told("hello", protocol=VERSION, session=session, title=feed.title, started=feed.started, mark=LONGEST_MARK)


def batch(series: Series, first: int) -> tuple[bytes, int]:
    """The samples of a series from an index on, as many as a batch takes, and how many they are."""
    columns = series.read(first, BATCH_SAMPLES)
    count = len(columns[0])
    header = _HEADER.pack(VERSION, series.number, count, len(COLUMNS), first)
    return b"".join([header, *(column.tobytes() for column in columns)]), count
