"""A document of an entry as the text of a suite, and the files that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import tomli_w

FILE_OPTIONS = ("file", "certificate")
"""Options of clients and servers of the PC that name a file."""


def suite_text(kind: str, name: str, document: Mapping[str, Any], seed: int) -> str:
    """A suite of one entry."""
    return tomli_w.dumps({"name": "point", "seed": seed, kind: {name: document}})


def files_in(document: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every option of traffic that names a file, as the table and the key where it stands."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in FILE_OPTIONS and isinstance(value, str):
                yield document, key
            else:
                yield from files_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from files_in(value)


def with_tables(traffic: Any) -> Any:
    """Traffic in which whatever names a file is a table: a text ends an option at a blank, which a path may have."""
    if not isinstance(traffic, list):
        return traffic
    return [_as_table(one) if isinstance(one, str) else one for one in traffic]


def _as_table(text: str) -> str | dict[str, str]:
    name, *words = text.split()
    options = dict(word.split("=", 1) for word in words)
    return {"name": name, **options} if any(option in options for option in FILE_OPTIONS) else text
