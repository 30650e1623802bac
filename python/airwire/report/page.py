"""The page as a whole: head, sections in reading order, data and scripts, in one file that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from airwire.explain.link.published import is_compared
from airwire.model import rows_of_boards
from airwire.report import theme, units
from airwire.report.board_section import board_section, boards_section
from airwire.report.bounds_section import bounds_section
from airwire.report.capture_figures import capture_figure
from airwire.report.figures import overview_figures
from airwire.report.findings import capture_findings, findings_section
from airwire.report.html import charts, script_json, text
from airwire.report.link_section import link_section, published_section
from airwire.report.samples import (
    CaptureView,
    by_group,
    each_is_a_group,
    shows_board,
    shows_link,
    views_of,
    views_of_boards,
    views_of_links,
)
from airwire.report.summary_table import summary_section
from airwire.report.tables import errors_section, statistics_table

if TYPE_CHECKING:
    from airwire.model import Analysis

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'"
_LIBRARY = "window.vegaEmbed = vegaEmbed;"
_SEEN_IN_SUMMARY = ("missed", "overlapped", "glitch", "late", "duplicate", "spurious")


def page(analysis: Analysis, title: str | None) -> str:
    """The report as one HTML document."""
    views = views_of(analysis)
    heading = title or "Latency report"
    overview = _overview_section(views)
    captures = _captures_section(views)
    body = (
        _header(analysis, views, heading),
        "<main id='main'>",
        bounds_section(views),
        boards_section(views),
        published_section(views),
        findings_section(views) if views else "",
        errors_section(analysis.errors),
        summary_section(views),
        overview,
        captures,
        "</main>",
        "<div id='tooltip' role='status' hidden></div>",
    )
    return _document(heading, "\n".join(part for part in body if part))


def _document(heading: str, body: str) -> str:
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
            f"<script type='text/plain' id='libraries'>{_libraries()}</script>",
            f"<script>{_asset('report.js')}</script>",
            "</body></html>\n",
        )
    )


@cache
def _asset(name: str) -> str:
    return (resources.files("airwire.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def _libraries() -> str:
    import vl_convert

    bundle = vl_convert.javascript_bundle(_LIBRARY)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _header(analysis: Analysis, views: Sequence[CaptureView], heading: str) -> str:
    triggers = sum(capture.triggers for capture in analysis.captures)
    paired = sum(capture.outcomes.get("paired", 0) for capture in analysis.captures)
    groups = len({capture.group for capture in analysis.captures})
    facts = [
        _counted(analysis, groups),
        f"{_plural(triggers, 'trigger')}, {paired:,} paired",
        f"pairing rule {analysis.pairing}" if analysis.suite is None else f"suite {analysis.suite}",
        f"seed {analysis.seed}",
        f"{_plural(len(analysis.errors), 'file')} not analysed" if analysis.errors else "no errors",
    ]
    if analysis.interrupted:
        facts.append("interrupted before all captures were analysed")
    targets = [
        ("bounds", "Bounds", any(view.capture.bounds for view in views)),
        ("boards", "Boards", bool(views_of_boards(views))),
    ]
    compared = any(is_compared(view.capture) for view in views_of_links(views))
    targets += [
        ("published", "Published", compared),
        ("findings", "Findings", bool(views)),
        ("errors", "Not analysed", bool(analysis.errors)),
    ]
    targets += [(name, name.capitalize(), bool(views)) for name in ("summary", "overview", "captures")]
    links = "".join(f"<li><a href='#{target}'>{label}</a></li>" for target, label, shown in targets if shown)
    return (
        "<a class='skip' href='#main'>Skip to the findings</a>"
        f"<header><h1>{text(heading)}</h1><p class='facts'>{text(' · '.join(facts))}</p>"
        f"<nav aria-label='Sections'><ul>{links}</ul></nav>"
        "<noscript><p class='note'>The charts need JavaScript; findings and tables do not.</p></noscript>"
        "</header>"
    )


def _counted(analysis: Analysis, groups: int) -> str:
    if analysis.suite is not None:
        of = "" if rows_of_boards(analysis) else f" of {_plural(groups, 'link')}"
        return f"{_plural(len(analysis.captures), 'row')}{of}"
    in_groups = f" in {_plural(groups, 'group')}" if groups > 1 else ""
    return f"{_plural(len(analysis.captures), 'capture')}{in_groups}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _overview_section(views: Sequence[CaptureView]) -> str:
    if not views:
        return ""
    figures = overview_figures(views)
    blocks = "".join(
        f"<section class='figure' id='figure-{figure.name}'><h3>{text(figure.title)}</h3>"
        f"<p class='note'>{text(figure.caption)}</p>{charts(figure, figure.name)}</section>"
        for figure in figures
    )
    if not any(figure.name == "outcomes" for figure in figures):
        triggers = sum(view.capture.triggers for view in views)
        blocks += f"<p>{_all_paired(triggers)}</p>"
    return f"<section id='overview'><h2>Overview</h2>{blocks}</section>"


def _all_paired(triggers: int) -> str:
    return f"All {_plural(triggers, 'trigger')} were paired." if triggers else "There were no triggers."


def _captures_section(views: Sequence[CaptureView]) -> str:
    if not views:
        return ""
    if each_is_a_group(views):
        groups = [_capture(view) for view in views]
    else:
        groups = [
            f"<section class='group'><h3>{text(group)} "
            f"<span class='meaning'>{_plural(len(members), 'capture')}</span></h3>"
            f"{''.join(_capture(view) for view in members)}</section>"
            for group, members in by_group(views)
        ]
    buttons = (
        "<p class='controls'><button type='button' data-open='true'>Open all</button> "
        "<button type='button' data-open='false'>Close all</button></p>"
    )
    return f"<section id='captures'><h2>Captures</h2>{buttons}{''.join(groups)}</section>"


def _capture(view: CaptureView) -> str:
    figure = capture_figure(view)
    drawn = (
        charts(figure, view.anchor) if figure.panels else "<p>No trigger was paired: there is no latency to draw.</p>"
    )
    return (
        f"<details class='capture' id='{view.anchor}'><summary><h4>{text(view.label)}</h4>"
        f"{_facts(view)}</summary><div class='body'><p class='path'>{text(view.capture.path)}</p>"
        f"{_target_section(view)}{capture_findings(view.capture.findings)}{statistics_table(view)}{drawn}</div></details>"
    )


def _target_section(view: CaptureView) -> str:
    """What is said of a link or a board alone; nothing for a capture file."""
    if shows_link(view):
        return link_section(view)
    return board_section(view) if shows_board(view) else ""


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
    return f"<span class='facts'>{text(' · '.join(facts))}</span>"
