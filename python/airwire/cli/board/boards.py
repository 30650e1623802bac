"""``airwire board list``, ``check`` and ``header``: what boards there are, and what is on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import completion, options
from airwire.cli.output import writing
from airwire.cli.paths import Reads, Writes
from airwire.outputs import new_folder, write_file

if TYPE_CHECKING:
    from airwire.board.model import BoardDescription


def list_boards(json: options.Json = False) -> None:
    """List the boards that Airwire brings along, with their chips.

    Example: airwire board list
    """
    from rich.table import Table
    from rich.text import Text

    from airwire import board
    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console

    known = [board.describe_board(name) for name in board.board_names()]
    if json:
        from airwire.cli.board.objects import BoardListOutput
        from airwire.cli.json_object import print_object

        print_object(BoardListOutput(boards=known))
        return
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("board", "what it is"):
        table.add_column(column, no_wrap=True)
    for description in known:
        table.add_row(Text(description.name), Text(description.title))
    out = console()
    print_table(out, table)
    out.print("\nA board file of yours does as well: see docs/how-to/run-a-board.md.", style="dim")


def check(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            autocompletion=completion.board_names,
            help="A board file, or the name of a board.",
            show_default=False,
        ),
        Reads("board file"),
    ],
    json: options.Json = False,
) -> None:
    """Check a board file, and say what is on the board.

    Example: airwire board check boards/pico.toml
    """
    from airwire import board

    description = board.describe_board(file)
    if json:
        from airwire.cli.board.objects import BoardCheckOutput
        from airwire.cli.json_object import filled, print_object

        print_object(filled(BoardCheckOutput, description))
    else:
        _print(description)


def header(
    board: Annotated[
        str,
        typer.Argument(
            metavar="BOARD",
            autocompletion=completion.board_names,
            help="The name of a board (airwire board list), or a board file.",
        ),
        Reads("board file"),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write board.h into this folder; else print it."),
        Writes("header", files=lambda folder: [folder / "board.h"], makes_folders=True),
    ] = None,
) -> None:
    """Write a board as the C header that firmware is built with.

    A header that would stay the same is left alone, so that nothing is built anew for it. Example: airwire board header
    w5500-evb-pico --out build/w5500-evb-pico
    """
    from airwire.board import board_header

    text = board_header(board)
    if out is None:
        typer.echo(text, nl=False)
        return
    file, content = out / "board.h", text.encode()
    with writing(file), new_folder(out):
        if not file.exists() or file.read_bytes() != content:
            write_file(file, content)


def _print(description: BoardDescription) -> None:
    from rich.text import Text

    from airwire import board
    from airwire.cli.tables import console

    out = console()
    out.print(Text(f"{description.name}: {description.title}", style="bold"))
    crystal, flash = description.crystal_hz / 1e6, description.flash_bytes // 1024
    titles = {mcu.name: mcu.title for mcu in board.microcontrollers()}
    out.print(Text(f"{titles[description.mcu]}, crystal {crystal:g} MHz, flash {flash} KiB"))
    for pin in description.pins:
        # An output of a chip, such as the LED of a Pico W, is a net of the board beside the microcontroller's pins.
        own = description.gpios[pin.gpio] if pin.gpio < len(description.gpios) else "-"
        out.print(Text(f"  {own:<5} {pin.name}"))
    for chip in description.chips:
        out.print(Text(f"  {chip.name}: {chip.kind}"))
