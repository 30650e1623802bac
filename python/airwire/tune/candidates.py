"""Candidates and what was measured of them, and the store that a second run goes on from."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from airwire import _core
from airwire.outputs import new_folder, write_file
from airwire.tune.metrics import Figures

Values = Mapping[str, str]
"""A value for each knob."""


@dataclass(frozen=True)
class Measured:
    """A candidate with its figures; ``refused`` says why it has none."""

    values: Values
    figures: Figures = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """95 % of those figures that have one."""
    counters: Mapping[str, float] = field(default_factory=dict)
    """What was counted beside the figures."""
    refused: str | None = None
    is_rule: bool = False
    """Whether a rule refused it, before anything was built."""

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """Its values, to tell candidates apart."""
        return tuple(sorted(self.values.items()))


def cache_folder(given: Path | None) -> Path:
    """Where measurements and images are kept: what the user names, else the user's cache folder."""
    if given is not None:
        return given
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "airwire" / "tune"


def digest(*parts: object) -> str:
    """A name for content."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


@cache
def core_digest() -> str:
    """A name for the core that measures: another build may measure something else, whatever its version says."""
    with Path(_core.__file__).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _check_folder(folder: Path) -> None:
    """Make a folder, and remove it again until there is something to keep in it. Raises ``OSError``."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for place in missing:
        with suppress(OSError):
            place.rmdir()


class Store:
    """Measurements by what they are of: one file each, so that nothing is lost when a run is stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "measured"
        try:
            _check_folder(self.folder)
        except OSError as error:
            raise _core.AirwireError(f"{folder}: no cache can be kept there: {error.strerror}; name another") from None

    def get(self, key: str, values: Values) -> Measured | None:
        """What was measured before; nothing where it was not, or cannot be read."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            found = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            intervals = {name: (float(low), float(high)) for name, (low, high) in found["intervals"].items()}
            return Measured(values, found["figures"], intervals, found["counters"], found["refused"], found["is_rule"])
        return None

    def put(self, key: str, one: Measured) -> None:
        """Keep a measurement; a full disk costs the cache and not the search."""
        content = {
            "values": dict(one.values),
            "figures": dict(one.figures),
            "intervals": {name: list(pair) for name, pair in one.intervals.items()},
            "counters": dict(one.counters),
            "refused": one.refused,
            "is_rule": one.is_rule,
        }
        with suppress(OSError), new_folder(self.folder):
            write_file(self.folder / f"{key}.json", json.dumps(content))
