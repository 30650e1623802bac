"""Run folders back in: the samples are there, the statistics and findings are computed again."""

from __future__ import annotations

from pathlib import Path

from airwire import _core
from airwire.model import Analysis, Capture
from airwire.runs.findings import findings_of, intervals_of
from airwire.runs.folder import StoredCapture, StoredRun, read_run_folder
from airwire.values import Time, time_from


def load_run(path: str | Path, *, gate: Time | None = None, intervals: bool = True, findings: bool = True) -> Analysis:
    """Read a run folder back, of captures or of a suite, and compute its statistics and findings again.

    ``gate`` is a gate period that you know of, such as ``"10 ms"``.

    Raises ``AirwireError`` where there is no run folder, or one of a newer schema.
    """
    run = read_run_folder(Path(path))
    gate_ps = time_from("gate", gate) or run.gate_ps
    captures = [_stored_capture(stored, run, gate_ps, intervals, findings) for stored in run.captures]
    return Analysis(captures, [], run.pairing, run.seed, run_folder=str(path), suite=run.suite)


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
        clock_hz=stored.target.clock_hz,
    )
    median_ps = raw["latency"]["p50"] if raw["latency"] else None
    findings = findings_of(raw["findings"], run.pairing, stored.target, median_ps)
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
        target=stored.target,
        unfinished=raw["unfinished"],
        bounds=stored.bounds,
    )
