"""The virtual bench: suites run into run folders, by the Rust core, on all processor cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.model import Analysis, Capture, CaptureFailure
from airwire.runs.findings import KNOWN
from airwire.runs.packaged import IMAGES, find_suite
from airwire.runs.rows import figure_row, link_row
from airwire.values import check_numbers, environment_text

if TYPE_CHECKING:
    import polars as pl


def run(
    suite: str | Path,
    *,
    samples: int | None = None,
    seed: int | None = None,
    only: Sequence[str] = (),
    firmware: str | Path | None = None,
    workers: int | None = None,
    captures: bool = False,
    intervals: bool = True,
    findings: bool = True,
    out: str | Path | None = None,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
    row_done: Callable[[Capture], Any] | None = None,
    samples_seen: Callable[[str, str, pl.DataFrame], Any] | None = None,
) -> Analysis:
    """Run a suite and keep the result in a run folder: on the virtual bench, and on boards at addresses.

    ``suite`` is a file, or the name of a suite that comes with the package, such as ``published``.
    ``samples`` and ``seed`` replace those of the suite; ``only`` names the entries to run. ``firmware`` is the folder
    with the images of rows that run on boards; by default they are looked for beside the suite, in ``build/firmware``
    and in the package. ``captures`` writes a capture file of every link's row as well. ``out`` is the run folder, by
    default ``runs/<UTC time>-<suite>``. ``progress(done, all)`` is called while it works, with messages of links and
    steps of boards, and ``row_done(row)`` with each row of up to 100,000 messages once it is kept, in the order of the
    suite; Ctrl-C ends it early and keeps what is done. ``samples_seen(row, unit, samples)`` is called as
    messages come of a row that takes real time, in batches of the columns of the run folder.

    Raises ``AirwireError`` for a suite that cannot be run, with file, line and field.
    """
    return run_text(
        find_suite(suite),
        None,
        samples=samples,
        seed=seed,
        only=only,
        firmware=firmware,
        workers=workers,
        captures=captures,
        intervals=intervals,
        findings=findings,
        out=out,
        environment=environment,
        progress=progress,
        row_done=row_done,
        samples_seen=samples_seen,
    )


@contextmanager
def of_no_suite(path: str | Path, entry: str) -> Iterator[None]:
    """What is wrong with a suite that nobody wrote: the user is told of a field of its only entry, and not of ours."""
    try:
        yield
    except _core.AirwireError as error:
        if error.file != str(path) or error.field is None:
            raise
        own = error.field
        for table in ("boards", "targets"):
            own = own.removeprefix(f"{table}.{entry}.")
        raise _core.AirwireError(f"{own}{error.words}") from None


def run_text(
    path: Path,
    text: str | None,
    *,
    samples: int | None = None,
    seed: int | None = None,
    only: Sequence[str] = (),
    firmware: str | Path | None = None,
    workers: int | None = None,
    captures: bool = False,
    intervals: bool = True,
    findings: bool = True,
    out: str | Path | None = None,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
    row_done: Callable[[Capture], Any] | None = None,
    samples_seen: Callable[[str, str, pl.DataFrame], Any] | None = None,
    ready: Callable[[], Any] | None = None,
) -> Analysis:
    """The same of a suite whose text is at hand; ``path`` is what errors call it, and gives the run folder its name.

    ``ready()`` is called once, when a board at an address can call or be asked.
    """
    check_numbers(samples=samples, seed=seed, workers=workers)
    result = _core.run_suite(
        str(path),
        samples=samples,
        seed=seed,
        only=list(only),
        firmware=firmware,
        images=IMAGES,
        workers=workers,
        captures=captures,
        intervals=intervals,
        findings=findings,
        out=str(out or default_folder(path.stem)),
        environment=environment_text(environment),
        progress=progress,
        row_done=None if row_done is None else lambda raw: row_done(_row(raw, None)),
        samples_seen=None if samples_seen is None else lambda row, unit, table: samples_seen(row, unit, _frame(table)),
        ready=ready,
        text=text,
    )
    folder = None if result.run_folder is None else Path(result.run_folder)
    rows = [*(_row(raw, folder) for raw in result.rows), *(_row(raw, folder) for raw in result.figures)]
    errors = [CaptureFailure(where, message) for where, message in result.errors]
    run_folder = None if folder is None else str(folder)
    return Analysis(rows, errors, KNOWN, result.seed, result.interrupted, run_folder, result.suite)


def _row(raw: _core.RowResult | _core.FigureRowResult, folder: Path | None) -> Capture:
    return link_row(raw, folder) if isinstance(raw, _core.RowResult) else figure_row(raw, folder)


def _frame(table: _core.Table) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(table)


def default_folder(name: str) -> Path:
    """Where a run of this name goes unless it is told: ``runs/<UTC time>-<name>``."""
    return Path("runs") / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{name}"
