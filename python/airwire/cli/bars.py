"""Stages as bars on a terminal: each begins where the one before it ends."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from airwire.explain.quantities import table_time
from airwire.kinds import Cause
from airwire.link.model import Change
from airwire.stage import Stage

BAR_CHARACTERS = 44
COLOURS: Mapping[Cause, str] = {
    "queue": "yellow",
    "cpu": "white",
    "bus": "cyan",
    "gate": "red",
    "air": "blue",
    "protocol": "green",
    "retry": "magenta",
    "wire": "blue",
    "delay": "green",
    "window": "red",
    "pc": "bright_cyan",
    "chip": "yellow",
    "sleep": "bright_red",
    "console": "magenta",
    "empirical": "white",
}
"""As in reports, causes that never occur together share one."""


def print_stages(out: Console, stages: Sequence[Stage], total_ps: float, longest_ps: float | None = None) -> None:
    """A line per stage: name, kind, time, share and its bar, on a scale that ends at ``longest_ps``."""
    scale = longest_ps or total_ps
    names = max((len(stage.name) for stage in stages), default=0)
    block = "█" if (sys.stdout.encoding or "ascii").lower().startswith("utf") else "#"
    begun = 0.0
    for stage in stages:
        start = round(BAR_CHARACTERS * begun / scale) if scale else 0
        begun += stage.ps
        end = round(BAR_CHARACTERS * begun / scale) if scale else 0
        line = Text(
            f"  {stage.name:<{names}}  {stage.cause:<9} {table_time(stage.ps):>9}  {_share(stage.ps, total_ps):>7}  "
        )
        # A stage too short for the scale still leaves a mark where it is.
        bar = block * (end - start) if end > start else "|"
        line.append(" " * start + bar, style=COLOURS[stage.cause])
        out.print(line, overflow="crop", no_wrap=True)


def _share(ps: float, total_ps: float) -> str:
    """One decimal for all, so that they stand below each other."""
    share = 100 * ps / total_ps if total_ps else 0.0
    return "<0.1 %" if 0 < share < 0.1 else f"{share:.1f} %"


def print_changes(out: Console, changes: Sequence[Change], most: int) -> None:
    """What to change first, the best value of each setting; or that no single setting helps."""
    if not changes:
        out.print("  Change first: no single setting that is worth trying makes it faster.", style="dim")
        return
    out.print("  Change first:", style="bold")
    best: dict[str, Change] = {}
    for change in changes:
        best.setdefault(change.setting, change)
    for place, change in enumerate(list(best.values())[:most], start=1):
        out.print(Text(f"  {place}. {change.sentence}"))
