"""A row as the text of a suite: what TOML 1.0 needs for tables of texts, numbers, switches, lists and tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {inline(one)}" for name, one in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(inline(one) for one in value) + "]"
    if isinstance(value, int | float):
        return repr(value)
    # JSON's escapes are those of TOML's basic strings (TOML 1.0, "String").
    return json.dumps(str(value))


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)


def suite_text(name: str, seed: int, entry: str, row: Mapping[str, Any]) -> str:
    """A suite of one row of boards."""
    lines = [f"name = {inline(name)}", f"seed = {seed}", f"[boards.{key(entry)}]"]
    return "\n".join([*lines, *(f"{key(field)} = {inline(value)}" for field, value in row.items())]) + "\n"
