"""``airwire capture``: an instrument watches a real board; what it saw goes the way of ``airwire analyze``."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

import airwire
from airwire.cli import completion, options
from airwire.cli.complaints import EXIT_BAD_INPUT, complain
from airwire.cli.output import finish, progress_bar, working, writing
from airwire.cli.paths import EDGES, RUN, Writes
from airwire.cli.stopping import keeping, stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from airwire.instruments.measurement import Measured
    from airwire.instruments.recording import Pairs
    from airwire.model import Analysis

FOLDER = Path("captures")
"""Where captures are kept that nobody names a place for."""
_LONGEST_PS = 600 * 10**12
_SHOWN_EVERY_S = 0.25


def capture(
    instrument: Annotated[
        str,
        typer.Option(
            metavar="INSTRUMENT",
            autocompletion=completion.instruments,
            help="What watches the board: sigrok:DRIVER, with :conn=... where there are several; sigrok:FOLDER/NAME.sr "
            "to play a session again; saleae, or saleae:PORT where Logic 2 listens elsewhere; "
            "pico:PORT for the stopwatch on a Pico, such as "
            "pico:/dev/ttyACM0,period=20ms,jitter=5ms.",
        ),
    ],
    trigger: options.Trigger = "D0",
    done: options.Done = "D1",
    samples: Annotated[
        int, typer.Option(metavar="N", min=1, max=options.MAX_SAMPLES, help="Pairs of trigger and done to wait for.")
    ] = 1000,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the capture as this: .csv or .vcd, with .gz, .xz or .zst behind it compressed. Default: "
            "captures/<UTC time>-<instrument>.csv.",
            show_default=False,
        ),
        Writes("capture", kinds=(".csv", ".vcd", ".gz", ".xz", ".zst"), makes_folders=True),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the capture of --out if it exists.")] = False,
    rate: Annotated[
        int | None,
        typer.Option(
            parser=options.sample_rate,
            metavar="RATE",
            help="Samples a second, such as 24MHz. Default: as the driver has it; 25MHz with saleae.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            parser=options.past_time,
            metavar="TIME",
            help="Measure no longer than this, such as 3600s. Default: 600s.",
            show_default=False,
        ),
    ] = None,
    pairing: options.Pairing = "strict",
    glitch: options.Glitch = None,
    min_latency: options.MinLatency = None,
    max_latency: options.MaxLatency = None,
    payload: options.Payload = None,
    gate: options.Gate = None,
    seed: options.Seed = 1,
    run_folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Run folder to write, for airwire report and compare. Never overwritten. Default: none is written.",
            show_default=False,
        ),
        Writes("run folder", is_folder=True, holds=RUN, makes_folders=True),
    ] = None,
    report: options.ReportFile = None,
    figures: options.FiguresFolder = None,
    json: options.Json = False,
) -> None:
    """Measure the latencies of a real board with a logic analyser.

    Runs until enough pairs of trigger and done edges were seen, then says of the capture what airwire analyze would. On
    a terminal it shows the pairs so far with their percentiles. Ctrl-C ends it early; what was captured is kept and
    analysed, also where the instrument goes away meanwhile.
    Example: airwire capture --instrument sigrok:fx2lafw --trigger D0 --done D1 --samples 1000 --rate 24MHz
    """
    from airwire.cli.environment import environment

    place = out or _own_place(instrument)
    _check_place(place, overwrite)
    rules: dict[str, Any] = {
        "trigger": trigger,
        "done": done,
        "pairing": options.pairing_rule(pairing),
        "glitch": glitch,
        "min_latency": min_latency or 0,
        "max_latency": max_latency,
    }
    limit = limit or _LONGEST_PS
    measured = _measure(instrument, place, rules, samples, rate, limit, overwrite)
    if measured.capture is None:
        _end_without_capture(measured, limit)
    with progress_bar("Analysing the capture") as progress:
        analysis = airwire.analyze(
            place,
            **rules,
            payload_bytes=payload,
            gate=gate,
            seed=seed,
            out=run_folder,
            environment=environment(),
            progress=progress,
        )
    analysed = "" if analysis.run_folder is None else f", and so is the run folder {analysis.run_folder}"
    with keeping(f"the capture {measured.capture} is kept{analysed}"):
        _publish(_with_ending(analysis, measured), measured, instrument, report, figures, json)
    _judge(analysis, measured, samples, limit)


def _own_place(instrument: str) -> Path:
    """Where a capture is kept that nobody names a place for; the folder is made."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", instrument).strip("-")
    stem = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{name}"
    names = (f"{stem}{'' if n == 1 else f'-{n}'}.csv" for n in count(1))
    return next(FOLDER / one for one in names if not (FOLDER / one).exists())


