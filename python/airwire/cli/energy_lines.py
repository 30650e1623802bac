"""What the rows of a run took of the sender's battery, on a terminal."""

from __future__ import annotations

from rich.text import Text

from airwire.cli.tables import console
from airwire.cli.verdict_lines import print_indented
from airwire.explain.energy import energy_sentence
from airwire.model import Analysis


def print_energies(analysis: Analysis) -> None:
    """A line for each row whose currents are known."""
    told = [(row.path, sentence) for row in analysis.captures if (sentence := energy_sentence(row)) is not None]
    out = console()
    if told:
        out.print("\nEnergy of the sender:", style="bold")
    for path, sentence in told:
        print_indented(out, Text(f"- {path}: {sentence}"), 2, hanging=True)
