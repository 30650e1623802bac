"""A sweep from what is asked for to its data set: planned, resumed, carried out, kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.inputs import read_text
from airwire.outputs import write_file
from airwire.runs.packaged import find_suite, image_finder
from airwire.sweep.axes import parse_axes
from airwire.sweep.blobs import Blobs
from airwire.sweep.designs import ENTRY, Values, read_list
from airwire.sweep.entries import read_suite
from airwire.sweep.fields import Fields
from airwire.sweep.folder import FILES, SweepFolder, keeping
from airwire.sweep.plan import Plan, Request, make_plan
from airwire.sweep.point import Outcome, Point
from airwire.sweep.processes import Processes, gone_ends_are_errors
from airwire.values import check_kind, check_numbers

if TYPE_CHECKING:
    import polars as pl

ENVIRONMENT = "environment.json"
_DIGEST_LETTERS = 8
_MOST_VALUES_TOLD = 1000


@dataclass(frozen=True)
class Sweep:
    """What a sweep gave."""

    folder: Path
    plan: Plan
    points: pl.DataFrame
    """A line for each finished point, in the order of the plan."""
    ran: int
    """Points that were run this time; the others were finished before."""
    failures: Sequence[tuple[str, str]]
    """The points that failed, each with its sentence."""


class StoppedError(Exception):
    """Ctrl-C came; what is finished is kept."""

    def __init__(self, finished: int, total: int, folder: Path) -> None:
        super().__init__(f"{finished} of {total} points are finished and kept in {folder}; the same command goes on")


def plan_sweep(
    suite: str | Path,
    *,
    over: Sequence[str] = (),
    latin: int | None = None,
    points: str | Path | None = None,
    seeds: int = 1,
    seed: int | None = None,
    samples: int | None = None,
    only: Sequence[str] = (),
    firmware: str | Path | None = None,
) -> Plan:
    """The points of a sweep. Raises ``AirwireError`` for what cannot be run, before anything is written."""
    path = find_suite(suite)
    runs = None if points is None else read_list(Path(points))
    found = read_suite(path, only)
    if points is not None and runs is not None:
        _check_entries(Path(points), runs, [entry.name for entry in read_suite(path, ()).entries])
    request = Request(found, parse_axes(over), latin, runs, seeds, seed, samples)
    return make_plan(request, image_finder(found.folder, firmware))


def _check_entries(path: Path, runs: Sequence[Values], names: Sequence[str]) -> None:
    """Refuse a run of an entry that the suite does not have: it would be left out without a word."""
    for number, run in enumerate(runs, start=1):
        entry = run.get(ENTRY)
        if entry is not None and entry not in names:
            near = _core.nearest_name(entry, list(names))
            there = f"there are {', '.join(names)}" if near is None else f"the nearest is {near}"
            raise _core.AirwireError(f"{path}: run {number}: entry: the suite has no entry {entry}; {there}")


def fields_of(suite: str | Path) -> dict[str, str]:
    """What an axis may name in a suite, with what each takes in words; images that are not there add nothing."""
    found = read_suite(find_suite(suite))
    finder = image_finder(found.folder)
    known: dict[str, str] = {}
    for entry in found.entries:
        with suppress(_core.AirwireError, OSError):
            known |= {name: takes for name, takes in Fields(entry, finder).known().items() if name not in known}
    return known


def default_folder(plan: Plan) -> Path:
    """Where a sweep goes unless it is told: the same plan has the same folder, so that the same command goes on."""
    return Path("runs") / f"sweep-{plan.suite}-{plan.digest[:_DIGEST_LETTERS]}"


def run_sweep(
    plan: Plan,
    suite: str | Path,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    patience_s: float = 60.0,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Sweep:
    """Run what is not finished of a plan, in processes of this machine or on the Dask cluster of a ``scheduler``.

    Raises ``StoppedError`` at Ctrl-C and ``AirwireError`` where it cannot go on; both leave what is finished.
    """
    check_kind("plan", plan, Plan, "airwire.plan_sweep")
    check_numbers(workers=workers)
    path = Path(out) if out is not None else default_folder(plan)
    before = 0
    with SweepFolder(path, plan, _description(plan, find_suite(suite))) as folder:
        blobs = Blobs(path / FILES)
        with keeping(path):
            for content in plan.files.contents.values():
                blobs.add(content)
        before = folder.finished
        tell = progress or (lambda _done, _all: None)
        tell(before, len(plan))
        points = (plan.point(index) for index in list(folder.missing()))
        try:
            outcomes = _outcomes(points, blobs, workers, scheduler, patience_s, len(plan) - before)
            with gone_ends_are_errors(), closing(outcomes):
                for outcome in outcomes:
                    folder.add(outcome)
                    tell(folder.finished + len(folder.failed), len(plan))
        except KeyboardInterrupt:
            folder.write_failures()
            raise StoppedError(folder.finished, len(plan), path) from None
        except _core.AirwireError as error:
            folder.write_failures()
            if folder.finished == 0:
                raise
            kept = f"{folder.finished} of {len(plan)} points are finished and kept in {path}; the same command goes on"
            raise _core.AirwireError(f"{error}; {kept}") from None
        folder.finish()
        with keeping(path):
            write_file(path / ENVIRONMENT, json.dumps(dict(environment or {}), indent=2) + "\n")
        failures = [(_name(plan, index), sentence) for index, sentence in sorted(folder.failed.items())]
        return Sweep(path, plan, folder.frame(), folder.finished - before, failures)


def _outcomes(
    points: Iterator[Point], blobs: Blobs, workers: int | None, scheduler: str | None, patience_s: float, count: int
) -> Generator[Outcome]:
    """What becomes of the points, wherever they run."""
    if count == 0:
        return
    if scheduler is None:
        with Processes(blobs.folder, workers) as processes:
            yield from processes.outcomes(points)
        return
    from airwire.sweep.cluster import Cluster

    with Cluster(scheduler, blobs, patience_s) as cluster:
        yield from cluster.outcomes(points)


def _name(plan: Plan, index: int) -> str:
    entry, values, seed = plan.at(index)
    return " ".join([entry.name, *(f"{name}={value}" for name, value in values.items()), f"seed={seed}"])


def _description(plan: Plan, suite: Path) -> dict[str, Any]:
    values: dict[str, dict[str, None]] = {name: {} for name in plan.axes}
    for _, own in plan.variants:
        for name, value in own.items():
            values[name][value] = None
    axes = [{"name": name, "values": list(own)[:_MOST_VALUES_TOLD], "count": len(own)} for name, own in values.items()]
    return {
        "digest": plan.digest,
        "airwire": _core.__version__,
        "suite": {"name": plan.suite, "text": read_text(suite)},
        "design": plan.design,
        "axes": axes,
        "seeds": {"first": plan.seeds[0], "count": len(plan.seeds)},
        "points": len(plan),
        "left_out": plan.left_out,
        "files": sorted(plan.files.contents),
    }
