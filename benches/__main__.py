"""Runs all benches and prints their tables: ``python -m benches``."""

from __future__ import annotations

from collections.abc import Callable

from benches import avr, batches, board, corpus, ingest, network, ns3_links, pace, sweeps, virtual


def main() -> None:
    """Print every table as it is done."""
    folder = ingest.material_folder()
    tables: list[tuple[str, Callable[[], list[str]]]] = [
        ("Captures to latencies, 400 MB of CSV", lambda: ingest.run(folder)),
        ("Other captures", lambda: ingest.run_other_shapes(folder)),
        ("Memory", lambda: ingest.run_memory(folder)),
        ("Real captures and the command", corpus.run),
        ("The kernel of virtual time", virtual.run_kernel),
        ("Link models", virtual.run_links),
        ("A whole suite", virtual.run_suite),
        ("Sweeps by processes and by a cluster", sweeps.run),
        ("A cluster with empty points", sweeps.run_empty),
        ("A cluster that does nothing", sweeps.run_idle),
        ("What a point of a sweep moves", sweeps.run_bytes),
        ("Beside ns-3", ns3_links.run),
        ("Virtual boards beside rp2040js", board.run_loops),
        ("A virtual AVR beside avr8js", avr.run_loop),
        ("Virtual boards against real time", board.run_images),
        ("Busy boards against real time", pace.run_busy),
        ("Published images against real time", pace.run_public),
        ("Starts", pace.run_starts),
        ("Many boards", batches.run_many),
        ("Boards in threads", batches.run_threads),
        ("Boots and snapshots", board.run_boots),
        ("Boards on a network", network.run_network),
    ]
    for title, rows in tables:
        print(f"\n### {title}\n", flush=True)
        print("\n".join(rows()), flush=True)


if __name__ == "__main__":
    main()
