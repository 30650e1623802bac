"""What the rows of a run took of the sender's battery, on a terminal."""

from __future__ import annotations

from rich.text import Text

from airwire.cli.tables import console
from airwire.cli.verdict_lines import print_indented
from airwire.explain.energy import board_energy, link_energy
from airwire.model import Analysis, rows_of_boards, rows_of_links

_MOST_LINES = 12


def print_energies(analysis: Analysis) -> None:
    """A line for each row whose currents are known."""
    found = [(row.path, link_energy(row.target)) for row in rows_of_links(analysis)]
    found += [(row.path, board_energy(row.target)) for row in rows_of_boards(analysis)]
    told = [(path, sentence) for path, sentence in found if sentence is not None]
    out = console()
    if told:
        out.print("\nEnergy:", style="bold")
    for path, sentence in told[:_MOST_LINES]:
        print_indented(out, Text(f"- {path}: {sentence}"), 2, hanging=True)
    if len(told) > _MOST_LINES:
        print_indented(out, Text(f"- and of {len(told) - _MOST_LINES} more rows (--json has all)"), 2, hanging=True)
