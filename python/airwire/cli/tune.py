"""``airwire tune``: settings searched on the virtual bench, and the change written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import completion, options
from airwire.cli.board import options as board_options
from airwire.cli.output import writing
from airwire.cli.paths import Reads, Writes, everything, parts_of
from airwire.cli.stopping import keeping, stopped

if TYPE_CHECKING:
    from airwire.tune import Tuning

_DEFAULT_BUDGET = 200
_FILES = parts_of(("lwipopts.h", "tuned.toml", "sdkconfig.defaults", "candidates.json"))


def tune(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            autocompletion=completion.tune_targets,
            help="A suite with --only, a link's name, or an image with --traffic.",
            show_default=False,
        ),
        Reads("target"),
    ],
    goal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GOAL",
            autocompletion=completion.tune_goals,
            help="What to search for, such as 'max throughput' or 'min p95'; the first one given weighs most.",
            show_default=False,
        ),
    ] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option(metavar="BOUND", help="What must hold, such as ram<=48KiB or p95<=5ms.", show_default=False),
    ] = None,
    budget: Annotated[
        int, typer.Option(metavar="N", help="The most candidates that the search measures.")
    ] = _DEFAULT_BUDGET,
    knob: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this may change; TCP_WND=4*TCP_MSS,8*TCP_MSS gives the values as well. Default: all knobs.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="ENTRY",
            autocompletion=completion.entries,
            help="The entry of a suite, a link or a row.",
            show_default=False,
        ),
    ] = None,
    lwipopts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A lwipopts.h of yours to begin with: says which of its options bind, and writes it changed.",
            show_default=False,
        ),
        Reads("file of options"),
    ] = None,
    board: board_options.BoardName = None,
    traffic: board_options.Traffic = None,
    impair: board_options.Impair = None,
    payload: options.OwnPayload = None,
    set_: options.FixedSettings = None,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=100, max=options.MAX_SAMPLES, help="Messages of a link for each candidate. Default: 1000."
        ),
    ] = None,
    firmware: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the images of a suite are. Default: as airwire run has it.",
            show_default=False,
        ),
        Reads("folder of images", holds=everything),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=options.MAX_SEED, help="Seed of search and runs.")] = 1,
    workers: options.Workers = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where images and measurements are kept, for a second run to go on from. Default: airwire/tune in the "
            "user's cache folder.",
            show_default=False,
        ),
        Writes("cache", is_folder=True, makes_folders=True, holds=parts_of(("measured", "images", "trees"))),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the change is written. Default: runs/<UTC time>-tune. Never overwritten.",
            show_default=False,
        ),
        Writes("change", is_folder=True, makes_folders=True, holds=_FILES),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Search settings for a goal, and write the change.

    Runs on the virtual bench, and changes what a link, a row of a suite or an image lets change: lwIP's options (an
    image is built for each candidate), poll period and SPI clock of a driver, settings of a link. Says what each change
    is worth, writes it as a file, and measures before and after anew. Ctrl-C keeps what was measured, and a second run
    goes on.
    Example: airwire tune lora --payload 12B --goal "min p95" --subject-to "loss<=1%"
    """
    from airwire.cli.tune_progress import tune_progress
    from airwire.tune import tune_settings
    from airwire.tune.files import write_change

    with tune_progress(f"Tuning {target.name}") as progress:
        found = tune_settings(
            target,
            goals=goal or ("max throughput",),
            subject_to=subject_to or (),
            budget=budget,
            knobs=knob or (),
            only=only,
            board=None if board is None else str(board),
            traffic=traffic or (),
            impair=impair,
            payload_bytes=payload,
            settings=options.settings_of(set_),
            lwipopts=lwipopts,
            samples=samples,
            firmware=firmware,
            seed=seed,
            workers=workers,
            cache=cache,
            progress=progress,
        )
    folder = out or Path("runs") / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-tune"
    written = write_change(found, folder)
    if report is not None:
        with keeping(f"the change is kept in {folder}"):
            _report(found, report)
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.tune_json import tune_output

        print_object(tune_output(found, written))
    else:
        from airwire.cli.tune_lines import print_tuning

        print_tuning(found, [*written, *([report] if report is not None else [])])
    if found.interrupted:
        kept = sum(one.refused is None for one in found.candidates)
        raise stopped(f"; {kept} candidates were measured and kept, and the same command goes on from there")


def _report(found: Tuning, path: Path) -> None:
    from airwire.outputs import new_folder
    from airwire.tune.page import write_page

    with writing(path), new_folder(path.parent):
        write_page(found, path)
