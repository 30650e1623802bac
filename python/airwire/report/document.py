"""The frame of a page: one HTML document with colours, style sheet, plotting libraries and script in it.

``page`` fills it with an analysis, ``sweep`` with a sweep, and ``trends`` with the history of a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from airwire.report import theme
from airwire.report.html import charts, script_json, sentence, text
from airwire.report.libraries import libraries
from airwire.report.spec import Figure

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'"


def document(heading: str, body: str) -> str:
    """A page with this heading: its style sheet, its data and its script are in it, and it loads nothing."""
    config = script_json(theme.config(for_page=True))
    return "\n".join(
        (
            "<!DOCTYPE html>",
            "<html lang='en'><head><meta charset='utf-8'>",
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            "<meta name='viewport' content='width=device-width, initial-scale=1'>",
            "<meta name='generator' content='Airwire'>",
            f"<title>{text(heading)}</title>",
            f"<style>{theme.css_tokens()}{_asset('report.css')}</style></head>",
            f"<body>{body}",
            f"<script type='application/json' id='config'>{config}</script>",
            f"<script type='text/plain' id='libraries' data-packed>{libraries()}</script>",
            f"<script>{_asset('report.js')}</script>",
            "</body></html>\n",
        )
    )


@cache
def _asset(name: str) -> str:
    return (resources.files("airwire.report") / "assets" / name).read_text(encoding="utf-8")


def page_of_sections(heading: str, facts: Sequence[str], result: str, sections: Mapping[str, tuple[str, str]]) -> str:
    """A page of sections, each by its anchor with its title and content: header with a result, links, sections."""
    shown = {anchor: section for anchor, section in sections.items() if section[1]}
    links = "".join(f"<li><a href='#{anchor}'>{text(title)}</a></li>" for anchor, (title, _) in shown.items())
    main = "\n".join(
        f"<section id='{anchor}'><h2>{text(title)}</h2>{content}</section>"
        for anchor, (title, content) in shown.items()
    )
    body = (
        "<a class='skip' href='#main'>Skip to the results</a>"
        f"<header><h1>{text(heading)}</h1><p class='facts'>{text(' · '.join(facts))}</p>"
        f"<p class='result' id='result'>{sentence(result)}.</p>"
        f"<nav aria-label='Sections'><ul>{links}</ul></nav>"
        "<noscript><p class='note'>The charts need JavaScript; all else does not.</p></noscript></header>"
        f"<main id='main'>{main}</main><div id='tooltip' role='status' hidden></div>"
    )
    return document(heading, body)


def figure_block(figure: Figure) -> str:
    """A figure with its caption, open."""
    return f"<p class='note'>{text(figure.caption)}</p>{charts(figure, figure.name)}"
