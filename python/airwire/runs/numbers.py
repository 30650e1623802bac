"""Numbers in JSON: those of run folders and of exports are within what the core and a data base take, 63 bits."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

_END = 2**63

Whole = Annotated[int, msgspec.Meta(ge=0, le=_END - 1)]
"""No whole number of a manifest is negative."""
Number = int | float
NotNegative = Annotated[int, msgspec.Meta(ge=0)] | Annotated[float, msgspec.Meta(ge=0)]
"""A number of what was counted."""


def is_within_reach(number: float) -> bool:
    """Whether a number can be one of a run; NaN cannot."""
    return -_END < number < _END


def beyond_reach(content: Any) -> str | None:
    """Where the first number stands that no run can have, such as ``rows[0].figure.value``; nothing where none does."""
    found = _beyond(content)
    return None if found is None else found.removeprefix(".")


def _beyond(content: Any) -> str | None:
    if isinstance(content, dict):
        parts = [(f".{name}", value) for name, value in content.items()]
    elif isinstance(content, list):
        parts = [(f"[{at}]", value) for at, value in enumerate(content)]
    else:
        return "" if isinstance(content, int | float) and not is_within_reach(content) else None
    places = ((name, _beyond(value)) for name, value in parts)
    return next((name + rest for name, rest in places if rest is not None), None)
