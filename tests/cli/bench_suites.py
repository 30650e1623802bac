"""Suites that the tests of several commands run, and how a capture of a link is made."""

from __future__ import annotations

from pathlib import Path

QUICK = """
name = "quick"
seed = 5
samples = 300
payloads = [12, 128]

[links.lora]
sf = [7, 9]
bandwidth = "250 kHz"
"""
# One of four rows has a published median, half of what the link takes.
PUBLISHED = (
    QUICK
    + """
published = [
    { payload = 12, sf = 9, median = "40 ms", source = "somebody's table 2", note = "another antenna" },
]
"""
)
# Messages every 20 ms on a link that takes a second for each.
OVERLOADED = """
samples = 60
payloads = [128]
trigger = { kind = "fixed", period = "20ms" }

[links.lora]
sf = 10
"""
# Long enough that Ctrl-C comes first.
ENDLESS = """
samples = 20000000
payloads = [12]

[links.lora]
sf = [7, 8, 9]
"""


def write(folder: Path, text: str, name: str = "suite.toml") -> Path:
    """Put a suite into a folder."""
    path = folder / name
    path.write_text(text, encoding="ascii")
    return path
