"""Captures of one file format as another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from airwire import _core
from airwire.outputs import why_kept


def convert(
    source: str | Path,
    destination: str | Path,
    *,
    channels: Sequence[str | int] = (),
    overwrite: bool = False,
    progress: Callable[[int], Any] | None = None,
) -> None:
    """Write a capture as VCD or Saleae-style CSV, by the ending of ``destination``.

    ``progress(time_ps)`` is told while it works how far into the capture it is.
    Raises ``AirwireError`` when the source cannot be read or the destination cannot be written, or is the source.
    """
    if (why := why_kept(destination, {"source": source})) is not None:
        raise _core.AirwireError(why)
    _core.convert(str(source), str(destination), [str(channel) for channel in channels], overwrite, progress)
