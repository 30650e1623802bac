"""``airwire why``: why an image is slow, in ten lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import options
from airwire.cli.board import options as board_options
from airwire.cli.complaints import EXIT_NO_FIGURE, complain
from airwire.cli.output import run_kept, working, write_report
from airwire.cli.paths import RUN, Reads, Writes
from airwire.cli.stopping import keeping

if TYPE_CHECKING:
    from airwire.diagnosis.answer import Answer


def why(
    image: board_options.Image,
    board: board_options.NetworkBoardName = None,
    traffic: board_options.Traffic = None,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="IMAGE", help="Measure this image likewise, and say how they differ.", show_default=False),
        Reads("image"),
    ] = None,
    symbols: board_options.Symbols = None,
    set_: board_options.Set = None,
    network: board_options.Network = None,
    seed: board_options.Seed = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep the run folder there. Default: it is not kept.", show_default=False),
        Writes("run folder", is_folder=True, holds=RUN, makes_folders=True),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Say why an image is slow, and what to change first.

    What it does on its network, how fast, and what its time goes to. The board is found from what the image says to its
    chip, and the traffic from what it does on the network. Everything is simulated in virtual time. Example: airwire
    why my.uf2
    """
    from airwire.diagnosis.answer import why as ask

    def asked(of: Path, kept: Path | None) -> Answer:
        with working(f"Looking at {of.name}") as doing:
            return ask(
                of,
                board=board,
                symbols=symbols if of == image else None,
                traffic=traffic or (),
                network=network,
                settings=options.settings_of(set_),
                seed=seed,
                out=kept,
                progress=doing,
            )

    answer = asked(image, out)
    with keeping(None if answer.analysis is None else run_kept(answer.analysis)):
        other = None if compare is None else asked(compare, None)
        written = [] if answer.analysis is None else write_report(answer.analysis, report, None)
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.why_json import why_output

        print_object(why_output(answer, other))
    else:
        from airwire.cli.why_lines import print_answer

        print_answer(answer, other, [path for _, path in written if path is not None])
    failed = [one for one in (answer, other) if one is not None and one.reason is not None]
    for one in failed:
        complain(f"{Path(one.image).name} cannot be measured: {one.reason}")
        if one.found is not None and one.row is None:
            for note in one.found.run.notes:
                complain(f"note: {note}")
    if failed:
        raise typer.Exit(EXIT_NO_FIGURE)
