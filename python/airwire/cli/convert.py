"""``airwire convert``: a capture in another file format."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

import airwire
from airwire.cli.output import working
from airwire.cli.paths import Reads, Writes
from airwire.cli.plain import plain
from airwire.outputs import is_device


def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="SOURCE", help="A capture of any format that Airwire reads."),
        Reads("source"),
    ],
    destination: Annotated[
        Path,
        typer.Argument(
            metavar="DESTINATION",
            help="The file to write: .vcd, or .csv in Saleae's style; with .gz, .xz or .zst behind it compressed.",
        ),
        Writes("destination"),
    ],
    channel: Annotated[
        list[str] | None,
        typer.Option(metavar="CHANNEL", help="A channel to keep, by number or label; repeat for more. Default: all."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the destination if it exists.")] = False,
) -> None:
    """Write a capture in another format.

    As VCD (for GTKWave or PulseView) or as Saleae-style CSV. The file appears when it is complete; an interrupted
    conversion leaves nothing behind. Example: airwire convert session.sal edges.vcd --channel 0 --channel 1
    """
    from airwire.explain.quantities import time

    if destination.exists() and not (overwrite or is_device(destination)):
        raise typer.BadParameter(
            f"{destination} exists already; give --overwrite to replace it, or name another file",
            param_hint="DESTINATION",
        )
    with _left_by_its_reader(destination), working("Converting") as say:
        airwire.convert(
            source,
            destination,
            channels=channel or (),
            overwrite=overwrite,
            progress=lambda time_ps: say(f"Converting: {time(time_ps)} into the capture"),
        )
    # A pipe or a device may be standard output, where the capture itself stands.
    typer.echo(plain(f"Written: {destination}"), err=is_device(destination))


def _left_by_its_reader(destination: Path) -> AbstractContextManager[None]:
    """Have a pipe that its reader has left be an error with a sentence: it is the result, and not what is printed."""
    if not is_device(destination):
        return nullcontext()
    from airwire.sweep.processes import gone_ends_are_errors

    return gone_ends_are_errors()
