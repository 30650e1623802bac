"""Reads run folders: the waist between whatever was measured (captures, or links and boards of the virtual bench) and
all that is said of it.

Accepts the current schema and the one before; a newer one is refused in one sentence. ``docs/reference/run-folder.md``
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
from airwire.bounds import Bound
from airwire.kinds import Pairing
from airwire.model import CaptureFile
from airwire.runs import folder_v1
from airwire.runs.manifest import BoardEntry, CaptureEntry, Entry, LinkEntry, SuiteManifest, read_manifest
from airwire.runs.parts import is_finished, read_run, read_table
from airwire.runs.targets import target_of

if TYPE_CHECKING:
    import polars as pl

    from airwire.address.row import AddressRow
    from airwire.board.row import BoardRow
    from airwire.link.model import LinkRow


_MODELLED = "link"
"""What the samples of a link's model have as their target."""
_TRACED = 1000
"""Of a link so many messages are taken apart (docs/reference/run-folder.md)."""


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
    target: CaptureFile | LinkRow | BoardRow | AddressRow
    bounds: Sequence[Bound]


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
    samples = read_table(path / "samples")
    edges = read_table(path / "edges")
    reads = _read_spans_v1 if schema == folder_v1.SCHEMA else _read_spans
    captures = [_stored(entry, samples, edges, partial(reads, path, entry)) for entry in entries]
    suite = manifest.suite if isinstance(manifest, SuiteManifest) else None
    name = None if suite is None else suite.name
    return StoredRun(manifest.settings.pairing, manifest.seed, manifest.settings.gate_ps, name, captures)


def read_samples(folder: Path, run: str) -> pl.DataFrame:
    """The samples of one capture or row."""
    return read_run(folder / "samples", run)


def read_spans(folder: Path, run: str) -> pl.DataFrame:
    """The spans of one row; an empty frame where the folder holds none."""
    return read_run(folder / "spans", run)


def _read_spans(folder: Path, entry: Entry) -> pl.DataFrame:
    """The spans of a row. Raises ``AirwireError`` where there are fewer than its messages that were taken apart."""
    found = read_spans(folder, entry.run)
    if not is_finished(folder):
        return found
    of = found["index"].n_unique()
    apart = _taken_apart(folder, entry)
    if of < apart:
        raise _core.AirwireError(
            f"{folder / 'spans'}: a part is missing, for it holds {of} messages of {entry.run}, of which {apart} were "
            "taken apart; measure again"
        )
    return found


def _taken_apart(folder: Path, entry: Entry) -> int:
    """How many messages of a row have spans at least: of a link those that arrived of the first ones."""
    if isinstance(entry, BoardEntry):
        # Its evidence is of more messages than have spans of their own.
        return 0 if entry.evidence is None else min(1, int(entry.evidence.get("messages") or 0))
    if not isinstance(entry, LinkEntry):
        return 0
    samples = read_samples(folder, entry.run)
    # What tests put in the place of a link has no stages.
    modelled = samples["target"] == _MODELLED
    return samples.filter(modelled & (samples["outcome"] == "paired") & (samples["index"] < _TRACED)).height


def _read_spans_v1(folder: Path, entry: Entry) -> pl.DataFrame:
    """The same of a folder of the schema before."""
    found = read_run(folder / "spans", entry.run, folder_v1.COLUMNS)
    of_board = isinstance(entry, BoardEntry)
    return folder_v1.spans(found, of_board=of_board) if "stage" in found.columns else found


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
    bounds = () if isinstance(entry, CaptureEntry) else entry.bounds
    return StoredCapture(
        entry.run, entry.variant, entry.payload_bytes, entry.end_ps, dict(outcomes), own, target, bounds
    )
