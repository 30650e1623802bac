"""The published pairing rule against percentiles that were published of the very same files.

The table is an independent oracle: it was made by other people's scripts from the raw captures.
"""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import airwire

LINKS_SUITE = Path(__file__).resolve().parents[2] / "suites" / "links.toml"
_PERCENTILES = ("min", "p5", "p25", "p50", "p75", "p95", "p99", "max")
_COLUMNS = ("min_ms", "p05", "p25", "p50", "p75", "p95", "p99", "max_ms")
# The table prints five decimals of a millisecond.
_HALF_DIGIT_MS = 0.5e-5


def test_the_published_rule_reproduces_every_published_percentile(real_captures: Path, published_latency: Path) -> None:
    with published_latency.open(newline="") as table:
        rows = [row for row in csv.DictReader(table) if (real_captures / row["source_file"]).exists()]
    assert len(rows) > 100
    paths = [real_captures / row["source_file"] for row in rows]
    analysis = airwire.analyze(paths, pairing="published", intervals=False, findings=False)
    assert not analysis.errors
    differing = []
    for row, capture in zip(rows, analysis.captures, strict=True):
        assert capture.latency_ps is not None
        ours = [capture.latency_ps[name] / 1e9 for name in _PERCENTILES]
        theirs = [float(row[column]) for column in _COLUMNS]
        same_n = capture.latency_ps["n"] == int(row["n"])
        close = all(abs(a - b) <= _HALF_DIGIT_MS + 1e-9 for a, b in zip(ours, theirs, strict=True))
        if not (same_n and close):
            differing.append((row["source_file"], capture.latency_ps["n"], row["n"], ours, theirs))
    assert differing == []


def test_the_suite_of_links_has_the_medians_of_the_captures_that_it_names(real_captures: Path) -> None:
    entries = tomllib.loads(LINKS_SUITE.read_text(encoding="utf-8"))["links"].values()
    figures = [figure for entry in entries for figure in entry.get("published", ())]
    assert len(figures) > 50
    paths = [real_captures / figure["source"].removeprefix("Scott Rapson, ") for figure in figures]
    analysis = airwire.analyze(paths, pairing="published", intervals=False, findings=False)
    assert not analysis.errors
    for figure, capture in zip(figures, analysis.captures, strict=True):
        assert capture.latency_ps is not None
        value, unit = figure["median"].split()
        median_ms = float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]
        assert abs(capture.latency_ps["p50"] / 1e9 - median_ms) <= _HALF_DIGIT_MS + 1e-9, figure["source"]
        assert figure.get("payload", capture.payload_bytes) == capture.payload_bytes, figure["source"]


def test_the_payload_is_read_from_every_path_as_published(real_captures: Path, published_latency: Path) -> None:
    with published_latency.open(newline="") as table:
        rows = [row for row in csv.DictReader(table) if (real_captures / row["source_file"]).exists()]
    paths = [real_captures / row["source_file"] for row in rows]
    analysis = airwire.analyze(paths, intervals=False, findings=False)
    # The table has 0 where no message but only an edge was sent.
    read = [capture.payload_bytes or 0 for capture in analysis.captures]
    assert read == [int(row["payload_bytes"]) for row in rows]
