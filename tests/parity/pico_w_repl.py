"""Scripts in the REPL of an image for a Pico W, and pings of a board that serves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from public_images import public_image

from airwire.board import Board

PS_PER_MS = 10**9


def pasted(board: Board, script: str, for_: str) -> list[str]:
    """What a REPL prints after a script is pasted into it."""
    board.send("\x05", "usb")
    board.run("100 ms")
    for line in script.splitlines():
        board.send(line + "\r", "usb")
        board.run("20 ms")
    before = len(board.console_of("usb"))
    board.send("\x04", "usb")
    board.run(for_)
    return board.console_of("usb")[before:].replace("\r", "").splitlines()


@dataclass(frozen=True)
class Pings:
    """The round trips of pings in ms, the shortest first, and the board that answered."""

    board: Board
    times: list[float]

    def at(self, share: float) -> float:
        """The time that so many are below."""
        return self.times[min(int(share * len(self.times)), len(self.times) - 1)]


def pings_of_the_server(folder: Path, network: str, interval: str, count: int) -> Pings:
    """Pings of the SDK's web server, whose power save is the SDK's default: mode 2, awake for 200 ms.

    They begin once its own pause of 2 s after joining is over.
    """
    path = folder / "network.toml"
    path.write_text(network, encoding="utf-8")
    ping = f"ping to=board count={count} interval={interval} start=14s timeout=2s"
    board = Board("pico-w", public_image("picow_webserver.uf2"), network=path, traffic=[ping])
    board.run("3600 s", until_done=True)
    samples = board.traffic.samples("ping")
    return Pings(board, sorted((one["done_ps"] - one["trigger_ps"]) / PS_PER_MS for one in samples if one["done_ps"]))
