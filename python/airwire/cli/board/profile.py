"""``airwire board profile``: where an image's cycles go, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airwire.cli import options as common
from airwire.cli.board import options
from airwire.cli.board.opened import open_board
from airwire.cli.board.run import exit_by
from airwire.cli.output import writing
from airwire.cli.paths import Writes
from airwire.cli.unused import refuse_unused
from airwire.outputs import write_file


def profile(
    image: options.Image,
    board: options.BoardName = None,
    for_: options.For = None,
    until: options.Until = None,
    send: options.Send = None,
    symbols: options.Symbols = None,
    set_: options.Set = None,
    rom: options.Rom = None,
    seed: options.Seed = 1,
    network: options.Network = None,
    traffic: options.Traffic = None,
    impair: options.Impair = None,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a flame graph as SVG.", show_default=False),
        Writes("flame graph", kinds=(".svg",)),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a trace for ui.perfetto.dev as well.", show_default=False),
        Writes("trace", kinds=(".json",)),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="Functions in the table.")] = 20,
    json: common.Json = False,
) -> None:
    """Count the cycles of every function of an image.

    Its own, with what it called, and its calls. Every instruction is looked at, so this is slower than airwire board
    run, and the figures are exact. Examples: airwire board profile firmware.elf --for 100ms --svg firmware.svg; airwire
    board profile http.elf --traffic "http to=board requests=100"
    """
    from airwire import _core

    if json:
        refuse_unused(["--top"], "JSON has every function; leave it out")
    device = open_board(
        image,
        board,
        symbols=symbols,
        set_=set_,
        rom=rom,
        seed=seed,
        network=network,
        traffic=traffic,
        impair=impair,
        for_=for_,
    )
    if trace is None:
        device.start_profile()
    else:
        device.start_trace(trace)
    report = device.run(
        options.time_left(device, for_),
        until=None if until is None else _core.unescaped(until),
        send=options.typed(send),
    )
    written = [("Trace", trace)]
    if trace is not None:
        device.end_trace()
    profiled = device.end_profile(f"{Path(image).name} on {device.name}")
    if svg is not None:
        with writing(svg):
            write_file(svg, profiled.flame_graph)
        written.append(("Flame graph", svg))
    if json:
        from airwire.cli.board.objects import profile_output
        from airwire.cli.json_object import print_object

        print_object(profile_output(report, profiled))
    else:
        from airwire.cli.board.report import print_profile

        print(f"{report.sentence[0].upper()}{report.sentence[1:]}.")
        print_profile(profiled, top)
        for what, path in written:
            if path is not None:
                print(f"{what}: {path}")
    exit_by(report)
