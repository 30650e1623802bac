"""``airwire board settings``: what an image lets a user set before it starts."""

from __future__ import annotations

from dataclasses import asdict

from airwire.cli import options as common
from airwire.cli.board import options
from airwire.cli.output import print_json


def settings(image: options.Image, symbols: options.Symbols = None, json: common.Json = False) -> None:
    """List the settings of a firmware image, with the values that it was built with.

    A setting is a word in flash that the firmware declares as const volatile uint32_t setting_<name>; airwire board run
    --set NAME=VALUE and suites change it before the image starts. Example: airwire board settings firmware.elf
    """
    from airwire.board import image_settings

    known = image_settings(image, symbols)
    if json:
        print_json("board-settings", {"image": str(image), "settings": [asdict(one) for one in known]})
        return
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.tables import console

    out = console()
    if not known:
        out.print(Text(f"{image} declares no settings (const volatile uint32_t setting_<name>)."))
        return
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("setting", "value", "address"):
        table.add_column(column, no_wrap=True)
    for one in known:
        table.add_row(Text(one.name), Text(one.text), Text(f"{one.address:#010x}"))
    out.print(table)
