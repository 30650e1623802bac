"""The virtual bench: suites run into run folders, and predictions of single links.

The work is done by the Rust core on all processor cores; a run's rows become captures, so that all that reads
captures (report, comparison, findings) reads runs as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.board_row import BoardRow, board_row_of
from airwire.catalogue import setting_texts
from airwire.link_model import LinkRow, published_median_of
from airwire.model import Analysis, Capture, CaptureFailure
from airwire.results import KNOWN as PAIRING
from airwire.results import findings_of, intervals_of
from airwire.run_folder import read_samples, read_spans
from airwire.stage import link_stage

if TYPE_CHECKING:
    import polars as pl

DEFAULT_SAMPLES = 2000
DEFAULT_SPANS = 1000


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
) -> Analysis:
    """Run a suite on the virtual bench and keep the result in a run folder.

    ``samples`` and ``seed`` replace those of the suite; ``only`` names the entries to run. ``firmware`` is the folder
    with the images of rows that run on boards; by default they are looked for beside the suite and in
    ``build/firmware``. ``captures`` writes a capture file of every link's row as well. ``out`` is the run folder, by
    default ``runs/<UTC time>-<suite>``. ``progress(done, all)`` is called while it works, with messages of links and
    steps of boards; Ctrl-C ends it early and keeps what is done.

    Raises ``AirwireError`` for a suite that cannot be run, with file, line and field.
    """
    result = _core.run_suite(
        str(suite),
        samples=samples,
        seed=seed,
        only=list(only),
        firmware=firmware,
        workers=workers,
        captures=captures,
        intervals=intervals,
        findings=findings,
        out=str(out or default_folder(Path(suite).stem)),
        environment=json.dumps(environment or {}),
        progress=progress,
    )
    folder = None if result.run_folder is None else Path(result.run_folder)
    rows = [_capture(raw, folder) for raw in result.rows]
    rows.extend(_board_capture(raw, folder) for raw in result.boards)
    errors = [CaptureFailure(where, message) for where, message in result.errors]
    run_folder = None if folder is None else str(folder)
    return Analysis(rows, errors, PAIRING, result.seed, result.interrupted, run_folder, result.suite)


def simulate(
    requests: Sequence[tuple[str, int, Mapping[str, str]]],
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    spans: int = DEFAULT_SPANS,
    trigger: Mapping[str, str] | None = None,
    workers: int | None = None,
) -> list[Capture]:
    """Predict links, each given by name, payload in bytes and changed settings; nothing is written.

    ``spans`` is the number of first messages whose stages are kept. ``trigger`` is a suite's trigger table; by
    default triggers are dithered, so that every phase of every gate is met.

    Raises ``AirwireError`` for the first request that cannot be carried out.

    >>> capture, = airwire.simulate([("lora", 12, {"sf": "7"})], samples=100)
    >>> capture.outcomes["paired"] + capture.outcomes["missed"]
    100
    """
    texts = [(name, payload_bytes, setting_texts(settings)) for name, payload_bytes, settings in requests]
    given = None if trigger is None else setting_texts(trigger)
    rows = _core.simulate(texts, samples=samples, seed=seed, spans=spans, trigger=given, workers=workers)
    return [_capture(raw, None) for raw in rows]


def default_folder(name: str) -> Path:
    """Where a run of this name goes unless it is told: ``runs/<UTC time>-<name>``."""
    return Path("runs") / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{name}"


def _capture(raw: _core.RowResult, folder: Path | None) -> Capture:
    """A row as a capture; what the run folder holds is read from there, when it is first asked for."""
    link = LinkRow(
        name=raw.link,
        title=raw.title,
        settings=raw.settings,
        trigger=raw.trigger,
        longest_queue=raw.longest_queue,
        budget=[link_stage(stage) for stage in raw.budget],
        load_spans=partial(_spans, raw, folder),
        published=published_median_of(raw.published),
    )
    return _measured(raw, folder, raw.entry, payload_bytes=raw.payload_bytes, link=link)


def _board_capture(raw: _core.BoardRowResult, folder: Path | None) -> Capture:
    """A row of a board as a capture."""
    entry = json.loads(raw.entry())
    return _measured(raw, folder, entry["variant"], board=board_row_of(entry, partial(_spans, raw, folder)))


def _measured(
    raw: _core.RawRow,
    folder: Path | None,
    group: str,
    *,
    payload_bytes: int | None = None,
    link: LinkRow | None = None,
    board: BoardRow | None = None,
) -> Capture:
    findings = findings_of(raw.findings, PAIRING)
    median, upper_quartile = intervals_of(raw.intervals, findings)
    outcomes = raw.outcomes
    return Capture(
        path=raw.run,
        group=group,
        payload_bytes=payload_bytes,
        triggers=sum(outcomes[name] for name in ("paired", "missed", "glitch", "overlapped")),
        outcomes=outcomes,
        latency_ps=raw.latency,
        median_interval=median,
        upper_quartile_interval=upper_quartile,
        findings=findings,
        load_samples=partial(_samples, raw, folder),
        link=link,
        board=board,
    )


def _samples(raw: _core.RawRow, folder: Path | None) -> pl.DataFrame:
    if folder is not None:
        return read_samples(folder, raw.run)
    import polars as pl

    return pl.DataFrame(raw.samples())


def _spans(raw: _core.RawRow, folder: Path | None) -> pl.DataFrame:
    if folder is not None:
        return read_spans(folder, raw.run)
    import polars as pl

    return pl.DataFrame(raw.spans())
