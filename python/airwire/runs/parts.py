"""The tables of a run folder, which stand in parts; the lines of a run stand together in them.

Where the runs stand is found once for each part, and the parts read last are kept: readers go through the runs of a
folder in its order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from airwire import _core
from airwire.inputs import ANY_BYTES, check_file, read_text
from airwire.runs.answers import with_answers

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = {
    "samples": ("run", "index", "trigger_ps", "done_ps", "latency_ps", "outcome"),
    "edges": ("run", "outcome"),
    "spans": ("run", "index", "cause", "site", "subject", "detail", "start_ps", "end_ps", "bytes"),
}
_TEXTS = ("run", "outcome", "cause", "site", "subject", "detail")
_KEPT_PARTS = 4
"""Two tables are read in turns, and a run may go on in the next part; a part takes some 10 MB."""


class _Part(NamedTuple):
    """A file as it was when it was listed, so that one that was written anew is read anew."""

    path: Path
    changed_ns: int
    size_bytes: int


def read_table(folder: Path) -> pl.DataFrame:
    """All parts of a table. Raises ``AirwireError`` where one is missing, cannot be read or lacks a column."""
    import polars as pl

    parts = _listed(folder)
    if not parts:
        table = _empty(folder)
    else:
        try:
            table = pl.concat([_lines(part) for part in parts])
        except (pl.exceptions.PolarsError, OSError) as error:
            raise _unreadable(folder, error) from None
        _check_columns(table, folder, None)
    _check_whole(table, folder)
    return table


def read_run(folder: Path, run: str, wanted: Sequence[str] | None = None) -> pl.DataFrame:
    """The lines of one run in all parts of a table; raises as :func:`read_table`."""
    import polars as pl

    parts = _listed(folder)
    if not parts:
        return _empty(folder)
    try:
        stretches = [_lines(part).slice(first, count) for part in parts for first, count in _places(part).get(run, ())]
        own = pl.concat(stretches) if stretches else _lines(parts[0]).clear()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(folder, error) from None
    _check_columns(own, folder, wanted)
    return own


def _listed(folder: Path) -> list[_Part]:
    # First of all: a run that is still being written goes on meanwhile.
    written = _parts_written(folder.parent).get(folder.name, 0)
    found = sorted(folder.glob("part-*.parquet"))
    # A run that is killed loses the last part at most, so that their numbers have no gap.
    for number, path in enumerate(found):
        if path.name != f"part-{number:05}.parquet":
            raise _core.AirwireError(
                f"{folder}: a part is missing, for {path.name} is there and part-{number:05}.parquet is not; measure "
                "again"
            )
    if len(found) < written:
        lost = f"a part is missing, for {len(found)} of {written} are there" if folder.is_dir() else "is missing"
        raise _core.AirwireError(f"{folder}: {lost}; measure again")
    return [_Part(path, status.st_mtime_ns, status.st_size) for path in found for status in (path.stat(),)]


def _parts_written(run: Path) -> Mapping[str, int]:
    """How many parts of each table were written at least; nothing where the manifest is of before that was kept."""
    file = run / "manifest.json"
    try:
        status = file.stat()
    except FileNotFoundError:
        return {}
    return _parts_of(_Part(file, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=_KEPT_PARTS)
def _parts_of(manifest: _Part) -> Mapping[str, int]:
    parts: Mapping[str, int] = json.loads(read_text(manifest.path)).get("parts", {})
    return parts


@lru_cache(maxsize=_KEPT_PARTS)
def _lines(part: _Part) -> pl.DataFrame:
    import polars as pl

    lines = pl.read_parquet(check_file(part.path, ANY_BYTES))
    return with_answers(lines) if part.path.parent.name == "samples" else lines


@lru_cache(maxsize=1024)
def _places(part: _Part) -> Mapping[str, Sequence[tuple[int, int]]]:
    """First line and number of lines of each stretch of each run."""
    import polars as pl

    stretches = pl.read_parquet(check_file(part.path, ANY_BYTES), columns=["run"])["run"].rle().struct.unnest()
    places: dict[str, list[tuple[int, int]]] = {}
    first = 0
    for count, run in stretches.iter_rows():
        places.setdefault(run, []).append((first, count))
        first += count
    return places


def _empty(folder: Path) -> pl.DataFrame:
    """A table without rows; a folder that is gone held some."""
    import polars as pl

    if not folder.is_dir() and (
        folder.name == "samples" or (folder.name == "edges" and _is_of_captures(folder.parent))
    ):
        raise _core.AirwireError(f"{folder}: is missing; measure again")
    return pl.DataFrame(schema={name: pl.String if name in _TEXTS else pl.Int64 for name in _COLUMNS[folder.name]})


def is_finished(run: Path) -> bool:
    """Whether a run was written to its end: one that was killed lacks its open part, and stays readable."""
    return (run / "environment.json").is_file()


def _is_of_captures(run: Path) -> bool:
    """Whether a folder holds analysed captures: their edges are written even where there is none."""
    if not is_finished(run):
        return False
    manifest = json.loads(read_text(run / "manifest.json"))
    return manifest.get("schema") == "airwire.run/2" and bool(manifest.get("captures"))


def _check_whole(samples: pl.DataFrame, folder: Path) -> None:
    """Refuse samples of which a part is gone: each message in it would count as if it had never been sent."""
    run = folder.parent
    if folder.name == "edges" and not samples.height and not any(folder.glob("part-*")) and _is_of_captures(run):
        raise _core.AirwireError(f"{folder}: a part is missing, for captures have one at least; measure again")
    if folder.name != "samples" or not is_finished(run):
        return
    manifest = json.loads(read_text(run / "manifest.json"))
    found = dict(samples["run"].value_counts().iter_rows())
    # A capture without a trigger is no entry, so that each has one message at least.
    least = {one["run"]: 1 for one in manifest.get("captures", ())}
    least |= {one["run"]: one.get("samples", 0) for one in manifest.get("rows", ())}
    for name, count in least.items():
        if isinstance(count, int) and found.get(name, 0) < count:
            held = f"it holds {found.get(name, 0)} messages of {name}, which has {count} or more"
            raise _core.AirwireError(f"{folder}: a part is missing, for {held}; measure again")


def _check_columns(found: pl.DataFrame, folder: Path, wanted: Sequence[str] | None) -> None:
    missing = [name for name in wanted or _COLUMNS[folder.name] if name not in found.columns]
    if missing:
        raise _core.AirwireError(f"{folder}: a part has no column {missing[0]}; measure again")


def _unreadable(folder: Path, error: Exception) -> _core.AirwireError:
    first_line = str(error).splitlines()[0]
    return _core.AirwireError(f"{folder}: a part cannot be read ({first_line}); measure again")
