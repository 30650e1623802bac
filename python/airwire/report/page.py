"""The page as a whole: head, sections in reading order, data and scripts, in one file that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from airwire.model import rows_of_links
from airwire.report import density, theme, units
from airwire.report.bottom_line import bottom_line
from airwire.report.bounds_section import bounds_section
from airwire.report.environment import run_facts
from airwire.report.figures import further_figures
from airwire.report.findings import findings_section
from airwire.report.html import charts, script_json, text
from airwire.report.libraries import libraries
from airwire.report.opening import Opening, result_paragraph, sum_section
from airwire.report.picture import is_ranking, picture, ranking
from airwire.report.row_section import OPENERS, capture_section, rows_section
from airwire.report.samples import (
    CaptureView,
    by_group,
    drawable,
    each_is_a_group,
    shows_rows,
    views_of,
    views_of_links,
    views_without_boards,
)
from airwire.report.summary_table import summary_section
from airwire.report.tables import errors_section

if TYPE_CHECKING:
    from airwire.model import Analysis

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'"
_SECTIONS = {
    "notes": "Notes",
    "bounds": "Bounds",
    "rows": "Rows",
    "findings": "Findings",
    "errors": "Not analysed",
    "ranking": "Ranking",
    "summary": "Percentiles",
    "overview": "Distributions",
    "captures": "Captures",
}
_SEEN_IN_SUMMARY = ("missed", "overlapped", "glitch", "late", "duplicate", "spurious")


def page(analysis: Analysis, title: str | None, notes: Sequence[str] = (), opening: Opening | None = None) -> str:
    """The report as one HTML document; it begins with what its rows say, or with ``opening``."""
    views = views_of(analysis)
    heading = title or _title(analysis)
    sections = (
        picture(views) if opening is None else sum_section(opening),
        _notes_section(notes),
        bounds_section(views),
        rows_section(views),
        findings_section(views) if views else "",
        errors_section(analysis.errors),
        _ranking_section(views),
        summary_section(views),
        _overview_section(views),
        "" if shows_rows(views) else _captures_section(views),
    )
    main = "\n".join(section for section in sections if section)
    body = (
        _header(analysis, views, heading, main, bottom_line(views) if opening is None else result_paragraph(opening)),
        f"<main id='main'>{main}</main>",
        "<div id='tooltip' role='status' hidden></div>",
    )
    return document(heading, "\n".join(body))


def _notes_section(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(f"<li>{text(note)}</li>" for note in notes)
    return f"<section id='notes'><h2>Notes</h2><ul class='why'>{items}</ul></section>"


def _title(analysis: Analysis) -> str:
    return "Latency of captures" if analysis.suite is None else f"Suite {analysis.suite}"


def document(heading: str, body: str) -> str:
    """A page with this body, the style of all reports and the script that draws their charts."""
    config = script_json(theme.config(for_page=True))
    return "\n".join(
        (
            "<!DOCTYPE html>",
            "<html lang='en'><head><meta charset='utf-8'>",
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
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


def _header(analysis: Analysis, views: Sequence[CaptureView], heading: str, main: str, result: str) -> str:
    messages = [view.capture for view in views if not view.is_bulk]
    triggers = sum(capture.triggers for capture in messages)
    paired = sum(capture.outcomes.get("paired", 0) for capture in messages)
    groups = len({capture.group for capture in analysis.captures})
    facts = [
        *run_facts(analysis.run_folder),
        _counted(analysis, groups),
        f"{_plural(triggers, 'message' if analysis.suite else 'trigger')}, {paired:,} paired",
        f"pairing rule {analysis.pairing}" if analysis.suite is None else "",
        f"seed {analysis.seed}",
        f"{_plural(len(analysis.errors), 'file')} not analysed" if analysis.errors else "no errors",
    ]
    if analysis.interrupted:
        facts.append("interrupted before all captures were analysed")
    links = "".join(
        f"<li><a href='#{target}'>{label}</a></li>" for target, label in _SECTIONS.items() if f" id='{target}'>" in main
    )
    told = text(" · ".join(filter(None, facts)))
    return (
        "<a class='skip' href='#main'>Skip to the results</a>"
        f"<header><h1>{text(heading)}</h1><p class='facts'>{told}</p>{result}"
        f"<nav aria-label='Sections'><ul>{links}</ul></nav>"
        "<noscript><p class='note'>Some charts need JavaScript; all else does not.</p></noscript>"
        "</header>"
    )


def _counted(analysis: Analysis, groups: int) -> str:
    if analysis.suite is not None:
        only_links = len(rows_of_links(analysis)) == len(analysis.captures)
        of = f" of {_plural(groups, 'link')}" if only_links else ""
        return f"{_plural(len(analysis.captures), 'row')}{of}"
    in_groups = f" in {_plural(groups, 'group')}" if groups > 1 else ""
    return f"{_plural(len(analysis.captures), 'capture')}{in_groups}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _ranking_section(views: Sequence[CaptureView]) -> str:
    """The ranking of links, folded, where the first picture shows something else."""
    links = drawable(views_of_links(views))
    if len(links) < 2 or is_ranking(views):
        return ""
    return f"<details class='more' id='ranking'><summary><h2>Ranking by median</h2></summary>{ranking(links)}</details>"


def _overview_section(views: Sequence[CaptureView]) -> str:
    if not views:
        return ""
    figures = further_figures(views)
    blocks = "".join(
        f"<details class='more figure' id='figure-{figure.name}'><summary><h3>{text(figure.title)}</h3></summary>"
        f"<p class='note'>{text(figure.caption)}</p>{charts(figure, figure.name)}</details>"
        for figure in figures
    )
    if figures and not any(figure.name == "outcomes" for figure in figures):
        triggers = sum(view.capture.triggers for view in views_without_boards(views))
        blocks += f"<p>{_all_paired(triggers)}</p>"
    return f"<section id='overview'><h2>Distributions</h2>{blocks}</section>" if blocks else ""


def _all_paired(triggers: int) -> str:
    return f"All {_plural(triggers, 'trigger')} were paired." if triggers else "There were no triggers."


def _captures_section(views: Sequence[CaptureView]) -> str:
    if not views:
        return ""
    points = density.points_of_each(len(views))
    if each_is_a_group(views):
        groups = [_capture(view, points) for view in views]
    else:
        groups = [
            f"<section class='group'><h3>{text(group)} "
            f"<span class='meaning'>{_plural(len(members), 'capture')}</span></h3>"
            f"{''.join(_capture(view, points) for view in members)}</section>"
            for group, members in by_group(views)
        ]
    return f"<section id='captures'><h2>Captures</h2>{OPENERS}{''.join(groups)}</section>"


def _capture(view: CaptureView, points: int) -> str:
    return capture_section(view, f"<h4>{text(view.label)}</h4>{_facts(view)}", points)


def _facts(view: CaptureView) -> str:
    capture = view.capture
    facts = [] if capture.payload_bytes is None else [view.payload]
    if view.latency_ps:
        facts.append(f"median {units.format_duration(view.median_ps)}")
    p95 = view.statistics.get("p95")
    if p95 is not None:
        facts.append(f"p95 {units.format_duration(p95)}")
    facts.append(_plural(capture.triggers, "trigger"))
    facts += [f"{capture.outcomes[kind]:,} {kind}" for kind in _SEEN_IN_SUMMARY if capture.outcomes.get(kind, 0)]
    if capture.findings:
        facts.append(_plural(len(capture.findings), "finding"))
    return f"<span class='facts'>{text(' · '.join(filter(None, facts)))}</span>"
