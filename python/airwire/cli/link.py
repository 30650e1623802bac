"""``airwire link``: where the time of one link goes, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from airwire.link.model import LinkBudget

_USUAL_BYTES = 128


def link(
    name: options.LinkName,
    payload: options.OwnPayload = None,
    set_: options.Set = None,
    every: Annotated[
        int | None,
        typer.Option(
            parser=options.past_time,
            metavar="TIME",
            help="Tell the energy of a message that comes so often, for example 10s, where the currents of the link's "
            "radio are known.",
            show_default=False,
        ),
    ] = None,
    battery: options.Battery = None,
    json: options.Json = False,
) -> None:
    """Show where the time of a message on a link goes.

    It is the mean of every stage of an idle link, clock phases unknown. With --every also what it takes of a battery.
    Example: airwire link lora --payload 128 --set sf=9 --every 60s
    """
    from airwire.link.energy import parse_battery

    if every is None:
        refuse_unused(["--battery"], "how long one lasts depends on how often a message comes; give --every as well")
    battery_as = None if battery is None else parse_battery(battery)
    budget = airwire.link_budget(name, _usual_payload(name) if payload is None else payload, options.settings_of(set_))
    if every is not None:
        _check_room(budget, every)
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.link_json import budget_output

        print_object(budget_output(budget, every, battery_as))
    else:
        _print(budget)
        if every is not None:
            print(f"  Energy: {_energy(budget, every, battery, battery_as)}.")


def _check_room(budget: LinkBudget, every_ps: int) -> None:
    """Refuse messages that come so often that two would have to be on the air at a time."""
    from airwire.explain.quantities import rough_time

    on_air_ps = sum(stage.ps for stage in budget.stages if stage.cause == "air")
    if on_air_ps > every_ps:
        raise typer.BadParameter(
            f"a message of {budget.payload_bytes} B is on the air for {rough_time(on_air_ps)}; give more than that",
            param_hint="--every",
        )


def _usual_payload(name: str) -> int:
    """The payload of examples, or all that a link carries."""
    most = next((link.max_payload_bytes for link in airwire.links() if link.name == name), _USUAL_BYTES)
    return min(_USUAL_BYTES, most)


def _energy(budget: LinkBudget, every_ps: int, battery: str | None, battery_as: float | None) -> str:
    from airwire.explain.energy import of_schedule

    if budget.energy is None:
        return f"the currents of {budget.link}'s radio are not known; docs/explanation/energy.md has those that are"
    if battery_as is None:
        return of_schedule(budget.energy, every_ps)
    return of_schedule(budget.energy, every_ps, battery_as, battery)


def _print(budget: LinkBudget) -> None:
    from rich.text import Text

    from airwire.cli.bars import print_stages
    from airwire.cli.tables import console
    from airwire.explain.quantities import percent, table_time, time

    out = console()
    lost = f", {percent(budget.loss)} lost" if budget.loss > 0 else ""
    total = table_time(budget.total_ps)
    out.print(Text(f"{budget.title}, {budget.payload_bytes} B: {total} on average{lost}", style="bold"))
    print_stages(out, [stage for stage in budget.stages if stage.ps > 0], budget.total_ps)
    for gate in budget.gates:
        out.print(Text(f"  {gate.name} opens every {time(gate.period_ps)}", style="dim"))
    settings = ", ".join(f"{name} {value}" for name, value in budget.settings.items())
    out.print(
        Text(f"  Settings: {settings}. Mean of an idle link; airwire run measures spread and queues.", style="dim")
    )
