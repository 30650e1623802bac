"""``airwire board``: firmware images on virtual boards; a file for each command."""

from __future__ import annotations

import typer

from airwire.cli.board.boards import check, header, list_boards
from airwire.cli.board.profile import profile
from airwire.cli.board.run import run
from airwire.cli.board.serve import serve
from airwire.cli.board.settings import settings
from airwire.cli.help import GroupedCommands
from airwire.cli.paths import CheckedCommand

app = typer.Typer(
    name="board",
    help="Run an image on a virtual board: run, serve, profile, and more.\n\n"
    "Firmware images run unmodified, on a virtual RP2040 in virtual time.",
    cls=GroupedCommands,
    invoke_without_command=True,
    rich_markup_mode=None,
)
app.command(cls=CheckedCommand)(run)
app.command(cls=CheckedCommand)(serve)
app.command(cls=CheckedCommand)(profile)
app.command(cls=CheckedCommand)(settings)
app.command("list", cls=CheckedCommand)(list_boards)
app.command(cls=CheckedCommand)(check)
app.command(cls=CheckedCommand)(header)


@app.callback()
def _without_command(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
