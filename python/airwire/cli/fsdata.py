"""``airwire fsdata``: a folder of web pages into the image that a board's HTTP server serves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import options
from airwire.cli.complaints import complain
from airwire.cli.output import writing
from airwire.cli.paths import Reads, Writes, everything, renamed

if TYPE_CHECKING:
    from airwire.fsdata import FsData


Renamed = renamed({"-o": "--out", "--output": "--out", "--manifest": "--json"})
"""The parser of the command, which takes options by the names that they had."""


def _files(out: Path) -> list[Path]:
    return [out, out.with_suffix(".h")] if out.suffix == ".c" else [out]


def fsdata(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="The folder with the pages.", show_default=False),
        Reads("folder of pages", holds=everything),
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The C file; its header goes next to it. A .bin is the bare image."),
        Writes("image", files=_files, kinds=(".c", ".h")),
    ] = Path("fsdata.c"),
    gzip: Annotated[
        bool, typer.Option("--gzip", help="Keep a compressed variant of each file that gets enough smaller by it.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Turn a folder of web pages into C for the HTTP server.

    It does for the firmware's server what lwIP's makefsdata does for lwIP's. Pages that end in .shtml, .shtm or .ssi
    may hold tags, <!--#name-->, that the board fills in. Example: airwire fsdata site --out fsdata.c --gzip
    """
    from airwire.fsdata import build
    from airwire.fsdata.c_source import write

    data = build(folder, gzip=gzip)
    with writing(out):
        written = write(data, out)
    for warning in data.warnings:
        complain(warning)
    if json:
        from airwire.cli.fsdata_json import FsdataOutput
        from airwire.cli.json_object import filled_from, print_object

        print_object(filled_from(FsdataOutput, data.manifest()))
        return
    _print(data)
    print(f"{len(data.image)} bytes in {', '.join(map(str, written))}")


def _print(data: FsData) -> None:
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("path", "type", "bytes", "gzip", "tags"):
        table.add_column(name, no_wrap=True, justify="right" if name in ("bytes", "gzip") else "left")
    for file in data.files:
        kind = file.content_type or "redirect"
        packed = "-" if file.gzip_bytes is None else str(file.gzip_bytes)
        table.add_row(*map(Text, (file.path, kind, str(file.body_bytes), packed, " ".join(file.tags))))
    print_table(console(), table)
