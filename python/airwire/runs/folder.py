"""Reads run folders: the waist between whatever was measured (captures, or links and boards of the virtual bench) and
all that is said of it.

Accepts the current schema and the one before; a newer one is refused in one sentence. ``docs/run-folder.md``
describes the layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airwire import _core
from airwire.kinds import Pairing
from airwire.model import CaptureFile
from airwire.runs import folder_v1
from airwire.runs.manifest import BoardEntry, Entry, SuiteManifest, read_manifest
from airwire.runs.targets import target_of

if TYPE_CHECKING:
    import polars as pl

    from airwire.board.row import BoardRow
    from airwire.link.model import LinkRow

_COLUMNS = {
    "samples": ("run", "index", "trigger_ps", "done_ps", "latency_ps", "outcome"),
    "edges": ("run", "outcome"),
    "spans": ("run", "index", "cause", "site", "subject", "detail", "start_ps", "end_ps", "bytes"),
}


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
    target: CaptureFile | LinkRow | BoardRow


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run folder as it was written."""

    pairing: Pairing
    seed: int
    gate_ps: int | None
    suite: str | None
    captures: Sequence[StoredCapture]


def read_run_folder(path: Path) -> StoredRun:
    """Read manifest, samples and edges. Raises ``AirwireError`` where one is missing, broken or too new."""
    manifest, entries, schema = read_manifest(path)
    samples = _parts(path / "samples")
    edges = _parts(path / "edges")
    reads = _read_spans_v1 if schema == folder_v1.SCHEMA else _read_spans
    captures = [_stored(entry, samples, edges, partial(reads, path, entry)) for entry in entries]
    suite = manifest.suite if isinstance(manifest, SuiteManifest) else None
    name = None if suite is None else suite.name
    return StoredRun(manifest.settings.pairing, manifest.seed, manifest.settings.gate_ps, name, captures)


def read_samples(folder: Path, run: str) -> pl.DataFrame:
    """The samples of one capture or row."""
    return _own(folder / "samples", run)


def read_spans(folder: Path, run: str) -> pl.DataFrame:
    """The spans of one row; an empty frame where the folder holds none."""
    return _own(folder / "spans", run)


def _read_spans(folder: Path, entry: Entry) -> pl.DataFrame:
    return read_spans(folder, entry.run)


def _read_spans_v1(folder: Path, entry: Entry) -> pl.DataFrame:
    """The same of a folder of the schema before."""
    found = _own(folder / "spans", entry.run, folder_v1.COLUMNS)
    of_board = isinstance(entry, BoardEntry)
    return folder_v1.spans(found, of_board=of_board) if "stage" in found.columns else found


def _parts(folder: Path) -> pl.DataFrame:
    import polars as pl

    files = sorted(folder.glob("part-*.parquet"))
    if not files:
        return _empty(folder)
    try:
        table = pl.concat([pl.read_parquet(file) for file in files])
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(folder, error) from None
    _check_columns(table.columns, folder)
    return table


def _empty(folder: Path) -> pl.DataFrame:
    """A table without rows; a folder that is gone held some."""
    import polars as pl

    if folder.name == "samples" and not folder.is_dir():
        raise _core.AirwireError(f"{folder}: is missing; measure again")
    texts = ("run", "outcome", "cause", "site", "subject", "detail")
    return pl.DataFrame(schema={name: pl.String if name in texts else pl.Int64 for name in _COLUMNS[folder.name]})


def _check_columns(found: Sequence[str], folder: Path, wanted: Sequence[str] | None = None) -> None:
    missing = [name for name in wanted or _COLUMNS[folder.name] if name not in found]
    if missing:
        raise _core.AirwireError(f"{folder}: a part has no column {missing[0]}; measure again")


def _own(folder: Path, run: str, wanted: Sequence[str] | None = None) -> pl.DataFrame:
    import polars as pl

    files = sorted(folder.glob("part-*.parquet"))
    if not files:
        return _empty(folder)
    try:
        parts = pl.scan_parquet(files)
        _check_columns(parts.collect_schema().names(), folder, wanted)
        return parts.filter(pl.col("run") == run).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(folder, error) from None


def _unreadable(folder: Path, error: Exception) -> _core.AirwireError:
    first_line = str(error).splitlines()[0]
    return _core.AirwireError(f"{folder}: a part cannot be read ({first_line}); measure again")


def _stored(
    entry: Entry, samples: pl.DataFrame, edges: pl.DataFrame, load_spans: Callable[[], pl.DataFrame]
) -> StoredCapture:
    own = samples.filter(samples["run"] == entry.run) if samples.height else samples
    outcomes = Counter(dict.fromkeys(("paired", "missed", "glitch", "overlapped", "late", "duplicate", "spurious"), 0))
    if own.height:
        outcomes.update(own["outcome"].to_list())
    if edges.height:
        outcomes.update(edges.filter(edges["run"] == entry.run)["outcome"].to_list())
    target = target_of(entry, load_spans)
    return StoredCapture(entry.run, entry.variant, entry.payload_bytes, entry.end_ps, dict(outcomes), own, target)
