"""``airwire analyze``: captures to a table of latencies and findings; to a run folder and a report on demand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.output import finish, progress_bar, run_kept
from airwire.cli.paths import RUN, Writes
from airwire.cli.standard_input import named, with_standard_input
from airwire.cli.stopping import keeping

if TYPE_CHECKING:
    from airwire.model import Analysis


def analyze(
    paths: options.CapturePaths,
    trigger: options.Trigger = "0",
    done: options.Done = "1",
    pairing: options.Pairing = "strict",
    glitch: options.Glitch = None,
    min_latency: options.MinLatency = None,
    max_latency: options.MaxLatency = None,
    payload: options.Payload = None,
    gate: options.Gate = None,
    seed: options.Seed = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Run folder to write, for airwire report and compare. Never overwritten. Default: none is written.",
            show_default=False,
        ),
        Writes("run folder", is_folder=True, holds=RUN, makes_folders=True),
    ] = None,
    no_run_folder: Annotated[bool, typer.Option("--no-run-folder", hidden=True)] = False,
    report: options.ReportFile = None,
    figures: options.FiguresFolder = None,
    json: options.Json = False,
) -> None:
    """Measure the latencies in captures, and say what is behind them.

    Pairs every trigger edge with its done edge, accounts for every edge that has no partner, prints percentiles
    (type 7: linear interpolation between order statistics), and finds gates, frozen phases, combs, steps, drift,
    bursts and losses. A path of - is a capture from standard input.
    Example: airwire analyze captures/ --report out.html
    """
    from airwire.cli.environment import environment

    if no_run_folder and out is not None:
        raise typer.BadParameter("--out asks for one; leave one of them out", param_hint="--no-run-folder")
    with with_standard_input(paths) as files:
        with progress_bar("Analysing captures") as progress:
            analysis = airwire.analyze(
                files,
                trigger=trigger,
                done=done,
                pairing=options.pairing_rule(pairing),
                glitch=glitch,
                min_latency=min_latency or 0,
                max_latency=max_latency,
                payload_bytes=payload,
                gate=gate,
                seed=seed,
                out=out,
                environment=environment(),
                progress=progress,
            )
        with keeping(run_kept(analysis)):
            publish(named(analysis, files), report, figures, json)


def publish(analysis: Analysis, report: Path | None, figures: Path | None, as_json: bool) -> None:
    """Print an analysis, write what was asked for, and end with the exit code that fits."""
    if as_json:
        from airwire.cli.json_object import print_object
        from airwire.cli.json_output import analysis_output

        print_object(analysis_output(analysis))
    else:
        from airwire.cli.tables import print_analysis

        print_analysis(analysis)
    finish(analysis, ("capture", "finished"), report, figures, as_json)
