"""Rows of dots on one logarithmic axis, as HTML: names wrap, nothing is cut, and no script is needed.

The axis ends at the data. A line reaches from the dot to a slower percentile, a diamond is what others published.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airwire.report import units
from airwire.report.html import text

_LABEL_SHARE = 0.14
"""How much of the axis a label needs at least."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One row: where its dot is, how far its line reaches, and what stands beside it."""

    name: str
    anchor: str
    low_ms: float
    """Where the line begins; the dot itself where there is nothing below."""
    at_ms: float
    high_ms: float
    words: str
    colour: str = "var(--mark)"
    published_ms: float | None = None


def domain_of(dots: Sequence[Dot]) -> tuple[float, float]:
    """The axis that shows all of them; plots that are read together share one."""
    ends = [end for dot in dots for end in (dot.low_ms, dot.at_ms, dot.high_ms, dot.published_ms) if end is not None]
    return units.padded_log_domain(ends, padding=0.02)


def dot_plot(dots: Sequence[Dot], label: str, domain: tuple[float, float]) -> str:
    """The plot with its axis above; ``label`` says what it shows to who cannot see it."""
    ticks = _spaced(units.log_ticks(*domain), domain)
    lines = ",".join("linear-gradient(var(--grid),var(--grid))" for _ in ticks) or "none"
    places = ",".join(f"{_place(tick, domain)} 0" for tick in ticks) or "0 0"
    axis = "".join(
        f"<span style='left:{_place(tick, domain)}'>{units.format_duration(tick * units.PS_PER_MS)}</span>"
        for tick in ticks
    )
    rows = "".join(_row(dot, domain) for dot in dots)
    many = " many" if len(dots) > MANY else ""
    return (
        f"<div class='dots{many}' role='group' aria-label='{text(label)}' style='--lines:{lines};--places:{places}'>"
        f"<div class='dot-axis' aria-hidden='true'><b></b><span class='track'>{axis}</span><b></b></div>"
        f"<ul>{rows}</ul></div>"
    )


MANY = 40
"""From so many rows on a wide page shows them in two columns."""


def _row(dot: Dot, domain: tuple[float, float]) -> str:
    low, high = _share(dot.low_ms, domain), _share(dot.high_ms, domain)
    published = (
        ""
        if dot.published_ms is None
        else f"<i class='diamond' title='published' style='left:{_place(dot.published_ms, domain)}'></i>"
    )
    mark = f"<i class='dot' style='left:{_place(dot.at_ms, domain)}'></i>"
    return (
        f"<li><a href='#{dot.anchor}'>{text(dot.name)}</a><span class='track' style='--c:{dot.colour}'>"
        f"<i class='reach' style='left:{low:.2f}%;width:{max(0.0, high - low):.2f}%'></i>{published}"
        f"{mark}</span><span class='n'>{text(dot.words)}</span></li>"
    )


def _share(value: float, domain: tuple[float, float]) -> float:
    low, high = (math.log10(end) for end in domain)
    return 100 * (math.log10(value) - low) / (high - low)


def _place(value: float, domain: tuple[float, float]) -> str:
    return f"{_share(value, domain):.2f}%"


def _spaced(ticks: Sequence[float], domain: tuple[float, float]) -> list[float]:
    """Those of the ticks whose labels do not collide, and that stand clear of the ends."""
    kept: list[float] = []
    for tick in ticks:
        share = _share(tick, domain)
        apart = not kept or share - _share(kept[-1], domain) >= 100 * _LABEL_SHARE
        if apart and 4 <= share <= 96:
            kept.append(tick)
    return kept
