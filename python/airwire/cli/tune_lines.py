"""What ``airwire tune`` prints for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from airwire.tune import Tuning


def print_tuning(found: Tuning, written: Sequence[Path]) -> None:
    """The verdict, what bound, each knob's worth, before and after, and the files."""
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console
    from airwire.tune.sentences import (
        before_and_after,
        counted,
        never_measured,
        verdict_line,
        worth_head,
        worth_row,
    )

    out = console()
    out.print(Text(f"{verdict_line(found)}.", style="bold"))
    for one in found.binding:
        out.print(Text(f"- {one.option} binds: {one.evidence}."))
    for one in found.spare:
        out.print(Text(f"- {one.option} is more than is used: {one.evidence}."))
    if found.own_file is not None and found.own_file.others:
        count = len(found.own_file.others)
        out.print(
            Text(f"- {count} other options of the file belong to its port; the bench ran with its own.", style="dim")
        )
    if found.worths:
        rows = [worth_row(worth, found) for worth in found.worths]
        out.print()
        print_table(out, _table(worth_head(found), rows))
    out.print()
    print_table(out, _table(("figure", "before", "after"), before_and_after(found)))
    known = sum(one.refused is None for one in found.candidates) > found.fresh
    kept = f"; {found.fresh} of these measurements now, the others are from before" if known else ""
    out.print(Text(f"\n{counted(found)}{kept}; seed {found.seed}. {_how(found)}", style="dim"))
    for sentence in never_measured(found):
        out.print(Text(sentence, style="dim"))
    for path in written:
        print(f"Written: {path}")


def _how(found: Tuning) -> str:
    if found.interrupted:
        return "The search was stopped: before and after are as it measured them."
    return "Before and after are measured anew with another seed."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for place, name in enumerate(head):
        table.add_column(name, overflow="fold", justify="left" if place in (0, len(head) - 1) else "right")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
