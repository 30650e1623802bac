"""The entries of a suite as documents of their own, in which single fields can be set: what ``same_but`` takes over and
what the suite gives to all is written out, and lists of values are axes.

Published figures are left out: they belong to single rows of the suite, and a sweep asks for others.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from airwire import _core
from airwire.inputs import read_text
from airwire.runs.entries import whole_boards
from airwire.sweep.axes import Axis

Kind = Literal["links", "boards"]
DEFAULT_PAYLOADS = (12, 128, 1024)
"""Of a suite that gives none (``crates/bench/src/suite/parse.rs``)."""
_DEFAULT_SEED = 1
_FROM_SUITE = ("samples", "payloads", "trigger")
_ABOUT_THE_ROW = ("title", "published", "same_but")
LINK_FIELDS = ("link", "samples", "payloads", "trigger", "published", "stop_within", "limit", "bounds")
PAYLOAD = "payload"


@dataclass(frozen=True, eq=False)
class Entry:
    """An entry of a suite, with the axes that it has of itself."""

    kind: Kind
    name: str
    document: Mapping[str, Any]
    own: Sequence[Axis]

    @property
    def link(self) -> str:
        """The link that it is run on; its own name where it says none."""
        return str(self.document.get("link", self.name))


@dataclass(frozen=True)
class Suite:
    """A suite as a sweep takes it."""

    name: str
    path: Path
    seed: int
    entries: Sequence[Entry]
    folder: Path = field(default_factory=Path)
    """Where it looks for images, boards and networks."""


def read_suite(path: Path, only: Sequence[str] = ()) -> Suite:
    """The entries of a suite, or those that are named.

    Raises ``AirwireError`` for a suite that the core refuses, one with boards at addresses, and an unknown name.
    """
    if path.is_dir():
        raise _core.AirwireError(f"{path}: is a folder, and no suite; name a TOML file")
    known = _core.suite_entries(path)
    content = tomllib.loads(read_text(path))
    found = [*_links(content), *_boards(content)]
    chosen = [entry for entry in found if not only or entry.name in only or entry.link in only]
    for name in only:
        if not any(name in (entry.name, entry.link) for entry in found):
            hint = _core.name_hint(name, [one for one, _ in known])
            raise _core.AirwireError(f"{path}: no row or entry of the suite is called {name}; {hint}")
    if not chosen or (content.get("targets") and not only):
        raise _core.AirwireError(
            f"{path}: boards at addresses take real time, and a sweep runs on the virtual bench; choose others with "
            "--only"
        )
    seed = int(content.get("seed", _DEFAULT_SEED))
    return Suite(str(content.get("name", path.stem)), path, seed, chosen, path.parent)


def _links(content: Mapping[str, Any]) -> list[Entry]:
    given = {name: content[name] for name in _FROM_SUITE if name in content}
    entries = []
    for name, table in content.get("links", {}).items():
        document = {"payloads": list(DEFAULT_PAYLOADS), **given, **table}
        document.pop("published", None)
        settings = [one for one, value in document.items() if one not in LINK_FIELDS and isinstance(value, list)]
        own = [Axis(one, _texts(document.pop(one))) for one in settings]
        own.append(Axis(PAYLOAD, _texts(document.pop("payloads"))))
        entries.append(Entry("links", name, document, own))
    return entries


def _boards(content: Mapping[str, Any]) -> list[Entry]:
    entries = []
    for name, document in whole_boards(content.get("boards", {})).items():
        own = copy.deepcopy({one: value for one, value in document.items() if one not in _ABOUT_THE_ROW})
        lists = [one for one, value in own.get("settings", {}).items() if isinstance(value, list)]
        axes = [Axis(one, _texts(own["settings"].pop(one))) for one in lists]
        entries.append(Entry("boards", name, own, axes))
    return entries


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(as_text(value) for value in values)


def as_text(value: Any) -> str:
    """A value of a suite as it would be written on a command line."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
