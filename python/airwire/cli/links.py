"""``airwire links``: the links of the virtual bench, with their settings and constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import completion, options

if TYPE_CHECKING:
    from rich.console import Console

    from airwire.link.model import Link

_WIDE_COLUMNS = 140


def links(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            autocompletion=completion.link_names,
            help="A link to show in detail.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the links that there are; with a name, the settings of one.

    The settings and constants of a link stand with their sources. Example: airwire links lora
    """
    from airwire.cli.tables import console

    known = airwire.links()
    if name is not None:
        # The core knows which name was probably meant.
        airwire.link_budget(name, 1)
        known = [link for link in known if link.name == name]
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.link_json import LinksOutput

        print_object(LinksOutput(links=known))
    elif name is None:
        _print_list(console(), known)
    else:
        _print_link(console(), known[0])


def _print_list(out: Console, known: list[Link]) -> None:
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table

    # Names and payloads are typed again, so that they are never cut; where there is little room the rest takes turns.
    wide = out.width >= _WIDE_COLUMNS
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("link", no_wrap=True)
    table.add_column("payload", justify="right", no_wrap=True)
    table.add_column("what it is", no_wrap=wide)
    if wide:
        table.add_column("settings")
    for link in known:
        settings = Text(", ".join(setting.name for setting in link.settings), style="" if wide else "dim")
        title = Text(link.title)
        rest = (title, settings) if wide else (Text("\n").join((title, settings)),)
        table.add_row(Text(link.name), Text(f"1..{link.max_payload_bytes} B"), *rest)
    print_table(out, table)
    out.print("\nairwire links NAME shows one in detail, airwire link NAME where its time goes.", style="dim")


def _print_link(out: Console, link: Link) -> None:
    from rich.text import Text

    from airwire.explain.quantities import time

    out.print(Text(f"{link.name}: {link.title}; 1 to {link.max_payload_bytes} bytes", style="bold"))
    if link.settings:
        out.print("\nSettings", style="bold")
    for setting in link.settings:
        out.print(Text(f"  {setting.name} = {setting.default}: {setting.help}"))
        worth = f"; worth trying: {', '.join(setting.alternatives)}" if setting.alternatives else ""
        out.print(Text(f"      takes {setting.takes}{worth}", style="dim"))
    if link.gates:
        out.print("\nGates, with these defaults", style="bold")
    for gate in link.gates:
        out.print(Text(f"  {gate.name}: opens every {time(gate.period_ps)}"))
    if link.constants:
        out.print("\nConstants", style="bold")
    for constant in link.constants:
        out.print(Text(f"  {constant.name} = {constant.value}: {constant.meaning}"))
        origin = f"fitted on {constant.fitted}" if constant.fitted else f"from {constant.source}"
        out.print(Text(f"      {origin}", style="dim"))
