"""Reads run folders: the waist between whatever was measured (captures, or links and boards of the virtual bench) and
all that is said of it.

Accepts the current schema and the one before; a newer one is refused in one sentence. ``docs/run-folder.md``
describes the layout.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core, run_folder_v1
from airwire.board_row import BoardRow, board_row_of
from airwire.catalogue import links, setting_texts
from airwire.link_model import LinkRow, published_median_of
from airwire.stage import link_stage

if TYPE_CHECKING:
    import polars as pl

READABLE_SCHEMAS = (run_folder_v1.SCHEMA, _core.RUN_SCHEMA)

_Fields = Mapping[str, tuple[type, ...]]
_LoadSpans = Callable[[], "pl.DataFrame"]
_MANIFEST: _Fields = {"target": (str,), "seed": (int,), "settings": (dict,)}
_SETTINGS: _Fields = {"pairing": (str,)}
_SUITE: _Fields = {"name": (str,)}
_ENTRY: _Fields = {"run": (str,), "variant": (str,), "payload_bytes": (int, type(None)), "end_ps": (int,)}
_LINK_ENTRY: _Fields = {
    "link": (str,),
    "settings": (dict,),
    "trigger": (str,),
    "longest_queue": (int,),
    "budget": (list,),
}
_PUBLISHED_MEDIAN: _Fields = {"median_ps": (int,), "source": (str,), "note": (str, type(None))}
_BOARD_ENTRY: _Fields = {
    "board": (str,),
    "title": (str,),
    "firmware": (dict,),
    "settings": (dict,),
    "network": (str,),
    "traffic": (list,),
    "of": (str, type(None)),
    "measure": (str,),
    "figure": (dict, type(None)),
    "published": (dict, type(None)),
    "same_but": (dict, type(None)),
    "skip": (int,),
    "ended": (str,),
    "problem": (str, type(None)),
    "counts": (dict,),
    "evidence": (dict, type(None)),
    "notes": (list,),
}
_FIRMWARE: _Fields = {"name": (str,), "sha256": (str,)}
_FIGURE: _Fields = {"value": (int, float), "interval": (list, type(None)), "unit": (str,), "n": (int,)}
_PUBLISHED: _Fields = {
    "value": (int, float, type(None)),
    "unit": (str,),
    "in_unit": (int, float, type(None)),
    "source": (str,),
    "note": (str, type(None)),
    "compare": (str,),
    "measured_share": (int, float, type(None)),
}
_LATENCY: _Fields = {
    "median": (dict,),
    "mean": (dict,),
    "least_ps": (int, float),
    "most_ps": (int, float),
    "connect_ps": (int, float, type(None)),
    "processing_ps": (int, float, type(None)),
}
_TIMES: _Fields = {"run": (str,), "published": (int, float), "measured": (int, float, type(None))}
_SAME_BUT: _Fields = {
    "run": (str,),
    "what": (str,),
    "here": (str, type(None)),
    "there": (str, type(None)),
    "figure": (dict, type(None)),
}
_STAGE: _Fields = {"cause": (str,), "site": (str,), "subject": (str,), "detail": (str,), "ps": (int, float)}
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
    link: LinkRow | None
    board: BoardRow | None


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
    entries = _entries(manifest, str(path / "manifest.json"))
    samples = _parts(path / "samples")
    edges = _parts(path / "edges")
    settings = manifest["settings"]
    is_old = manifest["schema"] == run_folder_v1.SCHEMA
    captures = [_stored(entry, samples, edges, path, is_old=is_old) for entry in entries]
    suite = manifest.get("suite", {}).get("name")
    return StoredRun(settings["pairing"], manifest["seed"], settings.get("gate_ps"), suite, captures)


def read_samples(folder: Path, run: str) -> pl.DataFrame:
    """The samples of one capture or row."""
    return _own(folder / "samples", run)


def read_spans(folder: Path, run: str) -> pl.DataFrame:
    """The spans of one row; an empty frame where the folder holds none."""
    return _own(folder / "spans", run)


def _read_spans_v1(folder: Path, run: str, *, of_board: bool) -> pl.DataFrame:
    """The same of a folder of the schema before."""
    found = _own(folder / "spans", run, run_folder_v1.COLUMNS)
    return run_folder_v1.spans(found, of_board=of_board) if "stage" in found.columns else found


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
    return run_folder_v1.upgraded(manifest) if schema == run_folder_v1.SCHEMA else manifest


def _entries(manifest: Mapping[str, Any], file: str) -> list[dict[str, Any]]:
    """The manifest's captures or rows, once all that is read of it is known to be there."""
    _check(manifest, _MANIFEST, file)
    _check(manifest["settings"], _SETTINGS, f"{file}: settings")
    if manifest["settings"].get("gate_ps") is not None:
        _check(manifest["settings"], {"gate_ps": (int,)}, f"{file}: settings")
    if "suite" in manifest:
        _check(manifest["suite"], _SUITE, f"{file}: suite")
    name = "captures" if manifest["target"] == "capture" else "rows"
    _check(manifest, {name: (list,)}, file)
    for place, entry in enumerate(manifest[name]):
        where = f"{file}: {name}[{place}]"
        _check(entry, _ENTRY, where)
        if "board" in entry:
            _check_board(entry, where)
        if "link" in entry:
            _check_link(entry, where)
    entries: list[dict[str, Any]] = manifest[name]
    return entries


