"""A run of links as a ranking on a terminal: the fastest first, and one sentence per link on where the time goes.

Rows of which others published a median have it beside their own, and a verdict each.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from airwire.cli.fitting import print_table
from airwire.cli.tables import console
from airwire.cli.verdict_lines import print_indented, ratio_style, verdict_text
from airwire.explain.link.published import is_compared, published_text, ratio, ratio_text
from airwire.explain.link.run import link_verdict
from airwire.explain.quantities import count, percent, table_time
from airwire.link.model import LinkRow
from airwire.model import Analysis, Capture, rows_of_links

# Of the percentiles a narrow terminal has room for the last one only.
_PERCENTILES = ("p75", "p99", "p95")
_PERCENTILE_WIDTH = 11
_OTHER_WIDTH = 63
# The payload whose stages stand for a link, where it was run with several.
_TYPICAL_BYTES = 128
# Findings of rows that met few phases of a gate.
PHASES_NOT_MET = ("frozen_phase", "phase_coverage")
# What a radio that may lose frames calls the place where it stands, and the place without interference.
_SITE, _CLEAN = "loss_site", "clean"
# Rows of which it is told that they met few phases of a gate.
_MOST_PHASES = 4


def print_ranking(analysis: Analysis) -> None:
    """The table by payload and median, then a verdict per compared row and a sentence per entry without one."""
    out = console()
    rows = rows_of_links(analysis)
    if not rows:
        return
    print_table(out, _table(rows, out.width))
    out.print(
        f"{_messages(rows)}, seed {analysis.seed}; percentiles of type 7; triggers {_triggers(rows)}.",
        style="dim",
    )
    _print_site(out, rows)
    compared = [row for row in rows if is_compared(row)]
    if compared:
        out.print("Ratio is the median divided by the published one.", style="dim")
        out.print("\nVerdicts of rows with a published median:", style="bold")
    for row in sorted(compared, key=lambda row: (row.payload_bytes or 0, *_by_median(row))):
        print_indented(out, Text(f"- {row.path}: ").append_text(verdict_text(link_verdict(row))), 2, hanging=True)
    _print_phases(out, rows)
    entries = {row.group for row in compared}
    others = [row for row in rows if row.group not in entries]
    if others:
        out.print(f"\nWhere the time goes{' in the other entries' if compared else ''}:", style="bold")
    several = len({row.payload_bytes for row in rows}) > 1
    for typical in _typical(others):
        payload = f" at {typical.payload_bytes} B" if several else ""
        print_indented(
            out, Text(f"- {typical.group}{payload}: ").append_text(verdict_text(link_verdict(typical))), 2, hanging=True
        )


def _print_site(out: Console, rows: Sequence[Capture[LinkRow]]) -> None:
    """Nothing is lost at a clean site: that is said of the site, and not of the radios."""
    radios = [row for row in rows if _SITE in row.target.settings]
    clean = sum(row.target.settings[_SITE] == _CLEAN for row in radios)
    if clean:
        where = "All radios stand" if clean == len(radios) else f"The radios of {count(clean, 'row')} stand"
        out.print(f"{where} at a clean site, without interference; loss_site sets another.", style="dim")


def _print_phases(out: Console, rows: Sequence[Capture[LinkRow]]) -> None:
    """Of rows that met few phases of a gate their figures say little, and a reader must know it."""
    found = [(row, one) for row in rows for one in row.findings if one.kind in PHASES_NOT_MET]
    if found:
        out.print("\nPhases that were not met:", style="bold")
    for row, finding in found[:_MOST_PHASES]:
        print_indented(out, Text(f"- {row.path}: {finding.sentence} {finding.next_step}"), 2, hanging=True)
    if len(found) > _MOST_PHASES:
        out.print(f"  and {len(found) - _MOST_PHASES} more", style="dim")


def _messages(rows: Sequence[Capture]) -> str:
    """How many there were: of each row where all have the same, else in all."""
    counts = {row.triggers for row in rows}
    if len(counts) == 1 and len(rows) > 1:
        return f"{count(len(rows), 'row')} of {count(counts.pop(), 'message')}"
    return f"{sum(row.triggers for row in rows):,} messages".replace(",", " ")


def _triggers(rows: Sequence[Capture[LinkRow]]) -> str:
    phrases = {row.target.trigger for row in rows}
    return phrases.pop() if len(phrases) == 1 else "by link, as the manifest has them"


def _table(rows: Sequence[Capture[LinkRow]], width: int) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", justify="right")
    table.add_column("link", overflow="fold", min_width=12)
    published = ("published", "ratio") if any(is_compared(row) for row in rows) else ()
    room = max(1, (width - _OTHER_WIDTH) // _PERCENTILE_WIDTH)
    percentiles = sorted(_PERCENTILES[-room:])
    for name in ("median", *published, *percentiles, "lost"):
        table.add_column(name, justify="right", no_wrap=True)
    for payload in sorted({row.payload_bytes or 0 for row in rows}):
        table.add_row(Text(""), Text(f"{payload} B", style="bold"))
        own = sorted((row for row in rows if (row.payload_bytes or 0) == payload), key=_by_median)
        for place, row in enumerate(own, start=1):
            names = ("p50", *percentiles)
            figures = ["-" if row.latency_ps is None else table_time(row.latency_ps[name]) for name in names]
            against = Text(ratio_text(row), style=ratio_style(ratio(row)))
            beside = (published_text(row.target.published), against) if published else ()
            cells = (str(place), row.group, figures[0], *beside, *figures[1:], _lost(row))
            table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))
    return table


def _by_median(row: Capture) -> tuple[bool, float, str]:
    latency = row.latency_ps
    return (latency is None, 0.0 if latency is None else latency["p50"], row.group)


def _lost(row: Capture) -> str:
    return percent(row.loss) if row.loss else ""


def _typical(rows: Sequence[Capture[LinkRow]]) -> list[Capture[LinkRow]]:
    """One row of every entry, the fastest entry first."""
    chosen: dict[str, Capture[LinkRow]] = {}
    for row in rows:
        best = chosen.get(row.group)
        if best is None or _distance(row) < _distance(best):
            chosen[row.group] = row
    return sorted(chosen.values(), key=_by_median)


def _distance(row: Capture) -> int:
    return abs((row.payload_bytes or 0) - _TYPICAL_BYTES)
