"""The boards and chips that there are, and what a board file says: all without a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from airwire import _core
from airwire.board.model import BoardDescription, Chip, ChipField, ChipKind, Microcontroller, PinName


def board_names() -> list[str]:
    """The boards that Airwire brings along."""
    return _core.board_names()


def board_schema() -> dict[str, Any]:
    """The JSON Schema of board files."""
    schema: dict[str, Any] = json.loads(_core.board_schema())
    return schema


def board_fields() -> list[ChipField]:
    """The fields of a board file itself; those of its chips are in :func:`chip_kinds`."""
    return [ChipField(**given) for given in json.loads(_core.board_fields())]


def chip_kinds() -> list[ChipKind]:
    """The kinds of chips that board files may name."""
    kinds = json.loads(_core.chip_kinds())
    return [ChipKind(**{**kind, "fields": [ChipField(**given) for given in kind["fields"]]}) for kind in kinds]


def microcontrollers() -> list[Microcontroller]:
    """The microcontrollers that board files may name."""
    return [Microcontroller(**given) for given in json.loads(_core.microcontrollers())]


def microcontroller_of(image: str | Path) -> str:
    """The microcontroller that an image is for, as board files name it; ``AirwireError`` where it is for none."""
    return _core.microcontroller_of(str(image))


def board_header(board: str | Path) -> str:
    """A board as the C header that firmware is built with: crystal, flash, its Ethernet chip and where it is.

    Raises AirwireError when there is no such board, or its file is wrong.

    >>> "#define BOARD_NETWORK_CSN 17u" in board_header("w5500-evb-pico")
    True
    """
    return _core.board_header(str(board))


def describe_board(board: str | Path) -> BoardDescription:
    """What a board file says; ``AirwireError`` where it says something impossible, with file, line and field."""
    content = json.loads(_core.describe_board(str(board)))
    pins = [PinName(**pin) for pin in content.pop("pins")]
    chips = [Chip(**chip) for chip in content.pop("chips")]
    return BoardDescription(**content, pins=pins, chips=chips)
