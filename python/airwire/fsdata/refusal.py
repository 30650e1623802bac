"""How a folder that cannot be served is refused: in one sentence."""

from __future__ import annotations

from typing import NoReturn

from airwire._core import AirwireError


def refuse(sentence: str) -> NoReturn:
    """Say what is wrong, where, and what to do."""
    raise AirwireError(sentence) from None
