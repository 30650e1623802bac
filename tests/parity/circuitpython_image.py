"""CircuitPython itself, as its makers publish it, on a virtual board: the image, and files on its disk.

The disk is the FAT volume that the image makes in flash when it starts for the first time. Debian's mtools write files
into it, as a PC would over USB.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from public_images import public_image

from airwire.board import Board

IMAGE = "circuitpython-9.2.1.uf2"
XIP_BASE = 0x1000_0000
DISK = slice(XIP_BASE + (1 << 20), XIP_BASE + (2 << 20))
"""The second of the two MB of flash; the first one holds the image (ports/raspberrypi of CircuitPython)."""
FIRST_START = "8 s"
"""It waits for a PC at its USB port, makes the disk, and runs what is on it."""


def is_possible() -> bool:
    """Whether the tool that writes FAT volumes is here."""
    return shutil.which("mcopy") is not None


def circuitpython(image: Path, files: Mapping[str, Path], folder: Path, *, board: str, network: Path) -> Board:
    """A board that has just been reset, with files on its disk; ``folder`` is for what is between.

    Names are paths on the disk, such as ``lib/thing.py``. ``code.py`` runs as soon as the board does.
    """
    made = Board(board, image, network=network)
    made.run(FIRST_START)
    volume = folder / "disk.img"
    volume.write_bytes(made.memory[DISK])
    for name, path in files.items():
        _put(volume, name, path)
    made.memory[DISK] = volume.read_bytes()
    made.send("\r")
    made.run("500 ms")
    made.send("import microcontroller\rmicrocontroller.reset()\r")
    return made


def _put(volume: Path, name: str, path: Path) -> None:
    """Write a file, and the folders that it is in where they are missing."""
    parts = name.split("/")
    for depth in range(1, len(parts)):
        # A folder that is there already is skipped, which mtools calls a failure.
        subprocess.run(
            ["mmd", "-D", "s", "-i", volume, "::" + "/".join(parts[:depth])], check=False, capture_output=True
        )
    subprocess.run(["mcopy", "-o", "-i", volume, path, f"::{name}"], check=True, capture_output=True)


PUBLISHED_CLIENT = """\
import gc, time, board, busio, digitalio
from adafruit_wiznet5k.adafruit_wiznet5k import WIZNET5K
try:
    from adafruit_wiznet5k.adafruit_wiznet5k_socketpool import SocketPool
except ImportError:
    import adafruit_wiznet5k.adafruit_wiznet5k_socket as sockets
chip_select = digitalio.DigitalInOut(board.GP17)
spi = busio.SPI(board.GP18, MOSI=board.GP19, MISO=board.GP16)
time.sleep(3)
chip = WIZNET5K(spi, chip_select, is_dhcp=False, debug={debug})
address, mask, pc = (192, 168, 1, 2), (255, 255, 255, 0), (192, 168, 1, 1)
chip.ifconfig = tuple(map(bytes, (address, mask, pc, pc)))
gc.collect()
begin = time.monotonic_ns()
gc.collect()
print("collection", time.monotonic_ns() - begin)
try:
    client = SocketPool(chip).socket()
except NameError:
    sockets.set_interface(chip)
    client = sockets.socket()
client.connect(("192.168.1.1", 5000))
begin = time.monotonic_ns()
client.send(b"1")
for sent in range(1, {messages}):
    number = int(client.recv(16))
    client.send(str(number + 1).encode())
print("ping-pong", time.monotonic_ns() - begin, number)
"""
"""The loop of the public comparison on Adafruit's library, old or new; it says what a collection takes as well."""


def library_files(library: Path) -> dict[str, Path]:
    """What the client needs of a folder with ``adafruit-circuitpython-wiznet5k`` and ``-ticks``."""
    modules = [library / "adafruit_ticks.py", *sorted((library / "adafruit_wiznet5k").glob("*.py"))]
    return {f"lib/{path.relative_to(library)}": path for path in modules if "wsgi" not in path.name}


def printed(board: Board, word: str, within: str) -> list[int]:
    """The numbers of the last line that begins with a word, once it is there."""
    board.run(within, until=f"{word} ")
    board.run("100 ms")
    return [int(number) for number in board.console.rsplit(f"{word} ", 1)[1].split("\n")[0].split()]


@dataclass(frozen=True, slots=True)
class PingPong:
    """A run of the client; the board's clock measured it."""

    board: Board
    collection_ps: int
    total_ps: int
    last: int
    """The last number that came back."""


def measured_ping_pong(folder: Path, libraries: Path, *, debug: bool, messages: int) -> PingPong:
    """The public client in CircuitPython's own image, against the virtual PC; ``folder`` is for what is between."""
    code, network = folder / "code.py", folder / "network.toml"
    code.write_text(PUBLISHED_CLIENT.format(debug=debug, messages=messages), encoding="utf-8")
    network.write_text("[traffic.pingpong-server]\n", encoding="utf-8")
    files = {"code.py": code, **library_files(libraries)}
    board = circuitpython(public_image(IMAGE), files, folder, board="w5500-evb-pico", network=network)
    (collection_ns,) = printed(board, "collection", "30 s")
    total_ns, last = printed(board, "ping-pong", f"{10 + messages // 5} s")
    return PingPong(board, 1000 * collection_ns, 1000 * total_ns, last)
