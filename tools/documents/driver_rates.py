"""Writes the tables of ``docs/explanation/why-11-messages.md`` anew.

    python tools/documents/driver_rates.py --older FOLDER

The drivers in Rust are those of ``cargo run --release -p airwire-lan --example driver_table``.

Needs the library that tests/drivers/requirements.txt names, and in FOLDER the release of its time:
``pip install --no-deps --target FOLDER adafruit-circuitpython-wiznet5k==5.0.2``.
"""

from __future__ import annotations

import argparse
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "explanation" / "why-11-messages.md"
DRIVERS = DOCS.parent / "tests" / "drivers"
sys.path.insert(0, str(DRIVERS))

from adafruit_wiznet5k_driver import Adafruit, bring_up  # noqa: E402
from circuitpython_board import Costs, Spent  # noqa: E402

from airwire.board.spi_controller import SpiController  # noqa: E402

MESSAGES = 1000
NEW, OLD = "7.4.5", "5.0.2"
ADDRESS = ("192.168.1.2", "255.255.255.0", "192.168.1.1", "192.168.1.1")
SERVER = ("192.168.1.1", 5000)
PS_PER_MS = 10**9
PS_PER_US = 10**6

DECLARED = {
    "least": Costs(bytecode_ps=1 * PS_PER_US, character_ps=820_000, collection_ps=2 * PS_PER_MS),
    "middle": Costs(bytecode_ps=5 * PS_PER_US // 2, character_ps=5 * PS_PER_US, collection_ps=4 * PS_PER_MS),
    "most": Costs(bytecode_ps=5 * PS_PER_US, character_ps=15_600_000, collection_ps=8 * PS_PER_MS),
}
"""What an interpreter may take on an RP2040; the page says where the figures come from."""

_TABLE = re.compile(r"(<!-- (\w+) -->\n)(.*?)(<!-- end of \2 -->)", re.DOTALL)


@dataclass(frozen=True)
class Rate:
    """What a message took, on average."""

    transactions: float
    bytes: float
    bus_ms: float
    total_ms: float
    spent: Spent
    costs: Costs

    @property
    def sleep_ms(self) -> float:
        """The driver's own sleeps."""
        return self.spent.sleep_ps / MESSAGES / PS_PER_MS

    @property
    def interpreter_ms(self) -> float:
        """Bytecodes."""
        return self.spent.interpreter_ps(self.costs) / MESSAGES / PS_PER_MS

    @property
    def console_ms(self) -> float:
        """Characters."""
        return self.spent.characters * self.costs.character_ps / MESSAGES / PS_PER_MS

    @property
    def collection_ms(self) -> float:
        """Collections of garbage."""
        return self.spent.collections * self.costs.collection_ps / MESSAGES / PS_PER_MS

    def per_message(self, count: int) -> float:
        """A count of the whole, for one message."""
        return count / MESSAGES


def connect(
    clock_hz: int | None, *, costs: Costs, debug: bool, libraries: Sequence[Path]
) -> tuple[Adafruit, Callable[[int], int]]:
    """Bring the chip up and connect; gives the driver, and the ping-pong to run."""
    driver = bring_up(
        SpiController("w5500"), address=ADDRESS, clock_hz=clock_hz, debug=debug, costs=costs, libraries=libraries
    )
    ping_pong = driver.board.run(DRIVERS / "ping_pong_client.py")["ping_pong"]
    client = driver.socket()
    client.connect(SERVER)
    return driver, lambda messages: ping_pong(client, messages)


def measure(
    clock_hz: int | None, *, costs: Costs, debug: bool = False, count: bool = False, libraries: Sequence[Path] = ()
) -> Rate:
    """Run the ping-pong."""
    driver, ping_pong = connect(clock_hz, costs=costs, debug=debug, libraries=libraries)
    used, spent, begin = driver.controller.used, driver.board.spent, driver.board.now_ps()
    with driver.board.counting() if count else nullcontext():
        ping_pong(MESSAGES)
    after = driver.controller.used
    return Rate(
        transactions=(after.transactions - used.transactions) / MESSAGES,
        bytes=(after.bytes - used.bytes) / MESSAGES,
        bus_ms=(after.bus_ps - used.bus_ps) / MESSAGES / PS_PER_MS,
        total_ms=(driver.board.now_ps() - begin) / MESSAGES / PS_PER_MS,
        spent=driver.board.spent - spent,
        costs=costs,
    )


def first_look_ms(costs: Costs, *, debug: bool, libraries: Sequence[Path]) -> float:
    """From SEND to the first look at what was received."""
    driver, ping_pong = connect(None, costs=costs, debug=debug, libraries=libraries)
    driver.controller.record()
    with driver.board.counting():
        ping_pong(2)
    accesses = driver.controller.take_accesses()
    sent = next(access.end_ps for access in accesses if access.command == "SEND")
    look = next(access for access in accesses if access.start_ps > sent and access.register == "Sn_RX_RSR")
    return (look.start_ps - sent) / PS_PER_MS


def bus_table(older: Path | None) -> Iterator[str]:
    """What each release does on the bus when the interpreter takes no time."""
    yield "| release | SCK | SPI transactions | bytes | bus | sleeps | messages/s |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for release, clock_hz, libraries in releases(older):
        rate = measure(clock_hz, costs=Costs(), libraries=libraries)
        shown = f"{(clock_hz or 8_000_000) / 1e6:g} MHz"
        yield (
            f"| {release} | {shown} | {rate.transactions:.1f} | {rate.bytes:.0f} | {rate.bus_ms:.3f} ms "
            f"| {rate.sleep_ms:.3f} ms | {1000 / rate.total_ms:.0f} |"
        )


def releases(older: Path | None) -> Iterator[tuple[str, int | None, list[Path]]]:
    """Release, clock and where it is."""
    for clock_hz in (2_000_000, 8_000_000, 33_300_000):
        yield NEW, clock_hz, []
    if older is not None:
        yield OLD, None, [older]


def work_table(older: Path | None) -> Iterator[str]:
    """What the interpreter has to do for a message."""
    yield "| release | debug | SPI transactions | bytecodes | prints' characters | garbage collections |"
    yield "|---|---|--:|--:|--:|--:|"
    for release, libraries in ((NEW, []), (OLD, [older])):
        if libraries == [None]:
            continue
        for debug in (False, True):
            rate = counted(DECLARED["middle"], debug=debug, libraries=[path for path in libraries if path])
            spent = rate.spent
            yield (
                f"| {release} | {'on' if debug else 'off'} | {rate.transactions:.1f} "
                f"| {rate.per_message(spent.bytecodes):.0f} | {rate.per_message(spent.characters):.0f} "
                f"| {rate.per_message(spent.collections):.1f} |"
            )


def counted(costs: Costs, *, debug: bool, libraries: Sequence[Path]) -> Rate:
    """A run at 8 MHz with bytecodes counted."""
    return measure(None, costs=costs, debug=debug, count=True, libraries=libraries)


def shares_table(older: Path | None) -> Iterator[str]:
    """Where the time of a message goes with what is declared."""
    libraries = [] if older is None else [older]
    yield "| declared | bus | sleeps | console | garbage collection | bytecodes | a message | messages/s | first look |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name, costs in DECLARED.items():
        for debug in (False, True):
            rate = counted(costs, debug=debug, libraries=libraries)
            yield (
                f"| {name}, debug {'on' if debug else 'off'} | {rate.bus_ms:.2f} ms | {rate.sleep_ms:.2f} ms "
                f"| {rate.console_ms:.2f} ms | {rate.collection_ms:.2f} ms | {rate.interpreter_ms:.2f} ms "
                f"| {rate.total_ms:.1f} ms | {1000 / rate.total_ms:.0f} "
                f"| {first_look_ms(costs, debug=debug, libraries=libraries):.1f} ms |"
            )


def drivers_table(_older: Path | None) -> Iterator[str]:
    """What the drivers of the Rust registry do on the bus."""
    command = ["cargo", "run", "--release", "--quiet", "-p", "airwire-lan", "--example", "driver_table"]
    done = subprocess.run(command, cwd=DOCS.parent, capture_output=True, text=True, check=True)
    yield from done.stdout.splitlines()


def tables_of(text: str, made: Mapping[str, str]) -> str:
    """The page with other tables in the places that bear their names."""
    return _TABLE.sub(lambda match: match[1] + made.get(match[2], match[3]) + match[4], text)


def main() -> int:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description="Write the tables of why-11-messages.md anew.")
    parser.add_argument("--older", type=Path, help=f"a folder with release {OLD} of the library")
    older = parser.parse_args().older
    tables = {"bus": bus_table, "work": work_table, "shares": shares_table, "drivers": drivers_table}
    made = {name: "\n".join(table(older)) + "\n" for name, table in tables.items()}
    PAGE.write_text(tables_of(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    print(f"Bytecodes as CPython {platform.python_version()} counts them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
