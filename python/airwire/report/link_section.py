"""What the page says of links: rows with a published median as a table, then settings, trigger and stages of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.explain.link.published import median_figure, published_text, ratio_text
from airwire.explain.link.run import link_verdict
from airwire.report.compared_table import ComparedRow, compared_section
from airwire.report.html import charts, text
from airwire.report.samples import CaptureView, views_of_links
from airwire.report.verdict_block import verdict_block
from airwire.report.waterfall_figure import waterfalls_figure

if TYPE_CHECKING:
    from airwire.link.model import LinkRow

_FOOTNOTE = (
    "Models of links in virtual time. Ratio is the median here divided by the published one; settings and payload are "
    "the same but for what a verdict says."
)


def published_section(views: Sequence[CaptureView]) -> str:
    """The table of rows of links that others published a median of; nothing where there are none."""
    return compared_section(
        "published", "Links, measured and published", [*filter(None, map(_compared, views_of_links(views)))], _FOOTNOTE
    )


def _compared(view: CaptureView[LinkRow]) -> ComparedRow | None:
    row = view.capture
    published = row.target.published
    if published is None:
        return None
    return ComparedRow(
        anchor=view.anchor,
        title=row.path,
        figure=median_figure(row),
        published=published_text(published),
        ratio=ratio_text(row),
        source=published.source,
        verdict=link_verdict(row),
    )


def link_section(view: CaptureView[LinkRow]) -> str:
    """Verdict, settings and waterfalls of a row of links."""
    link = view.capture.target
    settings = " · ".join(f"{name} {value}" for name, value in link.settings.items())
    facts = f"{link.title} · {settings} · triggers {link.trigger}" if settings else f"{link.title} · {link.trigger}"
    found = view.waterfalls
    drawn = ""
    if found:
        figure = waterfalls_figure(f"{view.anchor}-stages", "Where the time goes", "", [("", found)])
        drawn = f"<div class='stages'>{charts(figure, figure.name)}</div>"
    return f"<p class='note'>{text(facts)}</p>{verdict_block(link_verdict(view.capture))}{drawn}"
