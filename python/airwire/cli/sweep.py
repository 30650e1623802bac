"""``airwire sweep``: the rows of a suite over axes and seeds, here or on a cluster, into one data set with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import completion, options
from airwire.cli.complaints import EXIT_BAD_INPUT, complain
from airwire.cli.output import progress_bar, working, writing
from airwire.cli.paths import Reads, Writes, parts_of
from airwire.cli.stopping import keeping, stopped
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from airwire.sweep.running import Sweep

MAX_POINTS = 1_000_000
_PATIENCE_PS = 60 * 10**12
_PS_PER_S = 10**12
SWEEP = parts_of(("sweep.json", "environment.json", "failed.json", "journal.jsonl", "points", "files"))
_FAILURES_TOLD = 5


def sweep(
    suite: options.Suite,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            autocompletion=completion.axes,
            help="What to vary: a setting of the link or the image, payload, samples, limit, firmware, network, "
            "peer.NAME or network.TABLE.FIELD; ENTRY.NAME means one entry alone. VALUES are a list (12,128,1024) or a "
            "range (7..12, 1ms..10ms:3ms, 2MHz..32MHz*2).",
            show_default=False,
        ),
    ] = None,
    latin: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            max=MAX_POINTS,
            help="Draw so many combinations as a Latin hypercube. Default: run all of them.",
            show_default=False,
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Run the combinations of a CSV file: a column for each axis, and perhaps one called entry.",
            show_default=False,
        ),
        Reads("list of runs"),
    ] = None,
    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, max=MAX_POINTS, help="Run each combination with so many seeds.")
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=options.MAX_SEED - MAX_POINTS,
            help="The first seed. Default: as the suite has it.",
            show_default=False,
        ),
    ] = None,
    samples: options.Samples = None,
    only: options.Only = None,
    firmware: options.ImagesFolder = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=options.MAX_WORKERS,
            help="Processes of this machine; the result is the same for any. Default: all cores.",
            show_default=False,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786.",
            show_default=False,
        ),
    ] = None,
    wait: Annotated[
        int,
        typer.Option(
            parser=options.past_time,
            metavar="TIME",
            help="How long a cluster may be without any worker, for example 5s. Default: 60s.",
            show_default=False,
        ),
    ] = _PATIENCE_PS,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the data set goes; one of the same sweep goes on. Default: runs/sweep-<suite>-<digest>.",
            show_default=False,
        ),
        Writes("sweep", is_folder=True, holds=SWEEP, makes_folders=True),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Run a suite over axes and seeds, on all cores or on a cluster.

    Each point is a row of the suite with other values, and a line of one Parquet data set. The same command goes on
    where it ended, and gives the same bytes on one machine and on many.
    Example: airwire sweep links --only lora-sf7 --over payload=12,64,200 --seeds 10 --report sweep.html
    """
    from airwire.cli.environment import environment
    from airwire.sweep.running import StoppedError, plan_sweep, run_sweep

    if points is not None:
        refuse_unused(["--over", "--latin"], "the list has all combinations; leave it out")
    if latin is not None and not over:
        refuse_unused(["--latin"], "there is nothing to draw from; name axes with --over")
    if scheduler is None:
        refuse_unused(["--wait"], "this is for a cluster; name one with --scheduler, or leave it out")
    else:
        refuse_unused(["--workers"], "the cluster has the workers that it has; leave it out")
    with working("Planning the sweep"):
        plan = plan_sweep(
            suite,
            over=over or (),
            latin=latin,
            points=points,
            seeds=seeds,
            seed=seed,
            samples=samples,
            only=only or (),
            firmware=firmware,
        )
    try:
        with progress_bar("Sweeping") as bar:
            found = run_sweep(
                plan,
                suite,
                out=out,
                workers=workers,
                scheduler=scheduler,
                patience_s=wait / _PS_PER_S,
                environment=environment(),
                progress=bar,
            )
    except StoppedError as what_is_kept:
        raise stopped(f"; {what_is_kept}") from None
    with keeping(f"the data set {found.folder} is kept, and the same command goes on from there"):
        publish(found, report, json)


def publish(found: Sweep, report: Path | None, as_json: bool) -> None:
    """Print what a sweep gave, write its report, and end with the exit code that fits."""
    if as_json:
        from airwire.cli.json_object import print_object
        from airwire.cli.sweep_json import sweep_output

        print_object(sweep_output(found))
    else:
        from airwire.cli.sweep_lines import print_sweep

        print_sweep(found)
    if report is not None:
        from airwire.outputs import new_folder, write_file
        from airwire.sweep.pictures import sweep_page

        with working("Drawing the report"), writing(report), new_folder(report.parent):
            write_file(report, sweep_page(found))
        if not as_json:
            print(f"Report: {report}")
    for name, sentence in found.failures[:_FAILURES_TOLD]:
        complain(f"{name}: {sentence}")
    if found.failures:
        failed = len(found.failures)
        complain(
            f"{failed} point{'' if failed == 1 else 's'} failed; {found.folder / 'failed.json'} lists them, and the "
            "same command tries them again"
        )
        raise typer.Exit(EXIT_BAD_INPUT)
