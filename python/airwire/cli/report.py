"""``airwire report``: a run folder to a page and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.output import working, writing
from airwire.cli.paths import RUN, Reads, Writes
from airwire.cli.plain import plain


def report(
    run: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="A run folder, as airwire analyze writes it."),
        Reads("run folder", holds=RUN, reserved=True),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The HTML page. Default: report.html in the run folder.", show_default=False),
        Writes("report", kinds=(".html",)),
    ] = None,
    figures: options.FiguresFolder = None,
    gate: options.Gate = None,
) -> None:
    """Make a self-contained HTML report of a run folder.

    The statistics and findings are computed again from the samples, so that a report can be made long after the
    measurement. Example: airwire report runs/20260102T030405Z-captures --out report.html
    """
    from airwire.report import write_figures, write_html

    page = out or run / "report.html"
    with working("Drawing the report"):
        analysis = airwire.load_run(run, gate=gate)
        with writing(page):
            write_html(analysis, page)
        if figures is not None:
            with writing(figures):
                write_figures(analysis, figures)
    typer.echo(plain(f"Report: {page}"))
    if figures is not None:
        typer.echo(plain(f"Figures: {figures}"))
