"""Captures in, analyses out: the Python interface to everything that reads logic-analyser files.

The work is done by the Rust core on all processor cores; this module turns its results into the types of
:mod:`airwire.model` and adds the sentences.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.model import Analysis, Capture, CaptureFailure, Comparison, Edges
from airwire.results import findings_of, intervals_of

if TYPE_CHECKING:
    import polars as pl

    from airwire.run_folder import StoredCapture, StoredRun

DEFAULT_SEED = 1


def analyze(
    paths: str | Path | Sequence[str | Path],
    *,
    trigger: str | int = 0,
    done: str | int = 1,
    pairing: str = "strict",
    glitch_ps: int | None = None,
    min_latency_ps: int = 0,
    max_latency_ps: int | None = None,
    payload_bytes: int | None = None,
    gate_ps: int | None = None,
    seed: int = DEFAULT_SEED,
    intervals: bool = True,
    findings: bool = True,
    out: str | Path | None = None,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Analysis:
    """Analyse captures: pair their edges and say what the latencies hold.

    ``paths`` are capture files and folders of them (Saleae CSV and .sal, sigrok .sr, VCD, PulseView CSV, each also
    compressed). ``trigger`` and ``done`` name channels by number or label. ``glitch_ps`` defaults to a hundredth of
    each capture's typical trigger interval. ``out`` names a run folder to write. A file that cannot be read becomes
    an entry of ``errors``; the others are still analysed. ``progress(files_done, files)`` is called while it works.

    Raises ``AirwireError`` for an unknown pairing rule or a run folder that exists already.

    >>> airwire.analyze("no-such-file.csv").errors[0].message
    'no-such-file.csv: cannot open it: No such file or directory (os error 2)'
    """
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    result = _core.analyze(
        [str(path) for path in named],
        trigger=str(trigger),
        done=str(done),
        pairing=pairing,
        glitch_ps=glitch_ps,
        min_latency_ps=min_latency_ps,
        max_latency_ps=max_latency_ps,
        payload_bytes=payload_bytes,
        seed=seed,
        intervals=intervals,
        findings=findings,
        gate_ps=gate_ps,
        out=None if out is None else str(out),
        environment=json.dumps(environment or {}),
        progress=progress,
    )
    captures = [_capture(raw, pairing) for raw in result.captures]
    errors = [CaptureFailure(path, message) for path, message in result.errors]
    run_folder = None if result.run_folder is None else str(result.run_folder)
    return Analysis(captures, errors, pairing, seed, result.interrupted, run_folder)


def load_run(
    path: str | Path, *, gate_ps: int | None = None, intervals: bool = True, findings: bool = True
) -> Analysis:
    """Read a run folder back, of captures or of a suite, and compute its statistics and findings again.

    Raises ``AirwireError`` where there is no run folder, or one of a newer schema.
    """
    from airwire.run_folder import read_run_folder

    run = read_run_folder(Path(path))
    gate = gate_ps or run.gate_ps
    captures = [_stored_capture(stored, run, gate, intervals, findings) for stored in run.captures]
    return Analysis(captures, [], run.pairing, run.seed, run_folder=str(path), suite=run.suite)


def read_edges(path: str | Path, channels: Sequence[str | int] = ()) -> Edges:
    """Read the level changes of a capture, of all channels or of those named.

    Raises ``AirwireError`` when the file cannot be read or lacks a channel.
    """
    import polars as pl

    table, start, end_ps = _core.read_edges(str(path), [str(channel) for channel in channels])
    return Edges(pl.DataFrame(table), start, end_ps)


def convert(
    source: str | Path,
    destination: str | Path,
    *,
    channels: Sequence[str | int] = (),
    overwrite: bool = False,
    progress: Callable[[int], Any] | None = None,
) -> None:
    """Write a capture as VCD or Saleae-style CSV, by the ending of ``destination``.

    ``progress(time_ps)`` is told while it works how far into the capture it is.
    Raises ``AirwireError`` when the source cannot be read or the destination cannot be written, or is the source.
    """
    place = Path(destination)
    if place.is_file() and Path(source).exists() and place.samefile(source):
        raise _core.AirwireError(f"{place}: this is the source itself, which stays as it is; name another file")
    _core.convert(str(source), str(destination), [str(channel) for channel in channels], overwrite, progress)


def compare(a: Capture, b: Capture, *, seed: int = DEFAULT_SEED) -> Comparison:
    """Say how the latencies of ``b`` differ from those of ``a``.

    Raises ``AirwireError`` when one of them has no paired message.
    """
    from airwire.explain.comparison import comparison_sentence

    latencies = [_latencies(capture) for capture in (a, b)]
    raw = _core.compare(latencies[0], latencies[1], seed)
    if raw is None:
        empty = a if not latencies[0] else b
        raise _core.AirwireError(f"{empty.path}: no message was paired, so that there is nothing to compare")
    return Comparison(a=a.name, b=b.name, sentence=comparison_sentence(a.name, b.name, raw), **raw)


def ecdf(capture: Capture) -> pl.DataFrame:
    """The empirical cumulative distribution of a capture's latencies.

    One row per distinct latency in ascending order: ``latency_ps`` and ``share``, the share of paired messages that
    took at most that long.
    """
    import polars as pl

    values, shares = _core.ecdf(_latencies(capture))
    return pl.DataFrame({"latency_ps": values, "share": shares}, schema={"latency_ps": pl.Int64, "share": pl.Float64})


def parse_time(text: str) -> int:
    """A time with its unit in picoseconds: ``parse_time("10ms")``. Raises ``AirwireError`` without a known unit."""
    return _core.parse_time_ps(text)


def parse_size(text: str) -> int:
    """A size in bytes: ``parse_size("1KiB")``. Raises ``AirwireError`` for anything else."""
    return _core.parse_bytes(text)


def _latencies(capture: Capture) -> list[int]:
    latencies: list[int] = capture.samples["latency_ps"].drop_nulls().to_list()
    return latencies


def _capture(raw: _core.CaptureResult, pairing: str) -> Capture:
    findings = findings_of(raw.findings, pairing)
    median, upper_quartile = intervals_of(raw.intervals, findings)
    return Capture(
        path=raw.path,
        group=raw.group,
        payload_bytes=raw.payload_bytes,
        triggers=raw.triggers,
        outcomes=raw.outcomes,
        latency_ps=raw.latency,
        median_interval=median,
        upper_quartile_interval=upper_quartile,
        findings=findings,
        load_samples=partial(_samples, raw),
    )


def _samples(raw: _core.CaptureResult) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(raw.samples())


def _stored_capture(
    stored: StoredCapture, run: StoredRun, gate_ps: int | None, with_intervals: bool, with_findings: bool
) -> Capture:
    """A capture out of a run folder: the samples are there, the statistics are computed again."""
    sent = stored.samples.filter(stored.samples["outcome"] != "glitch")
    paired = stored.samples.filter(stored.samples["outcome"] == "paired")
    raw = _core.statistics(
        paired["trigger_ps"].to_list(),
        paired["latency_ps"].to_list(),
        sent["trigger_ps"].to_list(),
        end_ps=stored.end_ps,
        seed=run.seed,
        intervals=with_intervals,
        findings=with_findings,
        gate_ps=gate_ps,
        step_ps=None if stored.board is None else stored.board.cycle_ps,
    )
    findings = findings_of(raw["findings"], run.pairing)
    median, upper_quartile = intervals_of(raw["intervals"], findings)
    return Capture(
        path=stored.path,
        group=stored.group,
        payload_bytes=stored.payload_bytes,
        triggers=stored.samples.height,
        outcomes=stored.outcomes,
        latency_ps=raw["latency"],
        median_interval=median,
        upper_quartile_interval=upper_quartile,
        findings=findings,
        load_samples=lambda: stored.samples,
        link=stored.link,
        board=stored.board,
    )
