"""The first screen of a twin's report: the verdict, and what the board's median is made of."""

from __future__ import annotations

from pathlib import Path

from airwire.explain.quantities import table_time
from airwire.report.opening import Bar, Opening
from airwire.twins.comparison import Twin
from airwire.twins.sentences import details, open_name, part_name, verdict_line


def title(found: Twin) -> str:
    """The heading of the page."""
    return f"{Path(found.image).name} at {found.address} beside its twin"


def opening(found: Twin) -> Opening:
    """The parts of the real median: what the twin spends, what this computer and the network add, and what is left."""
    bars = [Bar(part_name(part.kind), part.kind, part.ps) for part in found.parts if part.ps > 0]
    bars.append(Bar(open_name(found), None, found.open_ps))
    medians = [table_time(row.statistic("p50")) for row in (found.real, found.virtual)]
    heading = f"Of the board's median of {medians[0]} the image explains this (its twin takes {medians[1]})"
    return Opening(verdict_line(found), details(found), heading, bars)
