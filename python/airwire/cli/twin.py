"""``airwire twin``: a real board beside its virtual twin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import options
from airwire.cli.board import options as board_options
from airwire.cli.complaints import EXIT_NO_FIGURE
from airwire.cli.output import run_kept, working, write_report
from airwire.cli.paths import RUN, Writes
from airwire.cli.stopping import keeping

if TYPE_CHECKING:
    from airwire.twins import Twin

_BAR = 30


def twin(
    image: board_options.Image,
    address: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The real board, such as 192.168.1.50 or 192.168.1.50:8080.", show_default=False
        ),
    ],
    board: board_options.BoardName = None,
    symbols: board_options.Symbols = None,
    set_: board_options.Set = None,
    samples: Annotated[int, typer.Option(metavar="N", min=50, max=1_000_000, help="Messages of either.")] = 1000,
    seed: board_options.Seed = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Run folder to write. Default: runs/<UTC time>-twin. Never overwritten.",
            show_default=False,
        ),
        Writes("run folder", is_folder=True, holds=RUN, makes_folders=True),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Hold a board against its virtual twin, and name what differs.

    Runs the same traffic against the board at the address and against the image on its virtual board, and subtracts.
    Where both disagree, the twin tries other settings, and names those with which it behaves as the board does; the
    exit code is 1 then. Example: airwire twin my.uf2 --address 192.168.1.50
    """
    from airwire.cli.environment import environment
    from airwire.twins import twin as compare
    from airwire.twins.page import opening, title

    with working(f"Looking at {image.name}") as doing:
        found = compare(
            image,
            address,
            board=board,
            symbols=symbols,
            settings=options.settings_of(set_),
            samples=samples,
            seed=seed,
            out=out,
            environment=environment(),
            progress=doing,
        )
    with keeping(run_kept(found.analysis)):
        written = write_report(found.analysis, report, None, title=title(found), opening=opening(found))
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.twin_json import twin_output

        print_object(twin_output(found))
    else:
        _print(found)
        for what, path in [("Run folder", found.analysis.run_folder), *written]:
            if path is not None:
                print(f"{what}: {path}")
    if not found.agrees:
        raise typer.Exit(EXIT_NO_FIGURE)


def _print(found: Twin) -> None:
    """The parts of the median as bars, the verdict, and what stands behind it."""
    from rich.text import Text

    from airwire.cli.tables import console
    from airwire.cli.verdict_lines import AGREES, SLOW, print_indented
    from airwire.explain.quantities import rough_time, table_time
    from airwire.twins.sentences import details, open_name, part_name, verdict_line

    out = console()
    median = found.real.statistic("p50")
    theirs = table_time(found.virtual.statistic("p50"))
    out.print(f"{Path(found.image).name} at {found.address}: median {table_time(median)}, of its twin {theirs}")
    verdict_style = AGREES if found.agrees else SLOW
    rows = [(part_name(part.kind), part.ps, "") for part in found.parts if part.ps > 0]
    rows.append((open_name(found), found.open_ps, verdict_style))
    widest = max(len(name) for name, _, _ in rows)
    most = max(median, *(abs(ps) for _, ps, _ in rows))
    for name, ps, style in rows:
        bar = "#" * round(_BAR * abs(ps) / most)
        sign = "-" if ps < 0 else ""
        line = Text(f"  {name:{widest}}  {sign + rough_time(abs(ps)):>9}  ")
        out.print(line.append(bar, style=style), no_wrap=True, overflow="crop")
    print_indented(out, Text(f"{verdict_line(found)}.", style=verdict_style), 0)
    for detail in details(found):
        print_indented(out, Text(detail, style="dim"), 2)
