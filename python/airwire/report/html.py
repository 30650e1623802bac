"""Small pieces of HTML and inline SVG: escaping, JSON inside scripts, legends, glyphs and box-plot strips.

Nothing here knows what a section says; ``findings``, ``tables`` and ``page`` put the pieces together.
"""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from airwire.report.spec import Figure, LegendEntry, Panel

_GLUED = re.compile(r"(\d) (%|[mun]?s\b|k?B\b|[kMG]?Hz\b|[kM]?bit/s|\d{3}\b)")
STRIP_PX = 190
DASH_CELL = "<td class='n'>&ndash;</td>"
_GLYPHS: Mapping[str, str] = {
    "circle": "<circle cx='6' cy='6' r='3.6'/>",
    "square": "<rect x='2.6' y='2.6' width='6.8' height='6.8'/>",
    "triangle-up": "<path d='M6 2 10 9.4H2Z'/>",
    "triangle-down": "<path d='M6 10 2 2.6h8Z'/>",
    "triangle-right": "<path d='M10 6 2.6 2v8Z'/>",
    "diamond": "<path d='M6 1.6 9.4 6 6 10.4 2.6 6Z'/>",
    "cross": "<path d='M4.6 1.8h2.8v2.8h2.8v2.8H7.4v2.8H4.6V7.4H1.8V4.6h2.8Z'/>",
}


def text(value: object) -> str:
    """``value`` as text that is safe inside an element or a quoted attribute."""
    return escape(str(value), quote=True)


def sentence(words: str) -> str:
    """A sentence as safe text in which no line ends within a number, between it and its unit, or within an arrow."""
    return text(_GLUED.sub("\\1\u00a0\\2", words.replace("->", "\u2192")))


def script_json(value: Any) -> str:
    """``value`` as compact JSON that cannot end the script element around it."""
    encoded = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        encoded = encoded.replace(character, f"\\u{ord(character):04x}")
    return encoded


def packed(content: str) -> str:
    """Text compressed, in letters that a script element may hold; the page's script unpacks it."""
    return base64.b64encode(zlib.compress(content.encode("utf-8"), 9)).decode("ascii")


def legend(entries: Sequence[LegendEntry]) -> str:
    """A legend as a list of symbols with their words."""
    if not entries:
        return ""
    items = "".join(f"<li>{_glyph(entry)}{text(entry.label)}</li>" for entry in entries)
    return f"<ul class='legend' aria-label='Legend'>{items}</ul>"


def _glyph(entry: LegendEntry) -> str:
    if entry.dash is not None:
        dash = " ".join(str(part) for part in entry.dash) if entry.dash[1] else "none"
        stroke = f"stroke='{entry.colour}' stroke-width='2' stroke-dasharray='{dash}'"
        return f"<svg aria-hidden='true' width='30' height='12'><path d='M1 6h28' fill='none' {stroke}/></svg>"
    shape = _GLYPHS.get(entry.shape or "circle", _GLYPHS["circle"])
    return f"<svg aria-hidden='true' width='12' height='12'><g fill='{entry.colour}'>{shape}</g></svg>"


def charts(figure: Figure, key: str) -> str:
    """The empty places in which the page's script draws the panels of a figure, and the data for it."""
    places = "".join(_chart(panel, key, place) for place, panel in enumerate(figure.panels))
    columns = " single" if len(figure.panels) == 1 else ""
    payload = [{"spec": panel.spec, "data": panel.data} for panel in figure.panels]
    data = f"<script type='text/plain' id='data-{key}' data-packed>{packed(script_json(payload))}</script>"
    return f"{legend(figure.legend)}<div class='charts{columns}'>{places}</div>{data}"


def _chart(panel: Panel, key: str, place: int) -> str:
    title = f"<h5>{text(panel.title)}</h5>" if panel.title else ""
    title += legend(panel.legend)
    caption = f"<figcaption>{text(panel.caption)}</figcaption>" if panel.caption else ""
    wide = " class='wide'" if panel.wide else ""
    label = text(f"{panel.title}. {panel.description}" if panel.title else panel.description)
    height = reserved_height(panel)
    target = f"<div class='chart' role='img' aria-label='{label}' data-figure='{key}' data-panel='{place}'"
    return f"<figure{wide}>{title}{target} style='min-height:{height}px'></div>{caption}</figure>"


def reserved_height(panel: Panel) -> int:
    """About how high a panel will be with its axis, so that drawing it moves nothing below."""
    return int(panel.spec["height"]) + 50


def strip_axis(low: float, high: float) -> tuple[float, float]:
    """The decades around ``low`` to ``high``, for the strips of the summary table."""
    bottom = math.floor(math.log10(low) * 3) / 3
    top = math.ceil(math.log10(high) * 3) / 3
    return bottom, top if top > bottom else bottom + 1 / 3


def strip(quantiles: Mapping[str, float], axis: tuple[float, float], marks: Sequence[float]) -> str:
    """A box plot of one table row on the logarithmic axis that all rows share."""
    x = {name: strip_x(value, axis) for name, value in quantiles.items()}
    lines = "".join(f"M{strip_x(mark, axis):.1f} 0v14" for mark in marks)
    box = max(x["p75"] - x["p25"], 1.0)
    return (
        f"<svg class='strip' width='{STRIP_PX}' height='14' aria-hidden='true'>"
        f"<path class='tick' d='{lines}'/>"
        f"<path class='whisker' d='M{x['p5']:.1f} 7H{max(x['p95'], x['p5'] + 1):.1f}'/>"
        f"<rect x='{x['p25']:.1f}' y='3' width='{box:.1f}' height='8'/>"
        f"<path class='median' d='M{x['p50']:.1f} 1v12'/></svg>"
    )


def strip_x(value: float, axis: tuple[float, float]) -> float:
    """Where a positive value lies on a strip."""
    return 2 + (STRIP_PX - 4) * (math.log10(value) - axis[0]) / (axis[1] - axis[0])
