"""``airwire explain``: where the time of a run or a capture goes, and what to change first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import completion, options
from airwire.cli.bounds import print_row_bounds
from airwire.cli.output import working, writing
from airwire.cli.paths import RUN, Reads, Writes
from airwire.cli.plain import plain
from airwire.cli.unused import refuse_unused
from airwire.kinds import DRAWABLE

if TYPE_CHECKING:
    from airwire.explain.row import RowExplanation
    from airwire.link.model import CaptureExplanation

OF_CAPTURES = ("--link", "--set", "--payload", "--trigger", "--done", "--seed")
"""What a run folder has no use for."""


def explain(
    path: Annotated[
        Path,
        typer.Argument(metavar="RUN|CAPTURE", help="A run folder of airwire run, or a capture.", show_default=False),
        Reads("run or capture", holds=RUN, reserved=True),
    ],
    rows: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ROW]...",
            autocompletion=completion.entries,
            help="Of a run: only these rows, entries or links, as --only. Default: all.",
            show_default=False,
        ),
    ] = None,
    only: options.Only = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.link_names,
            help="Of a capture: the link that it was made with.",
            show_default=False,
        ),
    ] = None,
    set_: options.Set = None,
    payload: options.Payload = None,
    trigger: options.Trigger = "0",
    done: options.Done = "1",
    seed: options.Seed = 1,
    changes: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="How many settings to change to show of each link's row; 0 leaves them out."
        ),
    ] = 3,
    workers: options.Workers = None,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the waterfalls: .svg, .png or .html.", show_default=False),
        Writes("figure", kinds=DRAWABLE),
    ] = None,
    perfetto: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of a run: write the first 100 traced messages of each row as a trace for ui.perfetto.dev.",
            show_default=False,
        ),
        Writes("trace", kinds=(".json",)),
    ] = None,
    packets: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of a board at an address: what this computer's network recorded meanwhile (.pcap, .pcapng). "
            "Default: what airwire probe --packets recorded.",
            show_default=False,
        ),
        Reads("recording of packets"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Say where the time of a run or a capture goes, stage by stage.

    A run is taken apart at its median and p95: its verdict in a line, what stands behind it, then the stages. What to
    change first comes with the gain that the model predicts. A capture needs --link, and --set where settings differ
    from the defaults: gate phases are fitted to it, and what the model cannot explain is named.
    Examples: airwire explain runs/published pingpong-polled; airwire explain 12B.csv --link lora --set sf=9
    """
    if figure is not None:
        from airwire.report.files import check_drawable

        check_drawable(figure)
    if not changes:
        refuse_unused(["--workers"], "no model runs with --changes 0; leave it out")
    if (path / "manifest.json").exists() or path.is_dir():
        refuse_unused(OF_CAPTURES, "a run folder says how it was made, and this is for a capture; leave it out")
        _explain_run(path, [*(rows or []), *(only or [])], changes, workers, figure, perfetto, packets, json)
        return
    refuse_unused(["--only"], f"{path} is no run folder, so that it has no rows; leave it out")
    if rows:
        raise typer.BadParameter(f"{path} is no run folder, so that it has no rows", param_hint="ROW")
    if link is None:
        if not path.exists():
            raise typer.BadParameter(f"{path} is not there; give a run folder of airwire run, or a capture")
        raise typer.BadParameter(
            f"{path} is a capture: name the link that it was made with (airwire links lists them)", param_hint="--link"
        )
    if packets is not None:
        raise typer.BadParameter("a capture is not of a network; give a run folder", param_hint="--packets")
    if perfetto is not None:
        raise typer.BadParameter("a capture holds no spans to trace; give a run folder", param_hint="--perfetto")
    from airwire.explain.link.run import WHAT_IF_SAMPLES, explain_capture

    with working("Fitting the model to the capture"):
        found = explain_capture(
            path,
            link,
            settings=options.settings_of(set_),
            payload_bytes=payload,
            trigger=trigger,
            done=done,
            seed=seed,
            samples=WHAT_IF_SAMPLES if changes else 0,
            workers=workers,
        )
    _publish_capture(found, changes, figure, json)


