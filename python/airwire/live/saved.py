"""What the live view leaves behind: marks beside the run, and the ordinary report of the run so far.

Both go into the feed's folder, which is the run folder where there is one. Of a feed that knows no more than its
samples the report is that of a capture: percentiles, intervals, findings, outcomes.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from airwire import _core
from airwire.live.batch import OUTCOMES
from airwire.live.feed import COLUMNS, Feed, Mark, Series
from airwire.model import Analysis, Capture, CaptureFile
from airwire.outputs import new_folder, write_file
from airwire.report.units import format_duration

if TYPE_CHECKING:
    import polars as pl

MARKS = "marks.json"
MARKS_SCHEMA = "airwire.marks/1"
_SEED = 1
_PAIRED = "paired"
_WORDS = {"ok": _PAIRED, "lost": "missed", "late": "missed", "wrong": "missed"}
_PS_PER_S = 10**12


def save_marks(feed: Feed) -> Path:
    """Write the marks beside the run."""
    path = feed.folder / MARKS
    content = {"schema": MARKS_SCHEMA, "marks": [asdict(mark) for mark in feed.marks]}
    with new_folder(feed.folder):
        write_file(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return path


def save_report(feed: Feed) -> Path:
    """Write the report of the run so far, with the marks as notes; none that is there is overwritten."""
    from airwire.report import write_html

    analysis = analysis_of(feed) if feed.analysis is None else feed.analysis()
    notes = [_note(mark) for mark in feed.marks] + _rates(feed)
    path = _free(feed.folder / "live.html")
    with new_folder(feed.folder):
        write_html(analysis, path, title=None if analysis.suite else feed.title, notes=notes)
    return path


def analysis_of(feed: Feed) -> Analysis:
    """The samples of a feed, analysed as those of a capture are; bulk transfers have no latency."""
    captures = [_capture(series) for series in feed.all_series if series.kind == "messages" and len(series)]
    if not captures:
        raise _core.AirwireError("there is nothing to report yet: no message was measured")
    return Analysis(captures, [], "known", _SEED, interrupted=feed.state == "running")


def _capture(series: Series) -> Capture:
    samples = _frame(series)
    sent = samples.filter(samples["outcome"] != "glitch")
    paired = samples.filter(samples["outcome"] == _PAIRED)
    last_ps = samples["trigger_ps"].max()
    raw = _core.statistics(
        paired["trigger_ps"].to_list(),
        paired["latency_ps"].to_list(),
        sent["trigger_ps"].to_list(),
        end_ps=int(last_ps) + 1 if isinstance(last_ps, int) else 0,
        seed=_SEED,
        intervals=True,
        findings=True,
    )
    from airwire.runs.findings import findings_of, intervals_of

    median_ps = raw["latency"]["p50"] if raw["latency"] else None
    target = CaptureFile()
    findings = findings_of(raw["findings"], "known", target, median_ps)
    median, upper_quartile = intervals_of(raw["intervals"], findings)
    outcomes = dict.fromkeys((_PAIRED, "missed", "glitch", "overlapped", "late", "duplicate", "spurious"), 0)
    for word in samples["outcome"].to_list():
        outcomes[word] += 1
    return Capture(
        path=series.name,
        group=series.name,
        payload_bytes=None,
        triggers=samples.height,
        outcomes=outcomes,
        latency_ps=raw["latency"],
        median_interval=median,
        upper_quartile_interval=upper_quartile,
        findings=findings,
        load_samples=lambda: samples,
        target=target,
        unfinished=raw["unfinished"],
    )


def _frame(series: Series) -> pl.DataFrame:
    """The samples with the columns and words of a run folder, in the order of their triggers."""
    import polars as pl

    columns = dict(zip(COLUMNS, series.read(0, len(series)), strict=True))
    words = [_WORDS.get(outcome, outcome) for outcome in OUTCOMES]
    frame = pl.DataFrame(
        {
            "trigger_ps": pl.Series(columns["trigger_ps"], dtype=pl.Float64).cast(pl.Int64),
            "latency_ps": pl.Series(columns["latency_ps"], dtype=pl.Float64).fill_nan(None).cast(pl.Int64),
            "outcome": [words[int(code)] for code in columns["outcome"]],
        }
    ).sort("trigger_ps", maintain_order=True)
    # Only what was answered in time and rightly has a latency that counts.
    is_paired = pl.col("outcome") == _PAIRED
    latency = pl.when(is_paired).then(pl.col("latency_ps")).alias("latency_ps")
    done = pl.when(is_paired).then(pl.col("trigger_ps") + pl.col("latency_ps")).alias("done_ps")
    return frame.with_columns(latency, done).with_row_index("index")


def _note(mark: Mark) -> str:
    places = [f"{name} after {count:,} at {format_duration(last_ps)}" for name, (count, last_ps) in mark.places.items()]
    return f"{mark.text} ({'; '.join([mark.at, *places])})"


def _rates(feed: Feed) -> list[str]:
    """The mean throughput of bulk transfers, where no row of the report has it."""
    if feed.analysis is not None:
        return []
    found = []
    for series in feed.all_series:
        trigger_ps, latency_ps, _, carried = series.read(0, len(series))
        if series.kind == "bulk" and len(carried):
            length_s = (trigger_ps[-1] + latency_ps[-1] - trigger_ps[0]) / _PS_PER_S
            found.append(f"{series.name}: {8e-6 * sum(carried) / length_s:.4g} Mbit/s over {length_s:.3g} s")
    return found


def _free(path: Path) -> Path:
    """The path, with a number where something is there already."""
    number, found = 2, path
    while found.exists():
        found = path.with_stem(f"{path.stem}-{number}")
        number += 1
    return found
