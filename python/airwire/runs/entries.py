"""The entries of a suite that run on boards, with what ``same_but`` takes over written out, as the core reads them
(``crates/bench/src/suite/boards/entry.rs``)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

Document = dict[str, Any]
_NOT_TAKEN_OVER = ("title", "published", "bounds", "same_but")
_MERGED = ("settings", "peer")
"""A table that gives what it changes: its fields are merged one by one."""


def whole_boards(boards: Mapping[str, Mapping[str, Any]]) -> dict[str, Document]:
    """Every entry by its name, in the order of a suite that the core has read."""
    whole: dict[str, Document] = {}
    for name, table in boards.items():
        before = whole.get(table.get("same_but", ""), {})
        document = {one: value for one, value in copy.deepcopy(before).items() if one not in _NOT_TAKEN_OVER}
        _forget_names(document, table)
        for one, value in table.items():
            document[one] = _merged(document.get(one), value) if one in _MERGED else value
        if not before:
            document.setdefault("firmware", f"{name}.elf")
        whole[name] = document
    return whole


def _forget_names(document: Document, table: Mapping[str, Any]) -> None:
    """The names of one image are not those of another."""
    if "firmware" in table:
        document.pop("symbols", None)


def _merged(before: Any, value: Any) -> Any:
    if not isinstance(before, dict) or not isinstance(value, dict):
        return value
    before = dict(before)
    _forget_names(before, value)
    return {**before, **{name: _merged(before.get(name), one) for name, one in value.items()}}
