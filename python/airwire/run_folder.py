"""Reads run folders: the waist between whatever was measured and all that is said of it.

Accepts the current schema and the one before; a newer one is refused in one sentence. ``docs/run-folder.md``
describes the layout.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core

if TYPE_CHECKING:
    import polars as pl

READABLE_SCHEMAS = (_core.RUN_SCHEMA,)


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """One capture of a run folder."""

    path: str
    group: str
    payload_bytes: int | None
    end_ps: int
    """The end of the recording, from its start."""
    outcomes: Mapping[str, int]
    samples: pl.DataFrame


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run folder as it was written."""

    pairing: str
    seed: int
    gate_ps: int | None
    captures: Sequence[StoredCapture]


def read_run_folder(path: Path) -> StoredRun:
    """Read manifest, samples and edges. Raises ``AirwireError`` where one is missing, broken or too new."""
    manifest = _manifest(path)
    samples = _parts(path / "samples")
    edges = _parts(path / "edges")
    settings = manifest["settings"]
    captures = [_stored(entry, samples, edges) for entry in manifest["captures"]]
    return StoredRun(settings["pairing"], manifest["seed"], settings.get("gate_ps"), captures)


def _manifest(path: Path) -> dict[str, Any]:
    file = path / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        schema = manifest["schema"]
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise _core.AirwireError(f"{path}: is no run folder: manifest.json: {reason}") from None
    except (ValueError, KeyError, TypeError):
        raise _core.AirwireError(f"{file}: is no manifest of a run folder; measure again") from None
    if schema not in READABLE_SCHEMAS:
        known = " and ".join(READABLE_SCHEMAS)
        raise _core.AirwireError(f"{file}: has schema {schema}, but this version of Airwire reads {known}; update it")
    return manifest


def _parts(folder: Path) -> pl.DataFrame:
    import polars as pl

    files = sorted(folder.glob("part-*.parquet"))
    if not files:
        return pl.DataFrame()
    try:
        return pl.concat([pl.read_parquet(file) for file in files])
    except (pl.exceptions.PolarsError, OSError) as error:
        first_line = str(error).splitlines()[0]
        raise _core.AirwireError(f"{folder}: a part cannot be read ({first_line}); measure again") from None


def _stored(entry: Mapping[str, Any], samples: pl.DataFrame, edges: pl.DataFrame) -> StoredCapture:
    run = entry["run"]
    own = samples.filter(samples["run"] == run) if samples.height else samples
    outcomes = Counter(dict.fromkeys(("paired", "missed", "glitch", "overlapped", "late", "duplicate", "spurious"), 0))
    if own.height:
        outcomes.update(own["outcome"].to_list())
    if edges.height:
        outcomes.update(edges.filter(edges["run"] == run)["outcome"].to_list())
    return StoredCapture(run, entry["variant"], entry["payload_bytes"], entry["end_ps"], dict(outcomes), own)
