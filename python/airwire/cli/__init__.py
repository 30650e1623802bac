"""The command ``airwire``: one file per command, each of which parses, calls the API and prints.

Exit codes: 0 all is well; 1 a goal of ``validate --strict`` was missed, a bound of a suite is broken, a row has become
slower than ``compare --slower-than`` allows, or an image on a virtual board faulted or never printed what was awaited;
2 something that the user gave cannot be used (the good part of a batch is still done); 70 a fault of Airwire itself;
130 stopped by Ctrl-C (what was finished is kept).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import typer

from airwire.cli import completion
from airwire.cli.analyze import analyze
from airwire.cli.board import app as board
from airwire.cli.capture import capture
from airwire.cli.choose import choose
from airwire.cli.compare import compare
from airwire.cli.convert import convert
from airwire.cli.demo import demo
from airwire.cli.explain import explain
from airwire.cli.flash import flash
from airwire.cli.fsdata import OLD_NAMES, fsdata
from airwire.cli.guard import guarded
from airwire.cli.help import BOARDS, CONTEXT, FILES, MEASURE, SIMULATE, GroupedCommands, help_
from airwire.cli.history import app as history
from airwire.cli.link import link
from airwire.cli.links import links
from airwire.cli.live import live
from airwire.cli.paths import CheckedCommand, renamed
from airwire.cli.probe import probe, serve
from airwire.cli.report import report
from airwire.cli.run import run
from airwire.cli.schema import schema
from airwire.cli.sweep import sweep
from airwire.cli.tune import tune
from airwire.cli.twin import twin
from airwire.cli.validate import validate
from airwire.cli.waveform import waveform
from airwire.cli.why import why

app = typer.Typer(
    name="airwire",
    help="The test bench for microcontroller network links: what a link's latency is, and why.",
    epilog="Start with: airwire demo, then airwire why on an image of yours and airwire analyze on your captures. "
    "airwire help COMMAND tells all of one. "
    "Exit codes: 0 all is well, 1 a goal or bound was missed (validate --strict, run, compare --slower-than) or an "
    "image failed (board run), 2 bad input "
    "(the good files of a batch are still done), 130 stopped by Ctrl-C.",
    cls=GroupedCommands,
    context_settings=CONTEXT,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_GROUPS: Mapping[str, Sequence[Callable[..., None]]] = {
    SIMULATE: (why, demo, run, sweep, choose, tune, links, link, validate),
    BOARDS: (flash,),
    MEASURE: (probe, serve, twin, capture, analyze, explain, compare, report, live, convert, waveform),
    FILES: (fsdata, schema),
}
_CLASSES = {fsdata: renamed(OLD_NAMES)}
for _group, _commands in _GROUPS.items():
    for _command in _commands:
        app.command(cls=_CLASSES.get(_command, CheckedCommand), rich_help_panel=_group)(_command)
app.command("help", cls=CheckedCommand, rich_help_panel=FILES)(help_)
app.add_typer(board, rich_help_panel=BOARDS)
app.add_typer(history, rich_help_panel=MEASURE)


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
