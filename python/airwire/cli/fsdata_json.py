"""The JSON of ``fsdata --manifest``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from airwire.cli.json_object import Output


class FileObject(msgspec.Struct):
    """A page of the image."""

    path: str
    source: str
    status: int
    content_type: str | None
    bytes: int
    gzip_bytes: int | None
    etag: str | None
    crc32: str
    tags: Sequence[str]


class FsdataOutput(Output, tag="airwire.fsdata/1"):
    """A folder of pages as an image."""

    command: ClassVar[str] = "fsdata"
    image_bytes: int
    tags: Sequence[str]
    files: Sequence[FileObject]
    warnings: Sequence[str]
