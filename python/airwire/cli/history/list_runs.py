"""``airwire history list``: what the data base holds."""

from __future__ import annotations

from typing import Annotated

import typer

from airwire.cli import completion, options
from airwire.cli.history.options import DATABASE, Database


def list_runs(
    row: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.rows_of_history,
            help="Only runs that have this row.",
            show_default=False,
        ),
    ] = None,
    database: Database = DATABASE,
    json: options.Json = False,
) -> None:
    """List the runs of the data base, the earliest first, and its rows.

    Example: airwire history list --row lora/12B
    """
    from airwire.cli.history.output import ListOutput, run_object
    from airwire.cli.json_object import print_object
    from airwire.history.records import FIGURE
    from airwire.history.store import History
    from airwire.history.trends import check_row

    with History(database) as history:
        if row is not None:
            check_row(history, row, FIGURE)
        runs, rows = history.runs(row), history.rows()
    if json:
        print_object(ListOutput(database=str(database), runs=[run_object(run) for run in runs], rows=rows))
        return
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("run", "suite", "begun", "host", "commit", "label", "from"):
        table.add_column(name, overflow="fold")
    for run in runs:
        begun = (run.started or "")[:19]
        cells = (run.id[:12], run.suite, begun, run.host, (run.commit or "")[:12], run.label, run.source)
        table.add_row(*(Text(cell or "") for cell in cells))
    print_table(console(), table)
    print(f"Rows: {', '.join(rows)}")
