"""The result of a run or of an analysis in one to three sentences, for the top of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean

from airwire.explain.agreement import AGREEMENT, of_boards, of_links
from airwire.explain.quantities import count, percent
from airwire.report import units
from airwire.report.html import sentence, text
from airwire.report.samples import (
    CaptureView,
    drawable,
    shows_rows,
    views_of_addresses,
    views_of_boards,
    views_of_links,
)

_WITHIN = f"{100 * AGREEMENT:.0f} %"


def bottom_line(views: Sequence[CaptureView]) -> str:
    """The sentences as a paragraph; nothing where nothing was analysed."""
    if not views:
        return ""
    sentences = _of_rows(views) if shows_rows(views) else _of_captures(views)
    return f"<p class='result' id='result'>{' '.join(sentences)}</p>"


def worst_row(views: Sequence[CaptureView]) -> CaptureView | None:
    """The row that a change helps most; where none is known to help, the slowest."""
    boards = views_of_boards(views)
    gains = [(view.verdict.gain.factor, view) for view in boards if view.verdict is not None and view.verdict.gain]
    if gains:
        return max(gains, key=lambda one: one[0])[1]
    shown = [view for view in drawable(views) if not view.is_bulk]
    if shown:
        return max(shown, key=lambda view: view.median_ps)
    transfers = [view for view in views if view.is_bulk and view.bits_per_second]
    return min(transfers, key=lambda view: mean(view.bits_per_second)) if transfers else None


def _of_rows(views: Sequence[CaptureView]) -> Iterator[str]:
    yield from _agreement(views)
    worst = worst_row(views)
    if worst is None:
        yield "No row has a figure."
        return
    helped = worst.verdict is not None and worst.verdict.gain is not None
    said = "" if worst.verdict is None else f": {sentence(worst.verdict.line)}"
    label = "Most to gain" if helped else "Slowest" if len(views) > 1 else "The row"
    yield f"{label}: <a href='#{worst.anchor}'>{text(worst.label)}</a>, {text(worst.facts.figure)}{said}."
    without = sum(not view.facts.figure for view in views)
    if without:
        yield f"{count(without, 'row')} {'has' if without == 1 else 'have'} no figure."


def _agreement(views: Sequence[CaptureView]) -> Iterator[str]:
    """How many rows agree with what was published; where nothing was, how far the rows lie apart."""
    boards = of_boards([view.capture for view in views_of_boards(views)])
    links = of_links([view.capture for view in views_of_links(views)])
    agree, compared, others = boards.agree + links.agree, boards.compared + links.compared, boards.open + links.open
    if compared:
        differ = f"; {compared - agree} differ" if agree < compared else ""
        stay = f"; {others} are of another setup and stay open" if others else ""
        yield f"<b>{agree} of {compared}</b> published figures are met within {_WITHIN}{differ}{stay}."
    elif others:
        yield f"{count(others, 'row')} can be held against a figure of another setup only, and stay open."
    else:
        shown = sorted((view for view in drawable(views) if not view.is_bulk), key=lambda view: view.median_ps)
        if len(shown) > 1:
            ends = (units.format_duration(view.median_ps) for view in (shown[0], shown[-1]))
            rows = count(len(views), "row")
            yield f"{rows}, {_how(shown)}medians from {' to '.join(ends)}; no row has a published figure."


def _how(shown: Sequence[CaptureView]) -> str:
    """Whether all were simulated or all measured."""
    measured = len(views_of_addresses(shown))
    return "simulated " if not measured else "measured " if measured == len(shown) else ""


def _of_captures(views: Sequence[CaptureView]) -> Iterator[str]:
    shown = sorted(drawable(views), key=lambda view: view.median_ps)
    if not shown:
        yield "No trigger was paired, so that there is no latency."
        return
    fast, slow = shown[0], shown[-1]
    if len(shown) == 1:
        yield f"Median <b>{units.format_duration(fast.median_ps)}</b>, p95 {_p95(fast)}, {_named(fast)}."
    else:
        yield (
            f"Medians from <b>{units.format_duration(fast.median_ps)}</b> ({_named(fast)}) to "
            f"<b>{units.format_duration(slow.median_ps)}</b> ({_named(slow)})."
        )
    messages = sum(view.capture.messages for view in views)
    lost = sum(view.capture.lost for view in views)
    if lost:
        have = "has" if lost == 1 else "have"
        yield f"{lost:,} of {messages:,} messages ({percent(lost / messages)}) {have} no pair."
    found = [(finding.confidence, view, finding) for view in views for finding in view.capture.findings]
    if found:
        _, view, surest = max(found, key=lambda one: one[0])
        said = sentence(_first_sentence(surest.sentence))
        yield f"The surest of {count(len(found), 'finding')}, in {_named(view)}: {said}"


def _first_sentence(words: str) -> str:
    """What a finding says first; the rest is its evidence."""
    first, stop, _ = words.partition(". ")
    return f"{first}." if stop else words


def _p95(view: CaptureView) -> str:
    p95 = view.statistics.get("p95")
    return "unknown" if p95 is None else units.format_duration(p95)


def _named(view: CaptureView) -> str:
    return f"<a href='#{view.anchor}'>{text(view.label)}</a>"
