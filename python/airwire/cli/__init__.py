"""The command ``airwire``: one file per command, each of which parses, calls the API and prints.

Exit codes: 0 all is well; 1 a goal of ``validate --strict`` was missed, a bound of a suite is broken, a row has become
slower than ``compare --slower-than`` allows, or an image on a virtual board faulted or never printed what was awaited;
2 something that the user gave cannot be used (the good part of a batch is still done); 70 a fault of Airwire itself;
130 stopped by Ctrl-C (what was finished is kept).
"""

from __future__ import annotations

from typing import Annotated

import typer

from airwire.cli import completion
from airwire.cli.guard import guarded
from airwire.cli.help import BOARDS, CONTEXT, FILES, MEASURE, SIMULATE
from airwire.cli.loading import Declared, commands_of


def _in_its_file(panel: str, *names: str) -> tuple[Declared, ...]:
    """Commands whose function and file are called as they are."""
    return tuple(Declared(name, panel, f"{__name__}.{name}", name) for name in names)


COMMANDS = (
    *_in_its_file(SIMULATE, "why", "demo", "run", "sweep", "choose", "tune", "links", "link", "validate"),
    *_in_its_file(BOARDS, "flash"),
    Declared("probe", MEASURE, "airwire.cli.probe", "probe"),
    Declared("serve", MEASURE, "airwire.cli.probe", "serve"),
    *_in_its_file(MEASURE, "twin", "capture", "analyze", "explain", "compare", "report", "live", "convert", "waveform"),
    Declared("fsdata", FILES, "airwire.cli.fsdata", "fsdata", parsed_by="Renamed"),
    *_in_its_file(FILES, "schema"),
    Declared("help", FILES, "airwire.cli.help", "help_"),
    Declared("board", BOARDS, "airwire.cli.board", "app"),
    Declared("history", MEASURE, "airwire.cli.history", "app"),
)
"""All commands, in the order in which each group of them is shown."""

app = typer.Typer(
    name="airwire",
    help="The test bench for microcontroller network links: what a link's latency is, and why.",
    epilog="Start with: airwire demo, then airwire why on an image of yours and airwire analyze on your captures. "
    "airwire help COMMAND tells all of one. "
    "Exit codes: 0 all is well, 1 a goal or bound was missed (validate --strict, run, compare --slower-than) or an "
    "image failed (board run), 2 bad input "
    "(the good files of a batch are still done), 130 stopped by Ctrl-C.",
    cls=commands_of(COMMANDS),
    context_settings=CONTEXT,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from airwire import _core

        typer.echo(f"airwire {_core.__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """The test bench for microcontroller network links: what a link's latency is, and why."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> None:
    """Run the command line; every error of the user's ends in one sentence and a documented exit code."""
    guarded(_run)


def _run() -> int | None:
    completion.prepare()
    code: int | None = app(prog_name="airwire", standalone_mode=False)
    return code