def _explain_run(
    path: Path,
    only: list[str],
    changes: int,
    workers: int | None,
    figure: Path | None,
    perfetto: Path | None,
    packets: Path | None,
    as_json: bool,
) -> None:
    from airwire.explain.link.run import WHAT_IF_SAMPLES, explain_run

    with working("Trying other settings"):
        analysis = airwire.load_run(path, intervals=False, findings=False)
        explained = explain_run(
            analysis, only=only, samples=WHAT_IF_SAMPLES if changes else 0, workers=workers, packets=packets
        )
    if changes and not any(row.link for row in explained):
        refuse_unused(
            ["--changes", "--workers"], "changes are tried with models of links, and here are none; leave it out"
        )
    if as_json:
        from airwire.cli.json_object import print_object
        from airwire.cli.link_json import explain_output

        print_object(explain_output(str(path), explained))
    else:
        _print_rows(explained, changes)
        print_row_bounds(analysis, {row.run for row in explained})
    if figure is not None:
        from airwire.report.files import write_waterfalls

        with writing(figure):
            write_waterfalls([(row.run, row.waterfalls) for row in explained], figure)
    if perfetto is not None:
        from airwire.explain.trace import write_trace

        chosen = {row.run for row in explained}
        with writing(perfetto):
            write_trace([capture for capture in analysis.captures if capture.path in chosen], perfetto)
    if not as_json:
        _name_files(figure, perfetto)


def _name_files(figure: Path | None, perfetto: Path | None) -> None:
    for what, file in (("Figure", figure), ("Trace", perfetto)):
        if file is not None:
            typer.echo(plain(f"{what}: {file}"))


def _print_rows(rows: list[RowExplanation], most: int) -> None:
    from rich.text import Text

    from airwire.cli.bars import print_changes, print_largest
    from airwire.cli.tables import console
    from airwire.cli.verdict_lines import print_verdict
    from airwire.explain.quantities import table_time

    out = console()
    for place, row in enumerate(rows):
        out.print(Text(f"{chr(10) if place else ''}{row.run} ({row.title})", style="bold"))
        print_verdict(out, row.verdict)
        longest = max((stage.ps for waterfall in row.waterfalls for stage in waterfall.stages), default=0.0)
        for waterfall in row.waterfalls:
            at = "Median" if waterfall.percentile == 50 else f"p{waterfall.percentile}"
            near = f"mean of the {waterfall.messages} traced messages nearest to it"
            out.print(Text(f"  {at} {table_time(waterfall.latency_ps)}, {near}:"))
            print_largest(out, waterfall.stages, waterfall.total_ps, longest)
        if most and row.waterfalls and row.board is None:
            print_changes(out, row.changes, most)
    if most and any(row.changes for row in rows):
        out.print("\nGains are predictions for latency alone; range, power and cost are yours to weigh.", style="dim")


def _publish_capture(found: CaptureExplanation, most: int, figure: Path | None, as_json: bool) -> None:
    if as_json:
        from airwire.cli.json_object import print_object
        from airwire.cli.link_json import explain_capture_output

        print_object(explain_capture_output(found))
    else:
        _print_capture(found, most)
    if figure is not None:
        from airwire.link.model import Waterfall
        from airwire.report.files import write_waterfalls

        total = sum(stage.ps for stage in found.stages)
        with writing(figure):
            write_waterfalls([(found.path, [Waterfall(50, total, found.messages, found.stages)])], figure)
    if not as_json:
        _name_files(figure, None)


def _print_capture(found: CaptureExplanation, most: int) -> None:
    from rich.text import Text

    from airwire.cli.bars import print_changes, print_stages
    from airwire.cli.tables import console
    from airwire.explain.quantities import rough_time, table_time, time

    out = console()
    out.print(Text(f"{found.path} against {found.link}, {found.payload_bytes} B", style="bold"))
    out.print(Text(f"  {found.sentence}"))
    pairs = (("median", found.median_ps, found.model_median_ps), ("p95", found.p95_ps, found.model_p95_ps))
    for name, real, model in pairs:
        error = f"{100 * (model / real - 1):+.1f} %" if real else ""
        out.print(
            Text(f"  {name:<6} {table_time(real):>9} in the capture, {table_time(model):>9} in the model  {error}")
        )
    for phase in found.phases:
        drift = f", {phase.drift_ppb / 1000:+.1f} ppm off" if phase.drift_ppb else ""
        opens = f"opens every {time(phase.period_ps)}, {rough_time(phase.phase_ps)} into the capture"
        out.print(Text(f"  {phase.gate}: {opens}{drift}"))
    total = sum(stage.ps for stage in found.stages)
    out.print(Text(f"  Model at its median, {table_time(total)}:"))
    print_stages(out, found.stages, total)
    if most:
        print_changes(out, found.changes, most)
