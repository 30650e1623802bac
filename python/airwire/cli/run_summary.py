"""A run of many rows in one screen: how many agree with what was published, and the causes that are worth most.

Every row's figure and verdict is in ``airwire run --all``, all that is to be said of one in ``airwire explain``.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from airwire.board.row import BoardRow
from airwire.cli.fitting import print_table
from airwire.cli.ranking import PHASES_NOT_MET
from airwire.cli.tables import console
from airwire.cli.verdict_lines import AGREES, BETTER, DIFFERS, SLOW, cut
from airwire.explain.agreement import AGREEMENT, Agreement, of_boards, of_links
from airwire.explain.link.run import overload_sentence
from airwire.explain.quantities import count, table_time
from airwire.explain.verdict import Gain, Verdict
from airwire.explain.verdicts import verdicts_of
from airwire.kinds import Cause
from airwire.link.model import LinkRow
from airwire.model import Analysis, Capture, rows_of_boards, rows_of_links

# Of a terminal with 24 lines the end of a run takes these at most.
_MOST_CAUSES = 5
_MOST_PAYLOADS = 4
_MOST_KINDS = 3
_PERCENT = f"{100 * AGREEMENT:.0f} %"
_KINDS: Mapping[Cause, str] = {
    "air": "air",
    "gate": "slots or ticks",
    "bus": "a line",
    "cpu": "firmware",
    "protocol": "protocol",
    "retry": "repeats",
    "queue": "messages before",
}


def print_summary(analysis: Analysis) -> str | None:
    """Links and boards, a few lines each; gives the row that is worth reading about first."""
    out = console()
    links, boards = rows_of_links(analysis), rows_of_boards(analysis)
    gains = largest_gains(boards)
    if links:
        _print_links(out, links)
    if boards:
        _print_boards(out, boards, gains)
    return gains[0].row.path if gains else _longest(links)


def print_next_steps(analysis: Analysis, row: str, has_report: bool) -> None:
    """What to type next, for a run of many rows."""
    if analysis.run_folder is None:
        return
    folder = shlex.quote(analysis.run_folder)
    print(f"Next: airwire explain {folder} {shlex.quote(row)}")
    if not has_report:
        print(f"      airwire report {folder}")


def _longest(rows: Sequence[Capture[LinkRow]]) -> str | None:
    """The slowest row that delivered anything."""
    found = [row for row in rows if row.latency_ps is not None]
    return max(found, key=lambda row: row.statistic("p50")).path if found else None


def _print_boards(out: Console, rows: Sequence[Capture[BoardRow]], gains: Sequence[CauseInRows]) -> None:
    out.print(Text(f"{count(len(rows), 'row')} on virtual boards", style="bold"))
    _print_agreement(out, of_boards(rows), "published figures")
    without = sum(row.target.figure is None for row in rows)
    if without:
        out.print(Text(f"  {count(without, 'row')} without a figure", style=SLOW))
    if gains:
        out.print("  Causes that a change would mend, by the largest estimated gain:")
    for one in gains[:_MOST_CAUSES]:
        _print_gain(out, one)


def _print_agreement(out: Console, found: Agreement, what: str) -> None:
    if found.compared + found.open == 0:
        return
    line = Text("  ")
    if found.compared:
        line.append(f"{found.agree} of {found.compared}", style=AGREES)
        line.append(f" {what} are met within {_PERCENT}")
        if found.differ:
            line.append("; ").append(f"{found.differ} differ", style=DIFFERS)
    if found.open:
        line.append(f"{'; ' if found.compared else ''}{found.open} of another setup")
    out.print(cut(line, out.width), no_wrap=True)


@dataclass(frozen=True, slots=True)
class CauseInRows:
    """A kind of cause with the row that would gain most."""

    row: Capture[BoardRow]
    verdict: Verdict
    gain: Gain
    rows: int


def largest_gains(rows: Sequence[Capture[BoardRow]]) -> list[CauseInRows]:
    """Of each kind of cause the row that gains most from its change, the largest first."""
    found: dict[str, CauseInRows] = {}
    for row in rows:
        for verdict in verdicts_of(row)[:1]:
            if verdict.gain is None:
                continue
            before = found.get(verdict.kind)
            one = CauseInRows(row, verdict, verdict.gain, 1 if before is None else before.rows + 1)
            if before is not None and before.gain.factor >= verdict.gain.factor:
                one = CauseInRows(before.row, before.verdict, before.gain, one.rows)
            found[verdict.kind] = one
    return sorted(found.values(), key=lambda one: -one.gain.factor)


def _print_gain(out: Console, one: CauseInRows) -> None:
    factor = f"x {one.gain.factor:.3g}" if one.gain.factor < 1000 else f"x {one.gain.factor:.0f}"
    line = Text(f"  {factor:>7}  ", style=BETTER)
    line.append(one.verdict.cause, style=SLOW).append(f": {one.verdict.change}", style="none")
    out.print(cut(line, out.width), no_wrap=True)
    where = "in" if one.rows == 1 else f"in {one.rows} rows, most in"
    out.print(cut(Text(f"{'':11}{where} {one.row.path}: {one.gain.text}", style="dim"), out.width), no_wrap=True)


def _print_links(out: Console, rows: Sequence[Capture[LinkRow]]) -> None:
    links = len({row.target.name for row in rows})
    out.print(Text(f"{count(len(rows), 'row')} of {count(links, 'modelled link')}", style="bold"))
    _print_agreement(out, of_links(rows), "published medians")
    print_table(out, _extremes(out, rows))
    # The budget is at hand; spans of so many rows would have to be read.
    kinds = Counter(max(row.target.budget, key=lambda stage: stage.ps).cause for row in rows if row.target.budget)
    told = [f"{_KINDS.get(kind, kind)} in {number}" for kind, number in kinds.most_common(_MOST_KINDS)]
    if told:
        out.print(cut(f"  Rows by what takes most of the time: {', '.join(told)}", out.width), no_wrap=True)
    few_phases = sum(any(one.kind in PHASES_NOT_MET for one in row.findings) for row in rows)
    if few_phases:
        line = f"  {count(few_phases, 'row')} met few phases of a gate: figures of these phases only (--all says which)"
        out.print(cut(Text(line, style=SLOW), out.width), no_wrap=True)
    overloaded = sum(overload_sentence(row) is not None for row in rows)
    if overloaded:
        out.print(Text(f"  {count(overloaded, 'row')} overloaded: messages come too fast for the link", style=SLOW))


def _extremes(out: Console, rows: Sequence[Capture[LinkRow]]) -> Table:
    """The fastest and the slowest link at each payload."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  payload", justify="right", no_wrap=True)
    width = (out.width - 36) // 2
    for name in ("fastest", "slowest"):
        table.add_column(name, no_wrap=True)
        table.add_column("median", justify="right", no_wrap=True)
    by_payload: dict[int, list[Capture[LinkRow]]] = {}
    for row in rows:
        if row.latency_ps is not None:
            by_payload.setdefault(row.payload_bytes or 0, []).append(row)
    for payload in sorted(by_payload)[:_MOST_PAYLOADS]:
        ranked = sorted(by_payload[payload], key=lambda row: row.statistic("p50"))
        cells = [
            cell
            for row, style in ((ranked[0], BETTER), (ranked[-1], SLOW))
            for cell in (cut(row.group, width), Text(table_time(row.statistic("p50")), style=style))
        ]
        table.add_row(Text(f"{payload} B"), *cells)
    return table
