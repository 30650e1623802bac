"""Options that the commands of boards share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airwire.cli.options import time_option

Image = Annotated[
    Path, typer.Argument(metavar="IMAGE", help="A firmware image: ELF, UF2 or a raw binary.", show_default=False)
]
BoardName = Annotated[
    str, typer.Option("--board", metavar="NAME|FILE", help="A board of airwire board list, or a board file of yours.")
]
For = Annotated[
    int | None,
    typer.Option(
        "--for",
        parser=time_option,
        metavar="TIME",
        help="End after this much virtual time, for example 2s. Default: 10s; without end where --interactive is given.",
        show_default=False,
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="TEXT",
        help="End when a console prints this; exit with 1 where it does not come. Escapes as in --send.",
        show_default=False,
    ),
]
Send = Annotated[
    list[str] | None,
    typer.Option(
        "--send",
        metavar="TEXT",
        help="Type this when the console has printed something and then been silent for 10 ms of virtual time. "
        "Escapes: \\r \\n \\t \\e \\0 \\\\ \\xNN.",
        show_default=False,
    ),
]
Symbols = Annotated[
    Path | None,
    typer.Option(
        metavar="ELF", help="The ELF of the same build, for names in an image that has none.", show_default=False
    ),
]
Rom = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The genuine boot ROM, 16 KiB, in place of our own.", show_default=False),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=2**63 - 1, help="Seed of the chip's random bits.")]

DEFAULT_FOR_PS = 10 * 10**12
