"""``airwire choose``: which links and settings keep a bound on latency and loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import completion, options
from airwire.cli.output import working

if TYPE_CHECKING:
    from rich.table import Table

    from airwire.link.model import Candidate, Choice, Link

_EASILY, _HARDLY = 0.5, 0.1
# A loss of less than one in a million is not shown.
_SELDOM = 1e-6
# ETSI EN 300 220-2: the share of the time that a sender may be on the air, as one in so many, in which band, and how
# many hertz wide that is.
_DUTY_CYCLES = {
    "10%": (10, "869.4 to 869.65 MHz, up to 250 kHz wide", 250_000),
    "1%": (100, "868.0 to 868.6 MHz", 600_000),
}
_BANDWIDTH = "bandwidth"


def choose(
    payload: options.LinkPayload = 128,
    p95: options.LatencyBound = None,
    p50: options.LatencyBound = None,
    loss: options.LossBound = None,
    every: options.Every = None,
    duty_cycle: Annotated[
        float | None,
        typer.Option(
            parser=options.share,
            metavar="SHARE",
            help="Be on the air in no more than this share of the time, for example 1%, where the law limits it: LoRa "
            "alone. With --every.",
            show_default=False,
        ),
    ] = None,
    battery: options.Battery = None,
    site: Annotated[
        str,
        typer.Option(
            metavar="SITE",
            autocompletion=completion.loss_sites,
            help="Where the radios stand: clean, office or crowded. It decides how often a frame is lost.",
        ),
    ] = "office",
    link: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.link_names,
            help="Only this link.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=options.MAX_SEED, help="Seed of the predictions.")] = 1,
    workers: options.Workers = None,
    json: options.Json = False,
) -> None:
    """Find the links and settings that keep a bound on latency or loss.

    By prediction, the most margin first. Of each link the settings worth trying are searched; a refusal says how near
    it comes and which stage is in the way. Example: airwire choose --payload 128 --p95 20ms --every 100ms
    """

    if p95 is None and p50 is None and loss is None:
        raise typer.BadParameter("give at least one of --p95, --p50 and --loss")
    with working("Predicting"):
        choice = airwire.choose(
            payload,
            p95=p95,
            p50=p50,
            loss=loss,
            every=every,
            duty_cycle=duty_cycle,
            battery=battery,
            site=site,
            only=link or (),
            seed=seed,
            workers=workers,
        )
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.link_json import choice_output

        print_object(choice_output(choice))
    else:
        _print(choice)


def _print(choice: Choice) -> None:
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console

    out = console()
    wanted = _wanted(choice)
    if choice.accepted:
        out.print(Text(f"{choice.payload_bytes} B with {wanted}:", style="bold"))
        print_table(out, _table(choice))
        if choice.battery is not None:
            out.print(Text(_about_batteries(choice)))
        for line in _duty_cycles(choice):
            out.print(Text(line))
    else:
        out.print(Text(f"No link carries {choice.payload_bytes} B with {wanted}.", style="bold"))
    if choice.refused:
        out.print("\nRefused, the nearest first:", style="bold")
    for refusal in choice.refused:
        out.print(Text(f"- {refusal.link}: {refusal.sentence}"))
    out.print(
        f"\nPredicted from {choice.samples} messages each, seed {choice.seed}, clock phases unknown, at a site of the "
        f"kind '{choice.site}'; what protects messages stays on. Bluetooth sends again until a message arrives. Range, "
        "power and cost are yours to weigh.",
        style="dim",
    )


def _duty_cycles(choice: Choice) -> list[str]:
    """How often accepted links may send where a duty cycle is the law: what is on the air decides it."""
    from airwire.explain.link.sentences import settings_phrase
    from airwire.explain.quantities import time
    from airwire.runs.selection import DUTY_CYCLE

    limited = {link.name: link for link in airwire.links() if any(one.name == DUTY_CYCLE for one in link.settings)}
    lines = []
    for candidate in choice.accepted:
        if candidate.link not in limited:
            continue
        budget = airwire.link_budget(candidate.link, choice.payload_bytes, candidate.changed)
        air_ps = sum(stage.ps for stage in budget.stages if stage.cause == "air")
        width_hz = _bandwidth_hz(limited[candidate.link], candidate)
        often = " and ".join(
            f"every {time(air_ps * parts)} at {share} ({band})"
            for share, (parts, band, widest_hz) in _DUTY_CYCLES.items()
            if width_hz <= widest_hz
        )
        settings = settings_phrase(candidate.changed)
        lines.append(f"{candidate.link}, {settings}: ETSI EN 300 220-2 allows a message {often}.")
    return lines


def _bandwidth_hz(link: Link, candidate: Candidate) -> int:
    """How wide a candidate's signal is; 0 of a link that has no such setting, which fits any band."""
    from airwire.values import parse_rate

    default = next((one.default for one in link.settings if one.name == _BANDWIDTH), None)
    width = candidate.changed.get(_BANDWIDTH, default)
    return 0 if width is None else parse_rate(width)


