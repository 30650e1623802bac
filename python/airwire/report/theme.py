"""Colours, shapes, dashes and the Vega configuration of the report, for screen, print and files.

Specifications name colours as CSS variables. In the page the style sheet decides what they are, so that dark
mode and printing need no new drawing; for SVG and PNG files ``resolve`` puts the light palette's values in
their place. The hues of the series are Okabe and Ito's, which readers with any common colour blindness can
tell apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "panel": "#f6f7f8",
    "ink": "#16191d",
    "muted": "#57606a",
    "line": "#d5dae0",
    "grid": "#e8ebee",
    "link": "#0a58a6",
    "mark": "#0072b2",
    "hot": "#c04000",
    "series1": "#0072b2",
    "series2": "#d55e00",
    "series3": "#009e73",
    "series4": "#b0578d",
    "series5": "#b88a00",
    "series6": "#3795cb",
    "series7": "#5b5b5b",
    "series8": "#7a5bb0",
    "series9": "#8f5f30",
    "series10": "#a3224f",
    "series11": "#4d7c0f",
    "series12": "#23308f",
    "series13": "#e02bd0",
    "series14": "#5a1470",
    "unknown": "#8894a1",
}
DARK: Mapping[str, str] = {
    "paper": "#14171b",
    "panel": "#1c2026",
    "ink": "#e7eaee",
    "muted": "#a3adb8",
    "line": "#3a424c",
    "grid": "#292f37",
    "link": "#7cb8f2",
    "mark": "#56a9e6",
    "hot": "#ff8b4d",
    "series1": "#4ba3e3",
    "series2": "#f4803c",
    "series3": "#2fc49b",
    "series4": "#e6a3cb",
    "series5": "#ecb23e",
    "series6": "#8fd0f5",
    "series7": "#b4b4b4",
    "series8": "#a98ae6",
    "series9": "#b07d45",
    "series10": "#e5445f",
    "series11": "#a6cc5a",
    "series12": "#6f79ff",
    "series13": "#f24df2",
    "series14": "#9c3fe0",
    "unknown": "#77828f",
}
SERIES = tuple(f"var(--series{number})" for number in range(1, 8))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES: tuple[list[int], ...] = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [5, 2, 1, 2], [3, 4])

TRIGGER_OUTCOMES = ("missed", "overlapped", "glitch")
DONE_OUTCOMES = ("late", "duplicate", "spurious")
OUTCOME_COLOURS: Mapping[str, str] = {
    "missed": "var(--series2)",
    "overlapped": "var(--series4)",
    "glitch": "var(--series5)",
    "late": "var(--series6)",
    "duplicate": "var(--series3)",
    "spurious": "var(--series7)",
}
OUTCOME_SHAPES: Mapping[str, str] = {
    "missed": "triangle-down",
    "overlapped": "diamond",
    "glitch": "cross",
    "late": "square",
    "duplicate": "circle",
    "spurious": "triangle-up",
}

_FILE_FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
_PAGE_FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif"
_VARIABLE = re.compile(r"var\(--([a-z]+[0-9]*)\)")


def css_tokens() -> str:
    """The palettes as custom properties: light, dark where the reader prefers it, light again in print."""
    light = _declarations(LIGHT)
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{_declarations(DARK)}}}}}\n"
        f"@media print{{:root{{color-scheme:light;{light}}}}}\n"
    )


def _declarations(palette: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in palette.items())


def resolve(node: Any, palette: Mapping[str, str]) -> Any:
    """A copy of a specification in which every CSS variable is replaced by the palette's colour."""
    if isinstance(node, str):
        return _VARIABLE.sub(lambda match: palette[match.group(1)], node)
    if isinstance(node, dict):
        return {key: resolve(value, palette) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [resolve(value, palette) for value in node]
    return node


def config(*, for_page: bool) -> dict[str, Any]:
    """The Vega-Lite configuration. The page draws its own legends and describes its charts in HTML."""
    font = _PAGE_FONT if for_page else _FILE_FONT
    text = {"labelFont": font, "titleFont": font, "labelFontSize": 11, "titleFontSize": 11}
    ink = {"labelColor": "var(--muted)", "titleColor": "var(--muted)", "titleFontWeight": "normal"}
    return {
        "aria": not for_page,
        "background": "transparent" if for_page else "var(--paper)",
        "font": font,
        "view": {"stroke": None},
        "axis": {
            **text,
            **ink,
            "domainColor": "var(--line)",
            "gridColor": "var(--grid)",
            "tickColor": "var(--line)",
            "tickSize": 4,
            "titlePadding": 7,
            "labelFlush": False,
            "labelLimit": 280,
        },
        "legend": {
            **text,
            **ink,
            "disable": for_page,
            "orient": "top",
            "symbolStrokeWidth": 1.5,
            "labelLimit": 240,
        },
        "title": {
            "font": font,
            "fontSize": 13,
            "color": "var(--ink)",
            "anchor": "start",
            "subtitleFont": font,
        }
        | {"subtitleColor": "var(--muted)", "subtitleFontSize": 11, "offset": 12},
        "text": {"font": font, "fontSize": 11, "fill": "var(--muted)"},
    }
