"""One point, carried out: a suite of one entry run by the core, and its figures as plain values.

Whoever runs points calls this, in a process of this machine or on a cluster. What a point gives depends on nothing but
the point: no clock, no host, no number of workers.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from airwire import _core
from airwire.link.energy import Energy
from airwire.losses import sent_of, why_none_arrived
from airwire.outputs import write_file
from airwire.scratch import ScratchFolder
from airwire.sweep.blobs import Blobs
from airwire.sweep.texts import files_in, suite_text

Figures = dict[str, Any]
LATENCIES = ("min", "p50", "p75", "p95", "p99", "max", "mean")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
_PROBE_BYTES = 1 << 16
_MEMORY = Path("/dev/shm")


class Point(NamedTuple):
    """What is run."""

    number: int
    kind: str
    entry: str
    document: dict[str, Any]
    seed: int
    files: Mapping[str, str]
    """Digests of the files that it needs, by their names."""
    intervals: bool


class WorkerRefusesError(Exception):
    """Nothing is wrong with the point: this worker cannot run it, such as for want of room on its disk."""


class Outcome(NamedTuple):
    """What became of a point: its figures, or the sentence that says why it has none."""

    number: int
    figures: Figures | None
    failure: str | None = None


def scratch_place() -> str | None:
    """Where run folders go that are thrown away at once: into memory where there is such a place.

    What is forgotten need not reach a disk, which takes longer than a short point.
    """
    return str(_MEMORY) if os.access(_MEMORY, os.W_OK) and _MEMORY.is_dir() else None


def run_point(point: Point, blobs: Blobs, scratch: Path) -> Outcome:
    """Run a point; its files are in ``blobs``, and ``scratch`` is a folder for what is thrown away afterwards.

    Raises ``WorkerRefusesError`` where this machine is in the way.
    """
    try:
        tree = blobs.tree(point.files)
        folder = ScratchFolder("", scratch)
    except OSError as error:
        raise _refusal(error) from None
    with folder as out:
        try:
            return Outcome(point.number, _figures(_run(point, tree, out / "run")))
        except _core.AirwireError as error:
            _check_room(out)
            return Outcome(point.number, None, str(error))


def _run(point: Point, tree: Path, out: Path) -> _core.RowResult | _core.FigureRowResult:
    for table, key in files_in([point.document.get("traffic"), point.document.get("network")]):
        table[key] = str((tree / table[key]).absolute())
    result = _core.run_suite(
        str(tree / "suite.toml"),
        text=suite_text(point.kind, point.entry, point.document, point.seed),
        samples=None,
        seed=None,
        only=[],
        firmware=str(tree) if point.kind == "boards" else None,
        images=None,
        workers=1,
        captures=False,
        intervals=point.intervals,
        findings=False,
        out=str(out),
        environment="{}",
        progress=None,
    )
    if result.interrupted:
        # A row that was stopped has fewer messages, and would be kept for the point's own.
        raise KeyboardInterrupt
    rows: list[_core.RowResult | _core.FigureRowResult] = [*result.rows, *result.figures]
    if result.errors or not rows:
        raise _core.AirwireError(result.errors[0][1] if result.errors else "the point has no row")
    return rows[0]


def _figures(row: _core.RowResult | _core.FigureRowResult) -> Figures:
    """What is kept of a row."""
    sent, latency = sent_of(row.outcomes, row.unfinished), row.latency or {}
    found: Figures = {
        "row": row.run,
        "messages": sent.messages,
        "lost": sent.lost,
        **{f"{name}_ps": latency.get(name) for name in LATENCIES},
    }
    bounds: Sequence[Mapping[str, Any]] = json.loads(row.bounds)
    found["bounds_hold"] = all(one["holds"] for one in bounds) if bounds else None
    if isinstance(row, _core.RowResult):
        low, high = row.intervals["median_ps"] if row.intervals else (None, None)
        figure = {"value": latency.get("p50"), "unit": "ps"}
        energy_j = _energy_of_link(row)
        problem = None if latency else why_none_arrived(sent.messages)
        return {**found, "energy_j": energy_j, **_figure(figure, (low, high)), "problem": problem}
    entry = json.loads(row.entry())
    figure = entry["figure"]
    firmware = entry.get("firmware") or {}
    return {
        **found,
        "energy_j": (entry.get("energy") or {}).get("message_j"),
        **_figure(figure or {}, (figure or {}).get("interval") or (None, None)),
        "firmware_sha256": firmware.get("sha256"),
        "problem": entry["problem"],
    }


def _energy_of_link(row: _core.RowResult) -> float | None:
    """What a message took with the time until the next one; ``None`` without known currents, or of a single message."""
    found = row.energy
    if found is None or found["every_ps"] is None:
        return None
    energy = Energy(found["chip"], found["message_j"], found["between_a"], found["supply_volts"])
    return energy.with_interval_j(found["every_ps"])


def _figure(figure: Mapping[str, Any], interval: Sequence[float | None]) -> Figures:
    return {
        "figure": figure.get("value"),
        "figure_low": interval[0],
        "figure_high": interval[1],
        "figure_unit": figure.get("unit"),
    }


def _check_room(folder: Path) -> None:
    """Tell a point that cannot be run from a disk that is full: another file has no room there, either."""
    try:
        write_file(folder / "probe", bytes(_PROBE_BYTES))
    except OSError as error:
        raise _refusal(error) from None


def _refusal(error: OSError) -> Exception:
    if error.errno not in _NO_ROOM:
        return error
    return WorkerRefusesError(f"{error.filename}: {error.strerror}")
