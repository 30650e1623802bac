"""A board at an address on a terminal: its figure, its percentiles, what this computer takes, and the verdict."""

from __future__ import annotations

import shlex

from rich.text import Text

from airwire.address.row import AddressRow
from airwire.cli.tables import console
from airwire.cli.verdict_lines import print_verdict
from airwire.explain.address.run import address_verdict, own_packets
from airwire.explain.board.figures import figure_text, interval_text
from airwire.explain.quantities import table_time
from airwire.model import Analysis, Capture, rows_of_addresses

_PERCENTILES = (("median", "p50"), ("p95", "p95"), ("p99", "p99"), ("most", "max"))


def print_addresses(analysis: Analysis) -> None:
    """What was measured, and what to type next."""
    out = console()
    for row in rows_of_addresses(analysis):
        target = row.target
        line = Text(f"{target.traffic} at {target.address}: ")
        line.append(figure_text(target.figure), style="bold")
        interval = interval_text(target.figure)
        if interval:
            line.append(f"  {interval}")
        out.print(line)
        latencies = _latencies(row)
        if latencies:
            out.print(f"  {latencies}")
        print_verdict(out, address_verdict(row, own_packets(analysis, row)))
    if analysis.run_folder is not None and analysis.captures:
        print(f"Next: airwire report {shlex.quote(analysis.run_folder)}")


def _latencies(row: Capture[AddressRow]) -> str:
    """``median 601 us, p95 700 us, p99 739 us, most 1.2 ms; 2 000 of 2 000 answered``; nothing of a transfer."""
    if row.latency_ps is None or row.target.unit == "bit/s":
        return ""
    latency = row.latency_ps
    times = ", ".join(f"{name} {table_time(latency[key])}" for name, key in _PERCENTILES)
    answered, asked = (f"{number:,}".replace(",", " ") for number in (row.outcomes["paired"], row.triggers))
    return f"{times}; {answered} of {asked} answered"