def _check_link(entry: Mapping[str, Any], where: str) -> None:
    _check(entry, _LINK_ENTRY, where)
    for number, stage in enumerate(entry["budget"]):
        _check(stage, _STAGE, f"{where}.budget[{number}]")
    published = entry.get("published")
    if published is not None:
        _check(published, _PUBLISHED_MEDIAN, f"{where}.published")
        if not published["median_ps"]:
            raise _damaged(f"{where}.published", "median_ps")


def _check_board(entry: Mapping[str, Any], where: str) -> None:
    _check(entry, _BOARD_ENTRY, where)
    _check(entry["firmware"], _FIRMWARE, f"{where}.firmware")
    _check_figure(entry["figure"], f"{where}.figure")
    _check_latency(entry.get("latency"), f"{where}.latency")
    if entry["published"] is not None:
        _check_published(entry["published"], f"{where}.published")
    if entry["same_but"] is not None:
        _check(entry["same_but"], _SAME_BUT, f"{where}.same_but")
        _check_figure(entry["same_but"]["figure"], f"{where}.same_but.figure")
    counts, evidence = entry["counts"], entry["evidence"] or {}
    _check(counts, dict.fromkeys(counts, (int, float)), f"{where}.counts")
    _check(evidence, dict.fromkeys(evidence, (int, float, type(None))), f"{where}.evidence")
    for name in ("traffic", "notes"):
        _check_list(entry, name, (str,), where)


def _check_latency(latency: Any, where: str) -> None:
    if latency is None:
        return
    _check(latency, _LATENCY, where)
    for name in ("median", "mean"):
        _check_figure(latency[name], f"{where}.{name}")


def _check_published(published: Mapping[str, Any], where: str) -> None:
    _check(published, _PUBLISHED, where)
    # Run folders of before have none of these.
    if published.get("times") is not None:
        _check(published["times"], _TIMES, f"{where}.times")
    ends = published.get("range_in_unit")
    if ends is None:
        if published["in_unit"] is None:
            raise _damaged(where, "in_unit")
        return
    if not isinstance(ends, list) or len(ends) != 2 or not isinstance(ends[1], int | float):
        raise _damaged(where, "range_in_unit")
    _check(published, {"from": (int, float, type(None)), "to": (int, float)}, where)
    _check_list(published, "range_in_unit", (int, float, type(None)), where)


def _check_figure(figure: Any, where: str) -> None:
    if figure is None:
        return
    _check(figure, _FIGURE, where)
    if figure["interval"] is not None:
        _check_list(figure, "interval", (int, float), where)
        if len(figure["interval"]) != 2:
            raise _damaged(where, "interval")


def _check_list(table: Mapping[str, Any], name: str, kinds: tuple[type, ...], where: str) -> None:
    if not all(isinstance(value, kinds) for value in table[name]):
        raise _damaged(where, name)


def _damaged(where: str, name: str) -> _core.AirwireError:
    return _core.AirwireError(f"{where}: {name} is missing or damaged; measure again")


def _check(table: Any, fields: _Fields, where: str) -> None:
    for name, kinds in fields.items():
        value = table.get(name, ...) if isinstance(table, dict) else ...
        # No whole number of a manifest is negative, and the core takes 63 bits; JSON has neither infinity nor NaN.
        is_none = isinstance(value, float) and not isfinite(value)
        if is_none or not isinstance(value, kinds) or (isinstance(value, int) and not 0 <= value < 2**63):
            raise _damaged(where, name)


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
    entry: Mapping[str, Any], samples: pl.DataFrame, edges: pl.DataFrame, folder: Path, *, is_old: bool
) -> StoredCapture:
    run = entry["run"]
    of_board = "board" in entry
    load_spans = partial(_read_spans_v1, folder, run, of_board=of_board) if is_old else partial(read_spans, folder, run)
    own = samples.filter(samples["run"] == run) if samples.height else samples
    outcomes = Counter(dict.fromkeys(("paired", "missed", "glitch", "overlapped", "late", "duplicate", "spurious"), 0))
    if own.height:
        outcomes.update(own["outcome"].to_list())
    if edges.height:
        outcomes.update(edges.filter(edges["run"] == run)["outcome"].to_list())
    link = _link(entry, load_spans) if "link" in entry else None
    board = _board(entry, folder, load_spans) if of_board else None
    variant, payload_bytes, end_ps = entry["variant"], entry["payload_bytes"], entry["end_ps"]
    return StoredCapture(run, variant, payload_bytes, end_ps, dict(outcomes), own, link, board)


def _board(entry: Mapping[str, Any], folder: Path, load_spans: _LoadSpans) -> BoardRow:
    try:
        return board_row_of(entry, load_spans)
    except (KeyError, TypeError, IndexError):
        raise _core.AirwireError(f"{folder}: the entry of {entry['run']} is damaged; measure again") from None


def _link(entry: Mapping[str, Any], load_spans: _LoadSpans) -> LinkRow:
    name = entry["link"]
    titles = {link.name: link.title for link in links()}
    return LinkRow(
        name=name,
        title=titles.get(name, name),
        settings=setting_texts(entry["settings"]),
        trigger=entry["trigger"],
        longest_queue=entry["longest_queue"],
        budget=[link_stage(stage) for stage in entry["budget"]],
        load_spans=load_spans,
        # Run folders of before have no such field.
        published=published_median_of(entry.get("published")),
    )
