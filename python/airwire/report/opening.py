"""What a page begins with where its caller knows the result better than the rows do: a sentence, and a sum as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airwire.kinds import Adds, Cause
from airwire.report import units
from airwire.report.html import sentence, text
from airwire.report.stage_colours import KINDS
from airwire.report.waterfall_figure import percent_of

_COLOURS: Mapping[Cause | Adds | None, str] = {
    **{cause: colour for cause, (colour, _) in KINDS.items()},
    "computer": "var(--series8)",
    "network": "var(--series11)",
    None: "var(--unknown)",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a sum; below 0 it goes back."""

    name: str
    kind: Cause | Adds | None
    """What it goes to; nothing where nobody knows."""
    ps: float


@dataclass(frozen=True, slots=True)
class Opening:
    """The first screen of a page."""

    result: str
    """One sentence, without its full stop."""
    details: Sequence[str]
    """Sentences below the bars."""
    heading: str
    bars: Sequence[Bar]
    """The parts of a sum, in their order."""


def result_paragraph(opening: Opening) -> str:
    """The sentence at the top."""
    return f"<p class='result' id='result'>{sentence(opening.result)}.</p>"


def sum_section(opening: Opening) -> str:
    """The bars, each from where the one before it ends, and what stands behind them."""
    ends = [0.0]
    for bar in opening.bars:
        ends.append(ends[-1] + bar.ps)
    longest = max(ends)
    if longest <= 0:
        return ""
    rows = "".join(_row(bar, begins, longest, ends[-1]) for bar, begins in zip(opening.bars, ends, strict=False))
    told = "".join(f"<li>{text(detail)}</li>" for detail in opening.details)
    return (
        f"<section id='picture'><h2>{text(opening.heading)}</h2>"
        "<p class='note'>A sum by part, not a sequence: each bar begins where the one before it ends.</p>"
        f"<div class='waterfalls'><section class='waterfall'><ul>{rows}</ul></section></div>"
        f"<ul class='why'>{told}</ul></section>"
    )


def _row(bar: Bar, begins: float, longest: float, total: float) -> str:
    left, width = min(begins, begins + bar.ps), abs(bar.ps)
    sign = "-" if bar.ps < 0 else ""
    words = f"{sign}{units.format_duration(width)} ({percent_of(width, total)})"
    return (
        f"<li><span>{text(bar.name)}</span><span class='track'><i style='left:{100 * left / longest:.2f}%;"
        f"width:{max(100 * width / longest, 0.2):.2f}%;background:{_COLOURS[bar.kind]}'></i></span>"
        f"<span class='n'>{text(words)}</span></li>"
    )
