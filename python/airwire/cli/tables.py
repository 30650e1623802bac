"""Analyses and comparisons as tables on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from airwire.cli.fitting import print_table
from airwire.cli.plain_console import PlainConsole
from airwire.explain.quantities import count, rough_time, table_time
from airwire.model import Analysis, Capture, Comparison, Finding

# More captures than this get the findings that stand out only.
_FEW_CAPTURES = 4
_STAND_OUT = 8
# A pipe has no width: what is usual for one, 80 columns, is too narrow for tables.
_PIPE_WIDTH = 120
# Columns of figures from left to right, and which of them are kept first where the terminal is narrow.
_IN_ORDER = ("min", "p50", "[95 %]", "p75", "p95", "p99", "max", "findings")
_BY_WEIGHT = ("p50", "max", "p75", "p95", "min", "p99", "findings", "[95 %]")
_COLUMN_WIDTHS = {"findings": 30, "[95 %]": 22}
# A capture is analysed for its latencies: rare outcomes stand below the table where these have no room beside them.
_AT_LEAST = frozenset({"p50", "p75", "max"})
_RARE_OUTCOMES = ("missed", "glitch", "overlapped", "late", "duplicate", "spurious")


def console() -> Console:
    """Standard output: as wide as the terminal, or as ``COLUMNS`` says, or else 120 columns on a pipe."""
    has_width = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return PlainConsole(width=None if has_width else _PIPE_WIDTH)


def print_analysis(analysis: Analysis) -> None:
    """The table of captures, then the findings in sentences."""
    out = console()
    if not analysis.captures:
        return
    rare = [name for name in _RARE_OUTCOMES if any(capture.outcomes[name] for capture in analysis.captures)]
    columns = _columns_that_fit(out.width - 12 * len(rare))
    below = [] if set(columns) >= _AT_LEAST else rare
    if below:
        rare, columns = [], _columns_that_fit(out.width)
    print_table(out, _table(analysis, rare, columns))
    for line in _rare_lines(analysis.captures, below):
        out.print(Text(line))
    out.print(
        "Percentiles of type 7 (linear between order statistics); [95 % interval of the median] from a moving-block "
        f"bootstrap, seed {analysis.seed}; pairing {analysis.pairing}.",
        style="dim",
    )
    _print_findings(out, analysis.captures)


def _rare_lines(captures: Sequence[Capture], names: Sequence[str]) -> Iterator[str]:
    """``12B-base.csv: missed 15, glitch 7, duplicate 2``, for the captures that have such outcomes."""
    for capture in captures:
        counts = [f"{name} {capture.outcomes[name]}" for name in names if capture.outcomes[name]]
        if counts:
            yield f"{capture.name}: {', '.join(counts)}"


def _table(analysis: Analysis, rare: Sequence[str], columns: Sequence[str]) -> Table:
    with_findings = len(analysis.captures) > _FEW_CAPTURES and "findings" in columns
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("capture", overflow="fold", min_width=16)
    for name in ("payload", "paired", *rare, *(name for name in columns if name != "findings")):
        table.add_column(Text(name), justify="right", no_wrap=True)
    if with_findings:
        table.add_column("findings", overflow="fold", min_width=14)
    group = None
    for capture in analysis.captures:
        if capture.group != group:
            group = capture.group
            table.add_row(Text(group, style="bold"))
        table.add_row(*_row(capture, rare, columns, with_findings))
    return table


def _columns_that_fit(width: int) -> list[str]:
    """The figures that a terminal of ``width`` columns has room for beside the capture, the most telling first."""
    room = width - 45
    chosen = set()
    for name in _BY_WEIGHT:
        room -= _COLUMN_WIDTHS.get(name, 10)
        if room < 0:
            break
        chosen.add(name)
    return [name for name in _IN_ORDER if name in chosen]


def _row(capture: Capture, rare: Sequence[str], columns: Sequence[str], with_findings: bool) -> list[Text]:
    payload = "" if capture.payload_bytes is None else f"{capture.payload_bytes} B"
    counts = [str(capture.outcomes[name]) for name in ("paired", *rare)]
    figures = [_figure(capture, name) for name in columns if name != "findings"]
    found = ["; ".join(_short(finding) for finding in capture.findings)] if with_findings else []
    cells = [f"  {capture.path.rsplit('/', 1)[-1]}", payload, *counts, *figures, *found]
    return [Text(cell) for cell in cells]


def _figure(capture: Capture, name: str) -> str:
    if name == "[95 %]":
        interval = capture.median_interval
        return "" if interval is None else f"{table_time(interval.low_ps)} .. {table_time(interval.high_ps)}"
    return "-" if capture.latency_ps is None else table_time(capture.latency_ps[name])


def _short(finding: Finding) -> str:
    name = finding.kind.replace("_", " ")
    return name if finding.period_ps is None else f"{name} {rough_time(finding.period_ps)}"


def _without_pairs(capture: Capture) -> str:
    """What is the matter with a capture of which no message has a latency."""
    said = f"{capture.name}: none of {count(capture.messages, 'message')} has a latency"
    if capture.outcomes["overlapped"] > capture.messages / 2:
        return f"{said}, as done was high already when they were sent; see whether the lines are inverted or swapped."
    return f"{said}; see whether done is wired, and whether --trigger and --done name the right channels."


def _print_findings(out: Console, captures: Sequence[Capture]) -> None:
    found = [(capture, finding) for capture in captures for finding in capture.findings]
    unpaired = [capture for capture in captures if capture.messages and not capture.outcomes["paired"]]
    for capture in unpaired:
        out.print(Text(f"\n{_without_pairs(capture)}"))
    if not found:
        if len(unpaired) < len(captures):
            out.print("\nNo patterns were found in the latencies.")
        return
    if len(captures) > _FEW_CAPTURES:
        found = _outstanding(found)
        out.print("\nWhat stands out (all findings are in --report and --json):", style="bold")
    else:
        out.print("\nFindings:", style="bold")
    for capture, finding in found:
        out.print(Text(f"- {capture.name}: {finding.sentence}"))
        out.print(Text(f"  Next: {finding.next_step}", style="dim"))


def _outstanding(found: Sequence[tuple[Capture, Finding]]) -> list[tuple[Capture, Finding]]:
    """The most confident finding of each kind and period, in the order of the kinds' first mention."""
    best: dict[tuple[str, str], tuple[Capture, Finding]] = {}
    for capture, finding in found:
        key = (finding.kind, "" if finding.period_ps is None else f"{finding.period_ps:.1e}")
        if key not in best or finding.confidence > best[key][1].confidence:
            best[key] = (capture, finding)
    ranked = sorted(best.values(), key=lambda pair: -pair[1].confidence)
    return ranked[:_STAND_OUT]


def print_comparison(comparison: Comparison) -> None:
    """The plain sentence, then the figures behind it."""
    out = console()
    out.print(Text(comparison.sentence))
    interval = comparison.shift_interval_ps
    bounds = "needs 8 messages a side" if interval is None else " to ".join(rough_time(end) for end in interval)
    rows = [
        ("median of A", f"{table_time(comparison.median_a_ps)}  ({comparison.a})"),
        ("median of B", f"{table_time(comparison.median_b_ps)}  ({comparison.b})"),
        ("shift, B - A", rough_time(comparison.shift_ps)),
        ("95 % interval", bounds),
        ("a message of A beats one of B", f"{100 * comparison.a_beats_b:.1f} %"),
        ("Kolmogorov-Smirnov distance", f"{comparison.ks:.3f}"),
        (f"the same above {rough_time(comparison.floor_ps)}", f"{comparison.ks_with_floor:.3f}"),
        ("Wasserstein distance", rough_time(comparison.wasserstein_ps)),
        ("effective n of A, B", ", ".join(f"{n:.0f}" for n in comparison.effective_n)),
    ]
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows:
        table.add_row(Text(name, style="dim"), Text(value))
    print_table(out, table)
