"""What the page says of the link behind a row: settings, trigger, where the time goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airwire.explain.link_sentences import overload, time_goes
from airwire.report.html import charts, text
from airwire.report.waterfall_figure import waterfalls_figure

if TYPE_CHECKING:
    from airwire.report.samples import CaptureView


def link_section(view: CaptureView) -> str:
    """Sentence, settings and waterfalls of a row of links; nothing for a capture."""
    link = view.capture.link
    if link is None:
        return ""
    settings = " · ".join(f"{name} {value}" for name, value in link.settings.items())
    facts = f"{link.title} · {settings} · triggers {link.trigger}" if settings else f"{link.title} · {link.trigger}"
    found = view.waterfalls
    sentence, drawn = "", ""
    if found:
        words = " ".join(filter(None, (time_goes(found[0]), overload(found[-1], link.longest_queue))))
        figure = waterfalls_figure(f"{view.anchor}-stages", "Where the time goes", "", [("", found)])
        sentence = f"<p>{text(words)}</p>"
        drawn = f"<div class='stages'>{charts(figure, figure.name)}</div>"
    return f"<p class='note'>{text(facts)}</p>{sentence}{drawn}"
