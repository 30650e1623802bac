"""The JSON of ``airwire board``; what Python has of boards is what JSON has of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from airwire.board import CONSOLES, Board, Console
from airwire.board.model import BoardDescription, BoardRun, FunctionCycles, ImageSetting, Profile, UsbDevice
from airwire.cli.json_object import Output, filled, output_like

_BESIDE: Mapping[str, Any] = {"console": dict[Console, str], "usb_device": UsbDevice | None}
BoardRunOutput = output_like("board-run", BoardRun, **_BESIDE)
BoardServeOutput = output_like("board-serve", BoardRun, **_BESIDE, given_up_ps=int)
BoardProfileOutput = output_like(
    "board-profile",
    BoardRun,
    ("board", "image", "reason", "sentence", "failed", "time_ps"),
    cycles=int,
    asleep_cycles=int,
    functions=list[FunctionCycles],
)
BoardCheckOutput = output_like("board-check", BoardDescription)


class BoardListOutput(Output, tag="airwire.board-list/1"):
    """The boards that Airwire brings along."""

    command: ClassVar[str] = "board-list"
    boards: Sequence[BoardDescription]


class BoardSettingsOutput(Output, tag="airwire.board-settings/1"):
    """The settings of an image."""

    command: ClassVar[str] = "board-settings"
    image: str
    out: str | None
    settings: Sequence[ImageSetting]


def run_output(device: Board, report: BoardRun) -> Output:
    """The object of ``airwire board run``."""
    return filled(BoardRunOutput, report, console=_consoles(device), usb_device=device.usb_device)


def serve_output(device: Board, report: BoardRun, given_up_ps: int) -> Output:
    """The object of ``airwire board serve``."""
    beside: Mapping[str, Any] = {"console": _consoles(device), "usb_device": device.usb_device}
    return filled(BoardServeOutput, report, **beside, given_up_ps=given_up_ps)


def profile_output(report: BoardRun, profile: Profile) -> Output:
    """The object of ``airwire board profile``."""
    counted = {"cycles": profile.cycles, "asleep_cycles": profile.asleep_cycles, "functions": profile.functions}
    return filled(BoardProfileOutput, report, **counted)


def _consoles(device: Board) -> dict[Console, str]:
    return {name: device.console_of(name) for name in CONSOLES}