def _check_place(place: Path, overwrite: bool) -> None:
    """Refuse before the measurement what could not be kept after it."""
    from airwire.outputs import is_device

    if not place.name.lower().endswith(EDGES):
        raise typer.BadParameter(
            f"captures are written as .csv or .vcd, also with .gz, .xz or .zst behind it; {place} is none of these",
            param_hint="--out",
        )
    if is_device(place):
        raise typer.BadParameter(f"{place} is no file, and a capture is kept in one; name one", param_hint="--out")
    if place.exists() and not overwrite:
        raise typer.BadParameter(
            f"{place} exists already; give --overwrite to replace it, or name another file", param_hint="--out"
        )


def _measure(
    spelling: str,
    place: Path,
    rules: Mapping[str, Any],
    samples: int,
    rate: int | None,
    limit_ps: int,
    overwrite: bool,
) -> Measured:
    """Run the instrument, and show on a terminal how far it is."""
    from airwire.instruments.base import Wanted
    from airwire.instruments.catalogue import open_instrument
    from airwire.instruments.measurement import measure
    from airwire.outputs import new_folder

    def pairs_in(capture: Path) -> int:
        found = airwire.analyze(capture, **rules, intervals=False, findings=False).captures
        return found[0].outcomes["paired"] if found else 0

    opened = open_instrument(spelling, Wanted(rules["trigger"], rules["done"], rate))
    with writing(place), new_folder(place.parent), working(f"Waiting for {spelling}") as say:
        return measure(
            opened,
            place,
            samples=samples,
            limit_ps=limit_ps,
            count=pairs_in,
            overwrite=overwrite,
            gaps_allowed=rules["pairing"] != "fifo",
            progress=Progress(say, samples),
        )


class Progress:
    """The line on a terminal while an instrument measures."""

    def __init__(self, say: Callable[[str], None], samples: int) -> None:
        self._say = say
        self._samples = samples
        self._next_s = 0.0

    def __call__(self, pairs: Pairs, seconds: float) -> None:
        """Say how many pairs there are and how long they took; a few times a second."""
        if seconds < self._next_s:
            return
        self._next_s = seconds + _SHOWN_EVERY_S
        from airwire.explain.quantities import table_time

        found = pairs.percentiles(0.5, 0.95, 0.99)
        figures = (
            f"{pairs.triggers} trigger edges, {pairs.dones} done edges"
            if found is None
            else ", ".join(f"{name} {table_time(ps)}" for name, ps in zip(("p50", "p95", "p99"), found, strict=True))
        )
        self._say(f"{min(pairs.paired, self._samples)} of {self._samples} pairs, {figures}, {seconds:.0f} s")


def _end_without_capture(measured: Measured, limit_ps: int) -> NoReturn:
    """End where the instrument told nothing at all."""
    if measured.ending == "interrupted":
        raise stopped(" before the instrument told anything; nothing is kept")
    when = "to its end" if measured.ending == "end" else f"in {airwire.format_time(limit_ps)}"
    complain(f"the instrument told nothing {when}; see whether it is connected, and whether something triggers it")
    raise typer.Exit(EXIT_BAD_INPUT)


def _with_ending(analysis: Analysis, measured: Measured) -> Analysis:
    """The analysis with what ended the measurement early."""
    if measured.error is None:
        return replace(analysis, interrupted=analysis.interrupted or measured.ending == "interrupted")
    from airwire.model import CaptureFailure

    message = f"{measured.error}; what it told before is kept and analysed"
    return replace(analysis, errors=[*analysis.errors, CaptureFailure(str(measured.capture), message)])


def _publish(
    analysis: Analysis, measured: Measured, instrument: str, report: Path | None, figures: Path | None, as_json: bool
) -> None:
    """Print what ``airwire analyze`` prints, and where the capture is."""
    if as_json:
        from airwire.cli.capture_json import capture_output
        from airwire.cli.json_object import print_object

        print_object(capture_output(analysis, measured, instrument))
    else:
        from airwire.cli.tables import print_analysis

        print_analysis(analysis)
        print(f"Capture: {measured.capture}")
    finish(analysis, ("capture", "begun"), report, figures, as_json)


def _judge(analysis: Analysis, measured: Measured, samples: int, limit_ps: int) -> None:
    """Say where there are fewer pairs than were asked for; without one there is no result."""
    paired = sum(capture.outcomes["paired"] for capture in analysis.captures)
    if paired >= samples:
        return
    what = f"{paired} of {samples} pairs came" if paired else "no pair came"
    is_file = measured.ending == "end"
    when = "to the end of the file" if is_file else f"in {airwire.format_time(limit_ps)}"
    more = "" if is_file else "; name a longer --limit"
    todo = more if paired else "; check the wiring of both channels, or name others"
    complain(f"{what} {when}: {measured.pairs.triggers} trigger and {measured.pairs.dones} done edges{todo}")
    if not paired:
        raise typer.Exit(EXIT_BAD_INPUT)
