"""``airwire board settings``: what an image lets a user set before it starts, and the image with other values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import options as common
from airwire.cli.board import options
from airwire.cli.paths import Writes
from airwire.inputs import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airwire.board.model import ImageSetting

_ELF = b"\x7fELF"
"""How an ELF begins."""


def settings(
    image: options.Image,
    set_: options.Set = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the image with the values of --set, for a real board: .uf2 (copied to its USB drive), .elf (of "
            "an ELF only, for debuggers) or .bin.",
            show_default=False,
        ),
        Writes("image", kinds=(".uf2", ".elf", ".bin")),
    ] = None,
    symbols: options.Symbols = None,
    json: common.Json = False,
) -> None:
    """List the settings of an image, or write it with other values.

    A setting is a word in flash that the firmware declares as const volatile uint32_t setting_<name>; airwire board run
    --set NAME=VALUE and suites change it before the image starts. The names are in the ELF; for a .uf2 or a .bin give
    the ELF of the same build with --symbols. Examples: airwire board settings firmware.elf; airwire board settings
    firmware.elf --set address=192.168.1.77 --out board-77.uf2
    """
    from airwire.board import image_settings, write_image

    if set_ and out is None:
        raise typer.BadParameter("name the file to write: --out FILE.uf2, .elf or .bin", param_hint="--set")
    known = image_settings(image, symbols)
    written = known
    if out is not None:
        write_image(image, out, common.settings_of(set_), symbols=symbols)
        written = image_settings(out, symbols or (image if known and out.suffix.lower() != ".elf" else None))
    if json:
        from airwire.cli.board.objects import BoardSettingsOutput
        from airwire.cli.json_object import print_object

        place = None if out is None else str(out)
        print_object(BoardSettingsOutput(image=str(image), out=place, settings=written))
    elif out is not None:
        _print_changes(known, written)
        print(f"Image: {out}")
    else:
        _print_table(image, symbols, known)


def _print_changes(known: Sequence[ImageSetting], written: Sequence[ImageSetting]) -> None:
    for before, after in zip(known, written, strict=True):
        if before.text != after.text:
            print(f"{after.name}: {before.shown} -> {after.shown}")


def _why_none(image: Path, symbols: Path | None) -> str:
    """What is said of an image of which no setting is known."""
    if symbols is None and not read_file(image).startswith(_ELF):
        return "has no names, by which its settings are known; give the ELF of the same build with --symbols"
    return "declares no settings (const volatile uint32_t setting_<name>)"


def _print_table(image: Path, symbols: Path | None, known: Sequence[ImageSetting]) -> None:
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console

    out = console()
    if not known:
        out.print(Text(f"{image} {_why_none(image, symbols)}."))
        return
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("setting", "value"):
        table.add_column(column, no_wrap=True)
    for column in ("takes", "meaning"):
        table.add_column(column, overflow="fold")
    for one in known:
        table.add_row(*map(Text, (one.name, one.shown, one.takes, one.meaning or "")))
    print_table(out, table)
