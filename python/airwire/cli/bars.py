"""Stages as bars on a terminal: in their order as a waterfall, or the longest first."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from airwire.cli.verdict_lines import cut, print_indented
from airwire.explain.quantities import table_time
from airwire.kinds import Cause
from airwire.link.model import Change
from airwire.stage import Stage

BAR_CHARACTERS = 44
_SHORTEST_BAR = 8
_SHORTEST_NAME = 16
# Of a line beside name and bar: margin, kind, time and share.
_FIGURES = 34
# Stages below this share of the whole stand together.
_SMALL = 0.01
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


def print_stages(out: Console, stages: Sequence[Stage], total_ps: float) -> None:
    """A line per stage in their order: name, kind, time, share, and a bar that begins where the one before ended."""
    begun = 0.0
    columns = _Columns(out, stages)
    for stage in stages:
        columns.print(stage.name, stage.cause, stage.ps, total_ps, (begun / total_ps, (begun + stage.ps) / total_ps))
        begun += stage.ps


def print_largest(out: Console, stages: Sequence[Stage], total_ps: float, longest_ps: float) -> None:
    """A line per stage, the longest first, with bars from the left edge; the rest as one line."""
    found = sorted(stages, key=lambda stage: -stage.ps)
    shown = [stage for stage in found if stage.ps >= _SMALL * total_ps] or found[:1]
    rest = found[len(shown) :]
    columns = _Columns(out, shown)
    for stage in shown:
        columns.print(stage.name, stage.cause, stage.ps, total_ps, (0.0, stage.ps / longest_ps))
    if rest:
        ps = sum(stage.ps for stage in rest)
        name = f"{len(rest)} other{'s' if len(rest) > 1 else ''}"
        columns.print(name, None, ps, total_ps, (0.0, ps / longest_ps))


class _Columns:
    """The columns of stages on a terminal: the bar gets what is left of the width, and the names are cut last."""

    def __init__(self, out: Console, stages: Sequence[Stage]) -> None:
        self.out = out
        longest = max((len(stage.name) for stage in stages), default=0)
        self.names = max(_SHORTEST_NAME, min(longest, out.width - _FIGURES - _SHORTEST_BAR))
        self.bar = max(0, min(BAR_CHARACTERS, out.width - _FIGURES - self.names))

    def print(self, name: str, cause: Cause | None, ps: float, total_ps: float, reach: tuple[float, float]) -> None:
        """A stage, whose bar reaches from one share of the scale to another."""
        block = "█" if (sys.stdout.encoding or "ascii").lower().startswith("utf") else "#"
        start, end = (round(self.bar * share) for share in reach)
        line = Text("  ")
        line.append(cut(name, self.names))
        line.pad_right(self.names + 2 - len(line))
        line.append(f"  {cause or '':<9} {table_time(ps):>9}  {_share(ps, total_ps):>7}  ")
        # A stage too short for the scale still leaves a mark where it is.
        bar = block * (end - start) if end > start else "|"
        line.append(" " * start + bar, style=COLOURS[cause] if cause else "dim")
        self.out.print(line, overflow="crop", no_wrap=True)


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
        print_indented(out, Text(f"{place}. {change.sentence}"), 2)
