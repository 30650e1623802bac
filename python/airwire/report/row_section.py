"""The rows of a suite, a line each with its figure, its stages and its verdict; all else is folded behind the line.

Captures of files have such sections as well, whose lines hold their facts instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from airwire.report import density
from airwire.report.capture_figures import capture_figure
from airwire.report.findings import capture_findings
from airwire.report.html import charts, legend, sentence, text
from airwire.report.rate_figure import rate_figure
from airwire.report.samples import CaptureView, shows_rows, views_of_addresses, views_of_boards, views_of_links
from airwire.report.stage_bar import bar_legend, stage_bar, waterfall_html
from airwire.report.tables import statistics_table
from airwire.report.verdict_block import verdict_details

_RATIO = "Ratio is the row's figure divided by the published one."
_FITTED = "Constants of link models are fitted to published captures: a ratio near 1 of a link is no confirmation."


def rows_section(views: Sequence[CaptureView]) -> str:
    """All rows of a suite; nothing where no suite was run."""
    if not shows_rows(views):
        return ""
    is_compared = any(view.facts.published for view in views)
    bars = [view.waterfalls[0] for view in views if view.waterfalls]
    points = density.points_of_each(len(views))
    lines = "".join(_row(view, is_compared=is_compared, has_bars=bool(bars), points=points) for view in views)
    columns = f"rows{' compared' if is_compared else ''}{' staged' if bars else ''}"
    note = " ".join(_notes(views, is_compared=is_compared))
    return (
        f"<section id='rows'><h2>Rows</h2><p class='note'>{note}</p>{legend(bar_legend(bars))}{OPENERS}"
        f"<div class='{columns}'>{_heads(views, is_compared=is_compared, has_bars=bool(bars))}{lines}</div></section>"
    )


def _notes(views: Sequence[CaptureView], *, is_compared: bool) -> Iterator[str]:
    models = "models of links" if views_of_links(views) else ""
    boards = "firmware on virtual boards" if views_of_boards(views) else ""
    simulated = " and by ".join(filter(None, (models, boards)))
    if simulated:
        yield f"Simulated in virtual time, by {simulated}."
    if views_of_addresses(views):
        yield "Boards at addresses were measured over this computer's network."
    if is_compared:
        yield _RATIO
        if models:
            yield _FITTED
    yield "Open a row for its details."


OPENERS = (
    "<p class='controls'><button type='button' data-open='true'>Open all</button> "
    "<button type='button' data-open='false'>Close all</button></p>"
)


def _heads(views: Sequence[CaptureView], *, is_compared: bool, has_bars: bool) -> str:
    simulated = {view.capture.target.simulated for view in views}
    figure = "Figure" if len(simulated) > 1 else "Simulated" if True in simulated else "Measured"
    heads = ["Row", figure, *(["Published", "Ratio"] if is_compared else [])]
    heads += [*(["Where the time goes"] if has_bars else []), "Verdict"]
    return f"<div class='heads' aria-hidden='true'>{''.join(f'<span>{head}</span>' for head in heads)}</div>"


def _row(view: CaptureView, *, is_compared: bool, has_bars: bool, points: int) -> str:
    facts, verdict = view.facts, view.verdict
    beside = f" <small>{text(facts.beside)}</small>" if facts.beside else ""
    cells = [f"<h3>{text(view.label)}</h3>", f"<span class='figure'><b>{text(facts.figure or '-')}</b>{beside}</span>"]
    if is_compared:
        cells.append(f"<span class='published'>{text(facts.published)}</span>")
        cells.append(f"<span class='ratio'>{text(facts.ratio)}</span>")
    if has_bars:
        cells.append(stage_bar(view.waterfalls[0]) if view.waterfalls else "<span class='bar'></span>")
    cells.append(f"<span class='verdict'>{sentence('' if verdict is None else verdict.line)}</span>")
    return _folded(view, "".join(cells), lambda: _row_body(view, points))


def _folded(view: CaptureView, line: str, body: Callable[[], str]) -> str:
    return (
        f"<details class='capture' id='{view.anchor}'><summary>{line}</summary>"
        f"<div class='body'>{body()}</div></details>"
    )


def _row_body(view: CaptureView, points: int) -> str:
    source = f"<p class='note'>Published: {text(view.facts.source)}.</p>" if view.facts.source else ""
    return (
        f"<p class='note'>{text(view.told)}</p>{source}{verdict_details(view.verdict)}"
        f"{waterfall_html(view.waterfalls, of_bulk=view.is_bulk)}{_measured(view, points)}"
    )


def _measured(view: CaptureView, points: int) -> str:
    """Findings, statistics and charts of the samples: of a bulk transfer its rate, else the latencies."""
    if view.is_bulk:
        figure = rate_figure(view)
        return charts(figure, view.anchor) if figure.panels else "<p>Nothing was transferred.</p>"
    figure = capture_figure(view, points)
    drawn = (
        charts(figure, view.anchor) if figure.panels else "<p>No trigger was paired: there is no latency to draw.</p>"
    )
    return f"{capture_findings(view.capture.findings)}{statistics_table(view)}{drawn}"


def capture_section(view: CaptureView, line: str, points: int) -> str:
    """The section of a capture file, with a line of its facts."""
    path = f"<p class='path'>{text(view.capture.path)}</p>"
    return _folded(view, line, lambda: f"{path}{_measured(view, points)}")
