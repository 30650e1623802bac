"""Options that the commands of boards share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airwire.cli import completion
from airwire.cli.options import past_time
from airwire.cli.paths import Reads, Writes
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airwire.board import Board

Image = Annotated[
    Path,
    typer.Argument(metavar="IMAGE", help="A firmware image: ELF, UF2 or a raw binary.", show_default=False),
    Reads("image"),
]


def _board_option(default: str) -> Any:
    return typer.Option(
        "--board",
        metavar="BOARD",
        autocompletion=completion.board_names,
        help=f"The name of a board (airwire board list), or a board file. Default: {default}.",
        show_default=False,
    )


BoardName = Annotated[
    str | None,
    _board_option("found from the image; pico for one that talks to no network chip"),
    Reads("board file"),
]
NetworkBoardName = Annotated[str | None, _board_option("found from the image"), Reads("board file")]
For = Annotated[
    int | None,
    typer.Option(
        "--for",
        parser=past_time,
        metavar="TIME",
        help="End after this much virtual time since power-on, for example 2s. Default: 10s; none with --interactive.",
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
        help="Type this when the console has printed something and then been silent for 10 ms of virtual time, or when "
        "the USB serial port has been open for 250 ms and nothing was printed. Without it Enter is pressed then. "
        "Escapes: \\r \\n \\t \\e \\0 \\\\ \\xNN. @FILE types the lines of a file, each followed by Enter; \\x40 is an "
        "@.",
        show_default=False,
    ),
]
Tap = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Join the board's network with this TAP interface; takes root, or an interface made for your user.",
        show_default=False,
    ),
]
Forward = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PORT:[ADDRESS:]PORT",
        help="Forward a TCP port of this machine to one of the board, such as 8080:80. Takes no rights.",
        show_default=False,
    ),
]
Interactive = Annotated[
    bool,
    typer.Option(
        "--interactive",
        help="Hand the keyboard to the image's console, at most as fast as real time. Ctrl-] leaves.",
    ),
]
Symbols = Annotated[
    Path | None,
    typer.Option(
        metavar="ELF", help="The ELF of the same build, for names in an image that has none.", show_default=False
    ),
    Reads("ELF with symbols"),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        autocompletion=completion.image_settings,
        help="Give a setting of the image another value, such as spi_hz='33 MHz' (airwire board settings lists them).",
        show_default=False,
    ),
]
Rom = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The genuine boot ROM, 16 KiB, in place of our own.", show_default=False),
    Reads("boot ROM"),
]
Eeprom = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What the EEPROM of an AVR holds before the run: Intel HEX (.hex, .eep), or its bytes.",
        show_default=False,
    ),
    Reads("EEPROM"),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=2**63 - 1, help="Seed of the chip's random bits.")]

Network = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The network of the board's Ethernet chip: a network file (docs/reference/networks.md).",
        show_default=False,
    ),
    Reads("network file"),
]
Traffic = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CLIENT",
        autocompletion=completion.traffic,
        help='Run a client or a server on the PC, such as "ping to=board count=10" (docs/reference/networks.md); '
        "board stands for the board's address.",
        show_default=False,
    ),
]
Impair = Annotated[
    str | None,
    typer.Option(
        metavar="IMPAIRMENTS",
        autocompletion=completion.impairments,
        help="What happens to frames on the board's cable, such as loss=1%,delay=5ms (docs/reference/networks.md).",
        show_default=False,
    ),
]
Pcap = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write every frame on the board's wire as pcapng, for Wireshark.", show_default=False
    ),
    Writes("frames", kinds=(".pcapng",)),
]
Spi = Annotated[bool, typer.Option("--spi", help="Put the chip's register accesses into the file of --pcap, in words.")]


def check_spi(pcap: Path | None) -> None:
    """The accesses of --spi go into the file of --pcap."""
    if pcap is None:
        refuse_unused(["--spi"], "register accesses stand in a file of frames; name it with --pcap")


DEFAULT_FOR_PS = 10 * 10**12


def time_left(device: Board, for_: int | None) -> int:
    """What is left of the time since power-on: the boot ROM has used some of it."""
    return max((DEFAULT_FOR_PS if for_ is None else for_) - device.time_ps, 0)


MOST_TYPED_BYTES = 1 << 20
"""A file that is typed is a script, and no image."""


def typed(send: Sequence[str] | None) -> list[bytes]:
    """What ``--send`` types: texts, and the lines of files."""
    return [text for one in send or () for text in (_lines(Path(one[1:])) if one.startswith("@") else [_text(one)])]


def _text(text: str) -> bytes:
    from airwire import _core

    return _core.unescaped(text)


def _lines(file: Path) -> list[bytes]:
    def refused(why: str) -> typer.BadParameter:
        return typer.BadParameter(f"{file} cannot be typed: {why}", param_hint="--send")

    try:
        if not file.is_file():
            raise refused("it is no file" if file.exists() else "there is no such file; \\x40 types an @")
        with file.open("rb") as opened:
            content = opened.read(MOST_TYPED_BYTES + 1)
    except OSError as error:
        raise refused(error.strerror or str(error)) from error
    if len(content) > MOST_TYPED_BYTES:
        raise refused("it has more than 1 MiB")
    return [line + b"\r" for line in content.splitlines()]
