"""How people and programs reach a board that runs in real time: forwarded ports, a TAP interface, the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from airwire.cli.complaints import complain

if TYPE_CHECKING:
    from airwire.board import Board

# What a browser is pointed at; another port may speak anything.
_HTTP_PORTS = ("80", "8000", "8080")


def keyboard(device: Board, interactive: bool) -> AbstractContextManager[None]:
    """The keyboard as the console's input, where that is asked for."""
    if not interactive:
        return nullcontext()
    from airwire.cli.board.interactive import keyboard_of

    return keyboard_of(device)


def say_ready(device: Board, tap: str | None, forwards: list[str]) -> Callable[[list[str]], None]:
    """Say how the board is reached, as soon as it is."""
    network = device.network

    def say(addresses: list[str]) -> None:
        if tap is not None:
            free = None if network is None else network.free_address
            if free is None:
                complain(f"The board's network is at {tap}; give it an address in the board's network")
            else:
                complain(f"The board's network is at {tap}; give it an address: ip addr add {free} dev {tap}")
        for address, forward in zip(addresses, forwards, strict=True):
            port = forward.rsplit(":", 1)[-1]
            shown = f"http://{address}/" if port in _HTTP_PORTS else address
            complain(f"{shown} leads to port {port} of the board. Ctrl-C ends.")

    return say
