"""Runs the benches and prints their tables as they are done: ``python -m benches [NAME ...] [--into PAGE]``.

A page has the table of a bench between ``<!-- table: NAME -->`` and ``<!-- end of table -->``. With ``--into`` each
table takes the place of the one before, and ``machine`` tells where and when.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benches import avr, batches, board, corpus, ingest, network, ns3_links, pace, sweeps, traffic, virtual

Rows = Callable[[], list[str]]


def tables() -> dict[str, tuple[str, Rows]]:
    """Each bench's name, with its title and what makes its table."""

    def of_captures(make: Callable[[Path], list[str]]) -> Rows:
        return lambda: make(ingest.material_folder())

    return {
        "machine": ("The machine", machine),
        "ingest": ("Captures to latencies, 400 MB of CSV", of_captures(ingest.run)),
        "shapes": ("Other captures", of_captures(ingest.run_other_shapes)),
        "memory": ("Memory", of_captures(ingest.run_memory)),
        "corpus": ("Real captures and the command", corpus.run),
        "kernel": ("The kernel of virtual time", virtual.run_kernel),
        "links": ("Link models", virtual.run_links),
        "suite": ("A whole suite", virtual.run_suite),
        "sweeps": ("Sweeps by processes and by a cluster", sweeps.run),
        "empty-points": ("A cluster with empty points", sweeps.run_empty),
        "idle-cluster": ("A cluster that does nothing", sweeps.run_idle),
        "bytes-of-points": ("What a point of a sweep moves", sweeps.run_bytes),
        "ns3": ("Beside ns-3", ns3_links.run),
        "loops": ("Virtual boards beside rp2040js", board.run_loops),
        "avr": ("A virtual AVR beside avr8js", avr.run_loop),
        "spi-dma": ("Virtual boards against real time", board.run_images),
        "busy": ("Busy boards against real time", pace.run_busy),
        "uploads": ("A Pico W's upload to its radio against real time", pace.run_uploads),
        "published": ("Published images against real time", pace.run_public),
        "starts": ("Starts", pace.run_starts),
        "many": ("Many boards", batches.run_many),
        "threads": ("Boards in threads", batches.run_threads),
        "boots": ("Boots and snapshots", board.run_boots),
        "network": ("Boards on a network", network.run_network),
        "traffic": ("Our images under traffic", traffic.run_traffic),
    }


def machine() -> list[str]:
    """The processor, the system, the day, and what else the machine had to do when the run began."""
    cpu_info = Path("/proc/cpuinfo")
    text = cpu_info.read_text(encoding="ascii", errors="replace") if cpu_info.is_file() else ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    name = model[1].strip() if model else platform.processor() or platform.machine()
    busy = f"{os.getloadavg()[0]:.1f}"
    rows = ["| processor | cores | system | day (UTC) | load at the begin |", "|---|--:|---|---|--:|"]
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    return [*rows, f"| {name} | {os.cpu_count()} | {platform.system()} | {day} | {busy} |"]


def put(page: Path, name: str, rows: Sequence[str]) -> None:
    """Put a table into a page that has a place for it; a table without its peers leaves the one before."""
    if rows[0].startswith("Left out"):
        return
    text = page.read_text(encoding="utf-8")
    place = re.compile(rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end of table -->)", re.DOTALL)
    lines = "\n".join(rows)
    page.write_text(place.sub(lambda found: f"{found[1]}\n{lines}\n\n{found[2]}", text), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run those that are named, or all of them."""
    known = tables()
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; all of them without one")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="a page whose tables are to be made anew")
    told = parser.parse_args(arguments)
    if unknown := [name for name in told.names if name not in known]:
        parser.error(f"there is no bench {unknown[0]}; there are {', '.join(known)}")
    if told.into is not None and not told.into.is_file():
        parser.error(f"{told.into}: there is no such page; name one that has places for tables")
    for name in told.names or known:
        title, make = known[name]
        print(f"\n### {title}\n", flush=True)
        rows = make()
        print("\n".join(rows), flush=True)
        if told.into is not None:
            put(told.into, name, rows)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped by Ctrl-C; the tables that were done stand above.")
