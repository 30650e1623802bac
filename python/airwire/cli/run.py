"""``airwire run``: a suite on the virtual bench to a ranking, a run folder and a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.bounds import complain_of_bounds, print_bounds
from airwire.cli.complaints import EXIT_NO_FIGURE, complain, complain_of_cut_short
from airwire.cli.output import finish, progress_bar, run_kept
from airwire.cli.paths import RUN, Writes
from airwire.cli.stopping import keeping
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from collections.abc import Callable

    from airwire.cli.output import Bar
    from airwire.model import Analysis, Capture

FEW_ROWS = 12
"""A run of more rows ends with a summary."""


def run(
    suite: options.Suite,
    samples: options.Samples = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=options.MAX_SEED,
            help="Seed of all random streams. Default: as the suite has it.",
            show_default=False,
        ),
    ] = None,
    only: options.Only = None,
    firmware: options.ImagesFolder = None,
    workers: options.Workers = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Run folder to write. Default: runs/<UTC time>-<suite>. Never overwritten.",
            show_default=False,
        ),
        Writes("run folder", is_folder=True, holds=RUN, makes_folders=True),
    ] = None,
    captures: Annotated[
        bool, typer.Option("--captures", help="Write a capture of every link's row into the run folder as well.")
    ] = False,
    report: options.ReportFile = None,
    figures: options.FiguresFolder = None,
    every_row: Annotated[
        bool,
        typer.Option("--all", "-v", help="Print the table and the verdicts of all rows, however many they are."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Run a suite: rank its links, and measure its boards.

    Every message is simulated in virtual time, with the gates, retries and queues of its link, or by the firmware on
    its virtual board; the same suite and seed give the same result. Up to 12 rows are printed as a table with their
    verdicts. A longer run ends with a summary, which names the causes that are worth most.
    Example: airwire run links --report links.html
    """
    from airwire.cli.environment import environment

    if json:
        refuse_unused(["--all"], "JSON has every row; leave it out")
    if firmware is not None and not _has_boards(suite):
        refuse_unused(["--firmware"], f"suite {suite} runs no images; leave it out")
    # Findings and intervals are for the report; the ranking needs neither but that few phases of a gate were met.
    in_depth = report is not None or figures is not None
    with progress_bar("Running the suite") as bar:
        analysis = airwire.run(
            suite,
            samples=samples,
            seed=seed,
            only=only or (),
            firmware=firmware,
            workers=workers,
            captures=captures,
            intervals=in_depth,
            findings=in_depth,
            out=out,
            environment=environment(),
            progress=bar,
            row_done=_teller(bar),
        )
    with keeping(run_kept(analysis)):
        publish(analysis, report, figures, json, every_row=every_row)


def _has_boards(suite: Path) -> bool:
    """Whether a suite may run images; what cannot be read here is complained of where it is read."""
    import tomllib

    from airwire.inputs import read_text
    from airwire.runs.packaged import find_suite

    try:
        return "boards" in tomllib.loads(read_text(find_suite(suite)))
    except (OSError, ValueError):
        return True


def _teller(bar: Bar) -> Callable[[Capture], None] | None:
    """What prints each row that is finished, where somebody looks."""
    if not bar.is_live:
        return None
    from airwire.cli.live_rows import row_line

    return lambda row: bar.tell(row_line(row))


def publish(
    analysis: Analysis, report: Path | None, figures: Path | None, as_json: bool, *, every_row: bool = False
) -> None:
    """Print a run, write what was asked for, and end with the exit code that fits."""
    from airwire.model import rows_with_figures

    worth_reading: str | None = None
    if as_json:
        from airwire.cli.json_object import print_object
        from airwire.cli.run_json import run_output

        print_object(run_output(analysis))
    elif every_row or len(analysis.captures) <= FEW_ROWS:
        from airwire.cli.board_rows import print_board_rows
        from airwire.cli.energy_lines import print_energies
        from airwire.cli.ranking import print_ranking

        print_ranking(analysis)
        print_board_rows(analysis)
        print_energies(analysis)
    else:
        from airwire.cli.run_summary import print_summary

        worth_reading = print_summary(analysis)
    if not as_json:
        print_bounds(analysis)
    without = [row for row in rows_with_figures(analysis) if row.target.figure is None]
    for row in without:
        complain(f"{row.path}: no figure: {row.target.problem}")
    cut_short = complain_of_cut_short(analysis)
    broken = complain_of_bounds(analysis)
    finish(analysis, ("row", "begun or finished"), report, figures, as_json)
    if worth_reading is not None:
        from airwire.cli.run_summary import print_next_steps

        print_next_steps(analysis, worth_reading, has_report=report is not None)
    if without or cut_short or broken:
        raise typer.Exit(EXIT_NO_FIGURE)
