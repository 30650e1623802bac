"""What a message of the CircuitPython ping-pong costs on the virtual bench, before and after. Run it with ``python``.

Before is a script as they are published: a wish of 2 MHz, ``debug=True``, 5 s of sleep before connect, the library's
socket pool. After is ``firmware/python/circuitpython`` as it is. Writes the table of
docs/how-to/ping-pong-in-python.md anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pico_board import FIRMWARE, REPOSITORY, Costs, PicoBoard, SpiController

PAGE = REPOSITORY / "docs" / "how-to" / "ping-pong-in-python.md"
TABLE = re.compile(r"(<!-- rates -->\n).*?(<!-- end of rates -->)", re.DOTALL)
PS_PER_MS, PS_PER_US = 10**9, 10**6
MESSAGES = 1000
PUBLISHED = """
import time
import board, busio
from digitalio import DigitalInOut
from adafruit_wiznet5k.adafruit_wiznet5k import WIZNET5K
from adafruit_wiznet5k.adafruit_wiznet5k_socketpool import SocketPool

spi = busio.SPI(board.GP18, MOSI=board.GP19, MISO=board.GP16)
chip = WIZNET5K(
    spi, DigitalInOut(board.GP17), DigitalInOut(board.GP20), is_dhcp=True, debug=True, spi_baudrate=2_000_000
)
connection = SocketPool(chip).socket()
time.sleep(5)
connection.connect(("192.168.1.1", 5000))

def play(messages):
    connection.send(b"1")
    for _ in range(messages - 1):
        number = int(connection.recv(16))
        connection.send(str(number + 1).encode())
"""
DECLARED = {
    "none": Costs(),
    "least": Costs(bytecode_ps=1 * PS_PER_US, character_ps=820_000, collection_ps=2 * PS_PER_MS),
    "middle": Costs(bytecode_ps=5 * PS_PER_US // 2, character_ps=5 * PS_PER_US, collection_ps=4 * PS_PER_MS),
    "most": Costs(bytecode_ps=5 * PS_PER_US, character_ps=15_600_000, collection_ps=8 * PS_PER_MS),
}
"""What an interpreter may take on an RP2040: docs/explanation/why-11-messages.md says where the figures come from."""


@dataclass(frozen=True)
class Rate:
    """A run, and what a message of it took on average."""

    ready_s: float
    transactions: float
    bytes: float
    bus_ms: float
    bytecodes: float
    collections: float
    message_ms: float


def before(costs: Costs) -> Rate:
    """The script as published."""
    board = PicoBoard(SpiController("w5500"), costs=costs, end_ps=600 * 10**12)
    script = FIRMWARE / "published.py"
    names = {"__name__": "__main__", "__builtins__": board._builtins}
    exec(compile(PUBLISHED, str(script), "exec"), names)
    return _measured(board, lambda: names["play"](MESSAGES))  # type: ignore[operator]


def after(costs: Costs) -> Rate:
    """Our client's parts in the order of its ``main``, with the time taken around the same messages."""
    board = PicoBoard(SpiController("w5500"), costs=costs, end_ps=600 * 10**12)
    client = board.import_module("pingpong_client")
    chip = client.readiness.ready()
    stream = client.streams.connect(chip, client.SERVER, client.PORT, client.TIMEOUT_MS, lambda: None)
    return _measured(board, lambda: client.play(stream, MESSAGES, client.ticks_ms, client.ticks_diff))


def _measured(board: PicoBoard, play: object) -> Rate:
    assert callable(play)
    begin_ps, used, spent = board.now_ps(), board.controller.used, board.spent
    with board.counting():
        play()
    done, did = board.controller.used, board.spent - spent
    return Rate(
        ready_s=begin_ps / 10**12,
        transactions=(done.transactions - used.transactions) / MESSAGES,
        bytes=(done.bytes - used.bytes) / MESSAGES,
        bus_ms=(done.bus_ps - used.bus_ps) / MESSAGES / PS_PER_MS,
        bytecodes=did.bytecodes / MESSAGES,
        collections=did.collections / MESSAGES,
        message_ms=(board.now_ps() - begin_ps) / MESSAGES / PS_PER_MS,
    )


def table(declared: Iterable[str] = DECLARED) -> Iterator[str]:
    """The lines of the page's table, or those of some declared times."""
    yield (
        "| Python takes | script | connected after | SPI transactions | SPI bytes | bus time | bytecodes "
        "| collections | a message | messages/s |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name in declared:
        for script, run in (("as published", before), ("this one", after)):
            rate = run(DECLARED[name])
            yield (
                f"| {name} | {script} | {rate.ready_s:.2f} s | {rate.transactions:.1f} | {rate.bytes:.0f} "
                f"| {rate.bus_ms:.3f} ms | {rate.bytecodes:.0f} | {rate.collections:.1f} "
                f"| {rate.message_ms:.2f} ms | {1000 / rate.message_ms:.0f} |"
            )


def main() -> None:
    """Write the table."""
    lines = "\n".join(table())
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda match: f"{match[1]}{lines}\n{match[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    main()
