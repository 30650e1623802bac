"""A photograph of the demo site, as a browser of this machine sees it on a virtual board.

    make firmware && python tools/documents/live_page.py

Chromium opens the page through a forwarded port, while 1.65 V lie at GPIO26. Tests import the same functions.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from _thread import interrupt_main
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from airwire.board import Board
from pictures import PICTURES, chromium

IMAGE = Path(__file__).resolve().parents[2] / "build" / "firmware" / "w5500-evb-pico" / "http_server-lwip_raw.elf"
MILLIVOLTS = 1650
LOOK_MS = 20_000
"""How long the page is open, in its own time, which stands still while it waits for the board."""
LONGEST_VISIT = "150 s"
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
Seen = TypeVar("Seen")


def started(image: Path = IMAGE, millivolts: int = MILLIVOLTS) -> Board:
    """A board that serves its pages, with a voltage at GPIO26."""
    board = Board("w5500-evb-pico", image, record=False)
    board.pins["GP26"].set_millivolts(millivolts)
    run = board.run("10 s", until="ready at ")
    assert run.reason == "text", f"{run.sentence}\n{board.console}"
    # From the address to the port that listens.
    board.run("100 ms")
    return board


def while_served(board: Board, visit: Callable[[str], Seen]) -> Seen:
    """Serve the board's pages in real time for as long as ``visit(address)`` takes; call it on the main thread."""
    # A shell starts what runs in the background with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with ThreadPoolExecutor(1) as pool:
        visits: list[Future[Seen]] = []

        def begin(addresses: list[str]) -> None:
            visits.append(pool.submit(visit, f"http://{addresses[0]}/"))
            visits[0].add_done_callback(lambda _: interrupt_main())

        try:
            board.serve(for_=LONGEST_VISIT, forward=["0:80"], on_ready=begin)
        finally:
            signal.signal(signal.SIGINT, before)
    return visits[0].result()


def look(address: str, options: Sequence[str]) -> str:
    """Open a page in Chromium with a new profile; gives what it prints."""
    browser = chromium()
    assert browser is not None, "Chromium is not installed"
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *QUIET, f"--user-data-dir={profile}", f"--virtual-time-budget={LOOK_MS}", *options, address]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def main() -> None:
    """Photograph the page."""
    if not IMAGE.is_file():
        sys.exit(f"{IMAGE.name} is not built, so that live-page.png was not made: make firmware")
    if chromium() is None:
        sys.exit("Chromium is not installed, so that live-page.png was not made.")
    picture = PICTURES / "live-page.png"
    while_served(started(), partial(look, options=(f"--screenshot={picture}", "--window-size=760,700")))


if __name__ == "__main__":
    main()
