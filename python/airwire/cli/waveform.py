"""``airwire waveform``: the wires of a capture over an interval, as a picture."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.output import working, writing
from airwire.cli.paths import Reads, Writes
from airwire.cli.plain import plain
from airwire.kinds import DRAWABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airwire.report.waveform_figure import Mark

MOST_EDGES = 20_000
"""More cannot be told apart in a picture."""
_PS_PER_S = 10**12


def waveform(
    capture: Annotated[
        Path,
        typer.Argument(metavar="CAPTURE", help="A capture of any format that Airwire reads.", show_default=False),
        Reads("capture"),
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The picture: .svg, .png or .html.", show_default=False),
        Writes("picture", kinds=DRAWABLE),
    ],
    from_: Annotated[
        int | None,
        typer.Option(
            "--from",
            parser=options.time_option,
            metavar="TIME",
            help="Where in the capture it begins, such as 3.2ms. Default: at its start.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        int | None,
        typer.Option(
            parser=options.past_time,
            metavar="TIME",
            help="Where it ends. Default: with the capture.",
            show_default=False,
        ),
    ] = None,
    channel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHANNEL",
            help="A channel to draw, by number or label, from the top on; repeat for more. Default: those of --spi, or "
            "all.",
            show_default=False,
        ),
    ] = None,
    spi: Annotated[
        str | None,
        typer.Option(
            metavar="CLOCK[,OUT[,IN[,SELECT]]]",
            help="Mark the bytes of an SPI in mode 0 or 3, with what went out and came back, and the time from one to "
            "the next.",
            show_default=False,
        ),
    ] = None,
    clock: Annotated[
        int | None,
        typer.Option(
            parser=options.sample_rate,
            metavar="RATE",
            help="The clock of the processor, such as 16MHz: the time between bytes is given in its cycles.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What stands above the picture.", show_default=False)
    ] = None,
) -> None:
    """Draw the wires of a capture over an interval, as an analyser does.

    Example: airwire waveform edges.vcd --from 2.1ms --to 2.11ms --spi D13,D11,D12,D10 --clock 22.1184MHz --out spi.svg
    """
    from airwire.report.files import check_drawable, write_figure
    from airwire.report.waveform_figure import Span, Trace, waveform_figure

    check_drawable(out)
    bus = None if spi is None else _bus(spi)
    if clock is not None and bus is None:
        raise typer.BadParameter(
            "cycles are counted between the bytes of a bus; name one with --spi", param_hint="--clock"
        )
    channels = channel or (bus.channels if bus is not None else [])
    with working("Reading the capture"):
        interval = airwire.read_interval(capture, channels, from_ps=from_ or 0, to_ps=to, bus=bus)
    edges = sum(len(wire.edges) for wire in interval.wires)
    if edges > MOST_EDGES:
        raise typer.BadParameter(
            f"there are {edges} edges in it, and a picture shows {MOST_EDGES} at most; take a shorter interval",
            param_hint="--to",
        )
    names = {} if interval.bus is None else _names(interval.bus)
    traces = [
        Trace(names.get(wire.name, wire.name), wire.level, [at for at, _ in wire.edges]) for wire in interval.wires
    ]
    marks = [_mark(one, clock) for one in interval.bytes_]
    spans = [Span(one, other, _span(other - one, clock)) for one, other in pairwise(interval.selects_ps)]
    said = _said(interval, clock)
    ends = (interval.start_ps, interval.end_ps)
    with working("Drawing the wires"), writing(out):
        write_figure(waveform_figure(title or capture.name, said, ends, traces, marks=marks, spans=spans), out)
    typer.echo(said)
    typer.echo(plain(f"Written: {out}"))


def _bus(text: str) -> airwire.SpiBus:
    names = [name.strip() for name in text.split(",")]
    if not 1 <= len(names) <= 4 or not names[0] or len(set(names)) < len(names):
        raise typer.BadParameter(
            f"'{text}' is no bus: give the clock's channel, and behind commas those of what goes out, of what comes "
            "back and of the select, such as SCK,MOSI,MISO,CS",
            param_hint="--spi",
        )
    rest = [name or None for name in names[1:]] + [None] * 3
    return airwire.SpiBus(names[0], *rest[:3])


def _names(bus: airwire.SpiBus) -> dict[str, str]:
    """Channels with what they are on the bus."""
    roles = {bus.clock: "SCK", bus.sent: "MOSI", bus.received: "MISO", bus.select: "CS"}
    return {name: name if name == role else f"{name} {role}" for name, role in roles.items() if name is not None}


def _mark(byte: airwire.SpiByte, clock_hz: int | None) -> Mark:
    from airwire.report.waveform_figure import Mark

    values = [value for value in (byte.sent, byte.received) if value is not None]
    text = " / ".join(f"{value:02x}" for value in values)
    return Mark(byte.start_ps, byte.end_ps, text, byte.to_next_ps, _span(byte.to_next_ps, clock_hz))


def _span(ps: float | None, clock_hz: int | None) -> str:
    """A time between two bytes, in cycles where the clock is known."""
    from airwire.report.units import format_duration

    if ps is None:
        return ""
    return format_duration(ps) if clock_hz is None else f"{round(ps * clock_hz / _PS_PER_S)} cycles"


def _said(interval: airwire.CaptureInterval, clock_hz: int | None) -> str:
    """What the picture shows, in a sentence."""
    from airwire.report.units import format_duration

    whole = format_duration(interval.end_ps - interval.start_ps)
    wires = f"{len(interval.wires)} {'wire' if len(interval.wires) == 1 else 'wires'} over {whole}"
    gaps = [one.to_next_ps for one in interval.bytes_ if one.to_next_ps is not None]
    if not interval.bytes_:
        return f"{wires}."
    if len(interval.selects_ps) > 1:
        return f"{wires}: {_each(interval.selects_ps, clock_hz)} from one transaction to the next."
    count = f"{len(interval.bytes_)} {'byte' if len(interval.bytes_) == 1 else 'bytes'}"
    if not gaps:
        return f"{wires}, {count}."
    return f"{wires}, {count}: {_range(gaps, clock_hz)} from one to the next."


def _each(times_ps: Sequence[int], clock_hz: int | None) -> str:
    return _range([later - one for one, later in pairwise(times_ps)], clock_hz)


def _range(gaps_ps: Sequence[int], clock_hz: int | None) -> str:
    """Times, as the one that all are, or as their median with the shortest and the longest."""
    shortest, middle, longest = (_span(ps, clock_hz) for ps in (min(gaps_ps), median(gaps_ps), max(gaps_ps)))
    return middle if shortest == longest else f"{middle} in the median, {shortest} to {longest},"
