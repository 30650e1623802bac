"""The picture on the first screen: simulated against published, else a dot for each row, or one waterfall."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.report import units
from airwire.report.agreement_figure import agreement_figure
from airwire.report.bottom_line import worst_row
from airwire.report.capture_figures import capture_figure
from airwire.report.dot_plot import Dot, domain_of, dot_plot
from airwire.report.html import charts, legend, text
from airwire.report.payloads import Payloads, payload_legend, payloads_of
from airwire.report.quantiles import quantiles_of
from airwire.report.rate_figure import rate_figure
from airwire.report.samples import CaptureView, drawable, shows_rows, views_of_addresses, views_of_links
from airwire.report.spec import LegendEntry
from airwire.report.stage_bar import bar_legend, waterfall_html

_DIAMOND = LegendEntry("published", "var(--series2)", "diamond")


def picture(views: Sequence[CaptureView]) -> str:
    """The picture of a run or an analysis; nothing where there is nothing to draw."""
    if not views:
        return ""
    if not shows_rows(views):
        return _distributions(drawable(views))
    agreement = agreement_figure(views)
    if agreement is not None:
        return _section(
            agreement.title, agreement.caption, f"<div class='squares'>{charts(agreement, 'agreement')}</div>"
        )
    links = drawable(views_of_links(views))
    if len(links) > 1:
        return ranking(links)
    measured = views_of_addresses(views)
    if measured:
        return _measured(measured)
    worst = worst_row(views)
    if worst is None or not worst.waterfalls:
        return ""
    drawn = waterfall_html(worst.waterfalls, of_bulk=worst.is_bulk)
    return _section(f"Where the time goes in {worst.label}", "", f"{legend(bar_legend(worst.waterfalls))}{drawn}")


def _measured(views: Sequence[CaptureView]) -> str:
    """Boards at addresses: several side by side, or the one over time."""
    shown = drawable(views)
    if len(shown) > 1:
        return _distributions(shown)
    view = views[0]
    figure = rate_figure(view) if view.is_bulk else capture_figure(view)
    if not figure.panels:
        return ""
    return _section(f"{view.label}, as measured", figure.caption, charts(figure, "picture"))


def is_ranking(views: Sequence[CaptureView]) -> bool:
    """Whether the picture ranks the links already."""
    return agreement_figure(views) is None and len(drawable(views_of_links(views))) > 1


def ranking(links: Sequence[CaptureView]) -> str:
    """Links by their medians, those of one payload together."""
    payloads = payloads_of(links)
    ranked = sorted(links, key=lambda view: (view.median_ps, view.label))
    domain = domain_of([_of_link(view) for view in ranked])
    blocks = ""
    for payload in payloads:
        dots = [_of_link(view) for view in ranked if view.payload == payload]
        heading = f"<h4 class='payload'>{text(payload)}</h4>" if len(payloads) > 1 else ""
        blocks += f"{heading}{dot_plot(dots, f'Medians of links at {payload}', domain)}"
    has_published = any(view.facts.published for view in links)
    note = "Dot at the median, line to p95, the fastest first; logarithmic axis."
    return _section("Ranking by median", note, f"{legend([_DIAMOND] if has_published else [])}{blocks}")


def _of_link(view: CaptureView) -> Dot:
    quantiles = quantiles_of(view)
    median, p95 = (units.to_ms(quantiles[name]) for name in ("p50", "p95"))
    published = view.published_ps
    words = f"{units.format_duration(quantiles['p50'])}, p95 {units.format_duration(quantiles['p95'])}"
    theirs = None if published is None else units.to_ms(published)
    return Dot(view.capture.group, view.anchor, median, median, p95, words, published_ms=theirs)


def _distributions(views: Sequence[CaptureView]) -> str:
    """Capture files from the shortest upper quartile to the longest."""
    if not views:
        return ""
    payloads = payloads_of(views)
    ranked = sorted(views, key=lambda view: (quantiles_of(view)["p75"], view.label))
    dots = [_of_capture(view, payloads) for view in ranked]
    note = "Dot at the median, line from p5 to p95, sorted by upper quartile; logarithmic axis."
    drawn = dot_plot(dots, "Median and p5 to p95 of each capture", domain_of(dots))
    shapeless = [LegendEntry(entry.label, entry.colour) for entry in payload_legend(payloads)]
    return _section("Latency of each capture", note, f"{legend(shapeless)}{drawn}")


def _of_capture(view: CaptureView, payloads: Payloads) -> Dot:
    quantiles = quantiles_of(view)
    low, median, high = (units.to_ms(quantiles[name]) for name in ("p5", "p50", "p95"))
    words = f"{units.format_duration(quantiles['p50'])}, p95 {units.format_duration(quantiles['p95'])}"
    return Dot(view.label, view.anchor, low, median, high, words, payloads[view.payload].colour)


def _section(title: str, note: str, body: str) -> str:
    told = f"<p class='note'>{text(note)}</p>" if note else ""
    return f"<section id='picture'><h2>{text(title)}</h2>{told}{body}</section>"
