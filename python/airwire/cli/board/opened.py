"""The virtual board of a command: its name where one is given, or the one that the image is for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from airwire.cli import options as common
from airwire.cli.complaints import complain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airwire.board import Board
    from airwire.board.model import BoardRun

# About as long as a command takes to load; an image that has not spoken to its chip by then runs on a bare board.
_MOST_CYCLES = 100_000_000
_MOST_PS = 10**12
"""An image that was run already is looked at again for no longer."""


def open_board(
    image: Path,
    board: str | None,
    *,
    symbols: Path | None,
    set_: Sequence[str] | None,
    rom: Path | None,
    seed: int,
    network: str | None,
    traffic: Sequence[str] | None,
    impair: str | None,
    record: bool = False,
    for_: int | None = None,
    eeprom: Path | None = None,
) -> Board:
    """The board with the image on it, from the options of a command.

    ``for_`` is how long it will run: for no longer is it looked at which board the image is for.
    """
    from airwire.board.virtual import Board, NoNetworkError

    settings = common.settings_of(set_)
    name = board if board is not None else board_for(image, symbols, settings, for_)
    try:
        return Board(
            name,
            image,
            symbols=symbols,
            rom=rom,
            seed=seed,
            record=record,
            network=network,
            traffic=traffic or (),
            impair=impair,
            settings=settings,
            eeprom=eeprom,
        )
    except NoNetworkError as error:
        options = {"--network": network, "--traffic": traffic, "--impair": impair}
        raise typer.BadParameter(
            f"board {error.board} has no network; name one that has with --board, such as w5500-evb-pico",
            param_hint=next(option for option, value in options.items() if value not in (None, [], ())),
        ) from error


def say_missing_chip(
    device: Board, report: BoardRun, image: Path, symbols: Path | None, settings: dict[str, str]
) -> None:
    """Where an image was put on a board that was named, and has a network that this one has not: say so."""
    from airwire.diagnosis.identify import identify

    if device.network is not None:
        return
    if device.usb_device is not None and device.usb_device.has_network:
        complain(_on_usb(device.name))
        return
    if not any(report.bus.get(name) for name in ("spi0_frames", "spi1_frames")):
        return
    longest_ps = min(report.time_ps, _MOST_PS)
    found = identify(image, symbols, settings, longest_ps=longest_ps, most_cycles=_MOST_CYCLES)
    if found.boards and found.chips:
        chip = found.chips[0].chip.upper()
        has = "has" if len(found.boards) == 1 else "have"
        complain(
            f"note: the image talks to a {chip}, and board {device.name} has no network chip; "
            f"{' and '.join(found.boards)} {has} it there: --board {found.boards[0]}"
        )


def _on_usb(board: str) -> str:
    from airwire.board.catalogue import describe_board
    from airwire.diagnosis.identify import ON_USB

    own = ON_USB[describe_board(board).mcu]
    return f"note: the image offers a network on USB, which nobody uses on board {board}: --board {own}"


def board_for(image: Path, symbols: Path | None, settings: dict[str, str], for_: int | None) -> str:
    """The board that an image is for, by what it says on its SPI; the bare one where it says nothing there."""
    from airwire.board.catalogue import describe_board
    from airwire.diagnosis.identify import LONGEST_PS, USB_NETWORK, identify
    from airwire.diagnosis.reason import why_no_board

    longest_ps = LONGEST_PS if for_ is None else min(for_, LONGEST_PS)
    found = identify(image, symbols, settings, longest_ps=longest_ps, most_cycles=_MOST_CYCLES)
    if found.boards:
        kinds = {chip.kind for chip in describe_board(found.boards[0]).chips}
        shown = "the network that it offers on USB" if USB_NETWORK in kinds else "the pins that the image moves"
        complain(f"board {found.boards[0]}, found from {shown}; --board names another")
        return found.boards[0]
    if found.chips:
        complain(f"note: {why_no_board(found)}")
    return found.bare.name
