"""Captures in, analyses out: files of logic analysers are read and paired.

The work is done by the Rust core on all processor cores; this module turns its results into the types of
:mod:`airwire.model` and adds the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.kinds import PairingRule
from airwire.model import Analysis, Capture, CaptureFailure, CaptureFile, Edges
from airwire.runs.findings import findings_of, intervals_of
from airwire.values import Time, check_numbers, environment_text, time_from

if TYPE_CHECKING:
    import polars as pl

DEFAULT_SEED = 1


def analyze(
    paths: str | Path | Sequence[str | Path],
    *,
    trigger: str | int = 0,
    done: str | int = 1,
    pairing: PairingRule = "strict",
    glitch: Time | None = None,
    min_latency: Time = 0,
    max_latency: Time | None = None,
    payload_bytes: int | None = None,
    gate: Time | None = None,
    seed: int = DEFAULT_SEED,
    intervals: bool = True,
    findings: bool = True,
    out: str | Path | None = None,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Analysis:
    """Analyse captures: pair their edges and say what the latencies hold.

    ``paths`` are capture files and folders of them (Saleae CSV and .sal, sigrok .sr, VCD, PulseView CSV, each also
    compressed). ``trigger`` and ``done`` name channels by number or label. Times are ``"10 ms"``, or picoseconds;
    ``glitch`` defaults to a hundredth of each capture's typical trigger interval. ``out`` names a run folder to write.
    A file that cannot be read becomes an entry of ``errors``; the others are still analysed.
    ``progress(files_done, files)`` is called while it works.

    Raises ``AirwireError`` for an unknown pairing rule, a time that means nothing, or that ``pairing`` has no use for,
    and a run folder that exists already.

    >>> airwire.analyze("no-such-file.csv").errors[0].message
    'no-such-file.csv: cannot open it: No such file or directory (os error 2)'
    """
    check_numbers(payload_bytes=payload_bytes, seed=seed)
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    glitch_ps, min_latency_ps, max_latency_ps = _pairing_times(pairing, glitch, min_latency, max_latency)
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
        gate_ps=time_from("gate", gate),
        out=None if out is None else str(out),
        environment=environment_text(environment),
        progress=progress,
    )
    captures = [_capture(raw, pairing) for raw in result.captures]
    errors = [CaptureFailure(path, message) for path, message in result.errors]
    run_folder = None if result.run_folder is None else str(result.run_folder)
    return Analysis(captures, errors, pairing, seed, result.interrupted, run_folder)


def _pairing_times(
    pairing: PairingRule, glitch: Time | None, min_latency: Time, max_latency: Time | None
) -> tuple[int | None, int, int | None]:
    """The times of a pairing, after a check that its rule uses them."""
    glitch_ps = time_from("glitch", glitch, or_none_at_all=True)
    min_latency_ps = time_from("min_latency", min_latency, or_none_at_all=True) or 0
    max_latency_ps = time_from("max_latency", max_latency)
    if max_latency_ps is not None and pairing != "fifo":
        raise _core.AirwireError(f"max_latency is for the pairing rule fifo, and this is {pairing}; leave it out")
    if max_latency_ps is not None and max_latency_ps <= min_latency_ps:
        raise _core.AirwireError("max_latency is not above min_latency, so that no message could ever arrive")
    if pairing == "published" and (glitch_ps is not None or min_latency_ps):
        raise _core.AirwireError("the pairing rule published knows neither glitch nor min_latency; leave them out")
    return glitch_ps, min_latency_ps, max_latency_ps


def read_edges(path: str | Path, channels: Sequence[str | int] = ()) -> Edges:
    """Read the level changes of a capture, of all channels or of those named.

    Raises ``AirwireError`` when the file cannot be read or lacks a channel.
    """
    import polars as pl

    table, start, end_ps = _core.read_edges(str(path), [str(channel) for channel in channels])
    return Edges(pl.DataFrame(table), start, end_ps)


def _capture(raw: _core.CaptureResult, pairing: PairingRule) -> Capture:
    target = CaptureFile()
    findings = findings_of(raw.findings, pairing, target, raw.latency["p50"] if raw.latency else None)
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
        target=target,
        unfinished=raw.unfinished,
    )


def _samples(raw: _core.CaptureResult) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(raw.samples())
