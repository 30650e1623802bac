"""Where the time of a row goes, as HTML: a stacked bar in its line, and a waterfall in its section."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.kinds import Cause
from airwire.link.model import Waterfall
from airwire.report import units
from airwire.report.html import text
from airwire.report.spec import LegendEntry
from airwire.report.stage_colours import KINDS, kind_legend
from airwire.report.waterfall_figure import WaterfallRow, percent_of, title_of, waterfall_rows

SMALLEST_SHARE = 0.01
"""Kinds that take less leave their part of the bar empty."""


def kind_shares(waterfall: Waterfall) -> list[tuple[Cause, float]]:
    """The kinds of a waterfall's stages with their shares, the largest first; without those that cannot be seen."""
    total = waterfall.total_ps
    sums: dict[Cause, float] = {}
    for stage in waterfall.stages:
        sums[stage.cause] = sums.get(stage.cause, 0.0) + stage.ps
    shares = [(kind, ps / total) for kind, ps in sums.items() if total > 0 and ps / total >= SMALLEST_SHARE]
    order = list(KINDS)
    return sorted(shares, key=lambda one: (-one[1], order.index(one[0])))


def stage_bar(waterfall: Waterfall) -> str:
    """One stacked bar, a part for each kind of stage."""
    shares = kind_shares(waterfall)
    words = ", ".join(f"{KINDS[kind][1]} {percent_of(share, 1.0)}" for kind, share in shares)
    parts = "".join(f"<i style='width:{100 * share:.1f}%;background:{KINDS[kind][0]}'></i>" for kind, share in shares)
    return f"<span class='bar' role='img' title='{text(words)}'>{parts}</span>"


def bar_legend(found: Sequence[Waterfall]) -> list[LegendEntry]:
    """What the colours of stacked bars stand for."""
    shown = {kind for waterfall in found for kind, _ in kind_shares(waterfall)}
    return kind_legend(kind for kind in KINDS if kind in shown)


def waterfall_html(found: Sequence[Waterfall], *, of_bulk: bool) -> str:
    """A waterfall for each percentile side by side, the largest stages first, on one scale."""
    longest = max((waterfall.total_ps for waterfall in found), default=0.0)
    if longest <= 0:
        return ""
    shown = found[:1] if of_bulk else found
    columns = "".join(_waterfall(waterfall, found, longest, of_bulk=of_bulk) for waterfall in shown)
    return f"<div class='waterfalls'>{columns}</div>"


def _waterfall(waterfall: Waterfall, found: Sequence[Waterfall], longest: float, *, of_bulk: bool) -> str:
    rows = "".join(
        _stage(row, longest, waterfall.total_ps, of_bulk=of_bulk) for row in waterfall_rows(waterfall, found)
    )
    title = "Where the time of the transfer goes" if of_bulk else title_of(waterfall)
    if waterfall.messages == 0:
        of = "Mean times in closed form"
    else:
        of = f"Mean of the {waterfall.messages} traced {'intervals' if of_bulk else 'messages'} nearest to it"
    return (
        f"<section class='waterfall'><h5>{text(title)}</h5><ul>{rows}</ul>"
        f"<p class='note'>{of}: a sum by stage, the largest first, not a sequence.</p></section>"
    )


def _stage(row: WaterfallRow, longest: float, total: float, *, of_bulk: bool) -> str:
    share = percent_of(row.ps, total)
    words = share if of_bulk else f"{units.format_duration(row.ps)} ({share})"
    left, width = 100 * row.before_ps / longest, 100 * row.ps / longest
    return (
        f"<li><span>{text(row.name)}</span><span class='track'><i style='left:{left:.2f}%;width:{max(width, 0.2):.2f}%;"
        f"background:{KINDS[row.kind][0]}'></i></span><span class='n'>{text(words)}</span></li>"
    )
