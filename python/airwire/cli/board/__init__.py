"""``airwire board``: firmware images on virtual boards; a file for each command."""

from __future__ import annotations

import typer

from airwire.cli.board.boards import check, header, list_boards
from airwire.cli.board.profile import profile
from airwire.cli.board.run import run
from airwire.cli.board.serve import serve
from airwire.cli.board.settings import settings

app = typer.Typer(
    name="board",
    help="Run firmware images, unmodified, on a virtual RP2040 in virtual time.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command()(run)
app.command()(serve)
app.command()(profile)
app.command()(settings)
app.command("list")(list_boards)
app.command()(check)
app.command()(header)
