"""The settings of firmware images: what there are, and images with others, as files for real boards."""

from __future__ import annotations

import json
from pathlib import Path

from airwire import _core
from airwire.board.model import ImageSetting
from airwire.inputs import read_file
from airwire.outputs import why_kept, write_file
from airwire.values import Settings, setting_texts

_UF2 = b"UF2\n"
"""How a UF2 begins (the UF2 specification, "File format")."""


def image_settings(image: str | Path, symbols: str | Path | None = None) -> list[ImageSetting]:
    """The settings that an image declares, with the values that it was built with."""
    return [ImageSetting(**one) for one in json.loads(_core.image_setting_list(image, symbols))]


def boot_image(image: str | Path) -> bytes:
    """An image as the UF2 that a board's boot drive takes; a UF2 as it is.

    Raises AirwireError where it is for no chip that is known here, with what it is instead.
    """
    as_uf2 = _core.changed_image_file(image, None, {}, "boot.uf2")
    own = read_file(image)
    return own if own.startswith(_UF2) else as_uf2


def write_image(
    image: str | Path,
    out: str | Path,
    settings: Settings,
    *,
    symbols: str | Path | None = None,
) -> None:
    """Write an image with other values of its settings, for a real board.

    ``out`` ends in ``.uf2``, ``.elf`` (where the image is one) or ``.bin``. The file is there whole or not at all.
    Raises AirwireError where the image has no such setting, or ``out`` is the image itself.
    """
    place = Path(out)
    if (why := why_kept(place, {"image": image, "ELF with symbols": symbols})) is not None:
        raise _core.AirwireError(why)
    content = _core.changed_image_file(image, symbols, setting_texts(settings), place)
    try:
        write_file(place, content)
    except OSError as error:
        reason = error.strerror or "the system refuses"
        raise _core.AirwireError(f"{place}: cannot write it: {reason}; name another place, or make room") from None
