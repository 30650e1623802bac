"""``airwire history``: a data base of runs; a file for each command."""

from __future__ import annotations

import typer

from airwire.cli.help import GroupedCommands
from airwire.cli.history.add import add
from airwire.cli.history.export import export
from airwire.cli.history.first_bad import first_bad
from airwire.cli.history.list_runs import list_runs
from airwire.cli.history.trend import trend
from airwire.cli.paths import CheckedCommand

app = typer.Typer(
    name="history",
    help="Keep runs in a data base: add, trend, first-bad, and more.\n\n"
    "One file holds the figures of all runs, with image, settings, host and commit. "
    "Any number of processes may add to it at a time.",
    cls=GroupedCommands,
    invoke_without_command=True,
    rich_markup_mode=None,
)
app.command(cls=CheckedCommand)(add)
app.command("list", cls=CheckedCommand)(list_runs)
app.command(cls=CheckedCommand)(trend)
app.command("first-bad", cls=CheckedCommand)(first_bad)
app.command(cls=CheckedCommand)(export)


@app.callback()
def _without_command(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
