"""Reads run folders: the waist between whatever was measured (captures, or links of the virtual bench) and all
that is said of it.

Accepts the current schema and the one before; a newer one is refused in one sentence. ``docs/run-folder.md``
describes the layout.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.catalogue import links, setting_texts
from airwire.link_model import LinkRow, Stage

if TYPE_CHECKING:
    import polars as pl

READABLE_SCHEMAS = (_core.RUN_SCHEMA,)


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """One capture of a run folder, or one row of a suite."""

    path: str
    group: str
    payload_bytes: int | None
    end_ps: int
    """The end of the recording, from its start."""
    outcomes: Mapping[str, int]
    samples: pl.DataFrame
    link: LinkRow | None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run folder as it was written."""

    pairing: str
    seed: int
    gate_ps: int | None
    suite: str | None
    captures: Sequence[StoredCapture]


def read_run_folder(path: Path) -> StoredRun:
    """Read manifest, samples and edges. Raises ``AirwireError`` where one is missing, broken or too new."""
    manifest = _manifest(path)
    samples = _parts(path / "samples")
    edges = _parts(path / "edges")
    settings = manifest["settings"]
    entries = manifest["rows" if manifest["target"] == "link" else "captures"]
    captures = [_stored(entry, samples, edges, path) for entry in entries]
    suite = manifest.get("suite", {}).get("name")
    return StoredRun(settings["pairing"], manifest["seed"], settings.get("gate_ps"), suite, captures)


def read_samples(folder: Path, run: str) -> pl.DataFrame:
    """The samples of one capture or row."""
    return _own(folder / "samples", run)


def read_spans(folder: Path, run: str) -> pl.DataFrame:
    """The spans of one row; an empty frame where the folder holds none."""
    return _own(folder / "spans", run)


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
        raise _unreadable(folder, error) from None


def _own(folder: Path, run: str) -> pl.DataFrame:
    import polars as pl

    files = sorted(folder.glob("part-*.parquet"))
    if not files:
        return pl.DataFrame()
    try:
        return pl.scan_parquet(files).filter(pl.col("run") == run).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(folder, error) from None


def _unreadable(folder: Path, error: Exception) -> _core.AirwireError:
    first_line = str(error).splitlines()[0]
    return _core.AirwireError(f"{folder}: a part cannot be read ({first_line}); measure again")


def _stored(entry: Mapping[str, Any], samples: pl.DataFrame, edges: pl.DataFrame, folder: Path) -> StoredCapture:
    run = entry["run"]
    own = samples.filter(samples["run"] == run) if samples.height else samples
    outcomes = Counter(dict.fromkeys(("paired", "missed", "glitch", "overlapped", "late", "duplicate", "spurious"), 0))
    if own.height:
        outcomes.update(own["outcome"].to_list())
    if edges.height:
        outcomes.update(edges.filter(edges["run"] == run)["outcome"].to_list())
    link = _link(entry, folder) if "link" in entry else None
    return StoredCapture(run, entry["variant"], entry["payload_bytes"], entry["end_ps"], dict(outcomes), own, link)


def _link(entry: Mapping[str, Any], folder: Path) -> LinkRow:
    name = entry["link"]
    titles = {link.name: link.title for link in links()}
    return LinkRow(
        name=name,
        title=titles.get(name, name),
        settings=setting_texts(entry["settings"]),
        trigger=entry["trigger"],
        longest_queue=entry["longest_queue"],
        budget=[Stage(**stage) for stage in entry["budget"]],
        load_spans=partial(read_spans, folder, entry["run"]),
    )
