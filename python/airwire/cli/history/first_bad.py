"""``airwire history first-bad``: the first bad run between two commits, runs or images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import completion, options
from airwire.cli.file_kinds import HISTORY
from airwire.cli.history.options import DATABASE, Metric, Row
from airwire.cli.output import working
from airwire.cli.paths import Reads, Writes, everything
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from airwire.history.bisection import FirstBad

_SHARE = 0.05


def first_bad(
    row: Row,
    good: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What is good: a commit, a label, a run, or an image's name.", show_default=False
        ),
    ],
    bad: Annotated[str, typer.Option(metavar="NAME", help="What is bad, likewise.", show_default=False)],
    images: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Images that are at hand, called by their commits, or in the order of their names. Default: recorded "
            "runs alone.",
            show_default=False,
        ),
        Reads("folder of images", holds=everything),
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(
            metavar="SUITE",
            autocompletion=completion.suites,
            help="The suite whose entry of this name images are run with.",
            show_default=False,
        ),
        Reads("suite"),
    ] = None,
    worse_by: Annotated[
        float,
        typer.Option(
            parser=options.growth,
            metavar="SHARE",
            help="How much worse than the good one is bad, such as 10%, where the 95 % interval excludes 0. "
            "Default: 5%.",
            show_default=False,
        ),
    ] = _SHARE,
    metric: Metric = "figure",
    database: Annotated[
        Path,
        typer.Option("--database", metavar="FILE", help="The data base; what images give is added to it."),
        Writes("history", kinds=(HISTORY,), makes_folders=True),
    ] = DATABASE,
    json: options.Json = False,
) -> None:
    """Find the first bad run between a good and a bad one.

    Between two commits, recorded runs, or images of a folder, by halves. An image is run with the suite where its
    figure is not recorded.
    Example: airwire history first-bad pingpong --good v1 --bad v9 --images old --suite bench.toml
    """
    from airwire.history.bisection import Measurer, candidates_of, check_images, find_first_bad
    from airwire.history.store import History

    if images is None:
        refuse_unused(["--suite"], "recorded runs need none; name a folder of images, or leave it out")
    else:
        # Before a data base is begun for what they give.
        check_images(images, None if suite is None else str(suite), row)
    with History(database, create=images is not None) as history, working("Looking for the first bad one"):
        candidates = candidates_of(history, row, metric, good, bad, images)
        measure = Measurer(history, None if suite is None else str(suite), row, metric)
        found = find_first_bad(row, candidates, measure, worse_by)
    if json:
        from airwire.cli.history.output import first_bad_output
        from airwire.cli.json_object import print_object

        print_object(first_bad_output(found))
    else:
        _print(found)


def _print(found: FirstBad) -> None:
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console
    from airwire.cli.verdict_lines import BETTER, SLOW
    from airwire.history.words import change_words, figure_words, first_bad_sentence

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("looked at", "figure", "from the good one", ""):
        table.add_column(name, overflow="fold")
    for probe in found.probes:
        verdict = Text("bad", style=SLOW) if probe.is_bad else Text("good", style=BETTER)
        table.add_row(Text(probe.name), Text(figure_words(probe.figure)), Text(change_words(probe.change)), verdict)
    print_table(console(), table)
    print(f"{first_bad_sentence(found)}.")