def _wanted(choice: Choice) -> str:
    from airwire.explain.quantities import percent, time

    bounds = choice.bounds
    times = [(name, bound) for name, bound in (("p50", bounds.p50_ps), ("p95", bounds.p95_ps)) if bound is not None]
    words = [f"{name} up to {time(bound)}" for name, bound in times]
    if bounds.loss is not None:
        words.append(f"loss up to {percent(bounds.loss)}")
    if bounds.duty_cycle is not None:
        words.append(f"on the air up to {percent(bounds.duty_cycle)}")
    if choice.every_ps is not None:
        words.append(f"a message every {time(choice.every_ps)}")
    return ", ".join(words)


def _about_batteries(choice: Choice) -> str:
    """What is counted of the senders, and of which links nothing is known."""
    chips = []
    for name in dict.fromkeys(candidate.link for candidate in choice.accepted):
        energy = airwire.link_budget(name, choice.payload_bytes).energy
        chips.append(f"{name}: not known" if energy is None else f"{name}: {energy.chip}")
    return f"A battery of {choice.battery}, all of which is used, and of the sender {'; '.join(chips)}."


def _table(choice: Choice) -> Table:
    from rich.table import Table
    from rich.text import Text

    from airwire.explain.link.sentences import settings_phrase
    from airwire.explain.quantities import battery_life, percent, table_time

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", justify="right")
    table.add_column("link", no_wrap=True)
    table.add_column("settings", overflow="fold")
    for name in ("margin", "p50", "p95", "lost"):
        table.add_column(name, justify="right", no_wrap=True)
    if choice.bounds.duty_cycle is not None:
        table.add_column("on air", justify="right", no_wrap=True)
    if choice.battery is not None:
        table.add_column("battery", justify="right", no_wrap=True)
    for place, candidate in enumerate(choice.accepted, start=1):
        times = [table_time(value) for value in (candidate.median_ps, candidate.p95_ps) if value is not None]
        lost = percent(candidate.loss if candidate.loss >= _SELDOM else 0.0)
        settings = settings_phrase(candidate.changed)
        more = [] if choice.bounds.duty_cycle is None else ["-" if candidate.duty is None else percent(candidate.duty)]
        more += (
            []
            if choice.battery is None
            else ["-" if candidate.battery_s is None else battery_life(candidate.battery_s)]
        )
        cells = [str(place), candidate.link, settings, percent(candidate.margin), *times, lost, *more]
        styles = [*_styles(candidate), *("" for _ in more)]
        table.add_row(*(Text(cell, style=style) for cell, style in zip(cells, styles, strict=False)))
    return table


def _styles(candidate: Candidate) -> list[str]:
    """Of the cells of a row: what keeps its bound easily is green, and what is to be measured first is yellow."""
    margin = "green" if candidate.margin >= _EASILY else "yellow" if candidate.margin < _HARDLY else ""
    return ["", "", "", margin, "", "", "red" if candidate.loss >= _SELDOM else ""]
