"""Simulated against published: a dot for each row that others published a figure of, a panel for each unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airwire.explain.agreement import AGREEMENT
from airwire.explain.board.figures import figure_text
from airwire.explain.board.figures import published_text as board_published_text
from airwire.explain.link.published import median_figure, published_text
from airwire.report import units
from airwire.report.published_figure import AXES, NAMES, published_ends
from airwire.report.samples import CaptureView, views_of_boards, views_of_links
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec, tooltip

FEWEST = 3
"""Fewer dots make no picture."""
_WITHIN = f"{100 * AGREEMENT:.0f} %"
_COMPARED, _OTHER = "var(--series1)", "var(--series2)"


@dataclass(frozen=True, slots=True)
class _Pair:
    name: str
    unit: str
    ours: float
    theirs: float
    same_setup: bool
    words: str


def agreement_figure(views: Sequence[CaptureView]) -> Figure | None:
    """The panels; nothing where too few rows have a published figure."""
    pairs = [*_pairs(views)]
    if len(pairs) < FEWEST:
        return None
    found = ((unit, [pair for pair in pairs if pair.unit == unit]) for unit in AXES)
    panels = [_panel(unit, own) for unit, own in found if own]
    caption = f"A dot for each row, logarithmic axes. On the line both are the same; in the band within {_WITHIN}."
    legend = [LegendEntry("the setup that was published", _COMPARED, "circle")]
    if any(not pair.same_setup for pair in pairs):
        legend.append(LegendEntry("another setup, of which only the cause is compared", _OTHER, "diamond"))
    return Figure("agreement", "Simulated against published", caption, panels, legend, columns=min(3, len(panels)))


def _pairs(views: Sequence[CaptureView]) -> Iterator[_Pair]:
    for link in views_of_links(views):
        theirs, median = link.capture.target.published, median_figure(link.capture)
        if theirs is not None and median is not None:
            words = f"{figure_text(median)}, published {published_text(theirs)}"
            yield _Pair(link.label, "ps", median.value, theirs.median_ps, True, words)
    for view in views_of_boards(views):
        board = view.capture.target
        ends, own = published_ends(board), board.figure
        if ends is not None and own is not None and board.published is not None and min(*ends, own.value) > 0:
            # Of a range the end that is nearer counts; within it they agree.
            nearest = min(max(own.value, ends[0]), ends[1])
            words = f"{figure_text(own)}, published {board_published_text(board.published)}"
            same = board.published.compare != "mechanism"
            yield _Pair(view.label, own.unit, own.value, nearest, same, words)


def _panel(unit: str, pairs: Sequence[_Pair]) -> Panel:
    scale, _ = AXES[unit]
    dots: Columns = {
        "name": [pair.name for pair in pairs],
        "x": [units.significant(pair.theirs / scale) for pair in pairs],
        "y": [units.significant(pair.ours / scale) for pair in pairs],
        "setup": ["the same" if pair.same_setup else "another" for pair in pairs],
        "text": [pair.words for pair in pairs],
    }
    domain = units.padded_log_domain([*dots["x"], *dots["y"]], padding=0.05)
    band: Columns = {
        "x": list(domain),
        "low": [units.significant(end * (1 - AGREEMENT)) for end in domain],
        "high": [units.significant(end * (1 + AGREEMENT)) for end in domain],
    }
    name = NAMES[unit]
    spec = _spec(domain, name, time=unit == "ps")
    agree = sum(abs(pair.ours / pair.theirs - 1) <= AGREEMENT for pair in pairs)
    description = f"{len(pairs)} dots of simulated over published {name}, {agree} of them within {_WITHIN}."
    return Panel(f"{name[0].upper()}{name[1:]}", spec, {"d": dots, "band": band}, description)


def _spec(domain: tuple[float, float], name: str, *, time: bool) -> Spec:
    axis: Spec = {"values": units.log_ticks(*domain), "labelOverlap": "greedy", "labelSeparation": 8}
    axis |= {"labelExpr": units.LABEL_EXPRESSION} if time else {"format": "~r"}

    def channel(field: str, title: str) -> Spec:
        scale = {"type": "log", "domain": list(domain), "nice": False}
        return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}

    x, y = channel("x", "published"), channel("y", "simulated")
    setup: Spec = {"field": "setup", "type": "nominal", "title": "setup"}
    both = ["the same", "another"]
    tip = tooltip(("name", "row"), ("text", "simulated"))
    line = {"type": "line", "color": "var(--muted)", "strokeWidth": 1, "clip": True}
    area = {"type": "area", "color": "var(--muted)", "opacity": 0.25, "clip": True}
    dots = {
        "data": {"name": "d"},
        "mark": {"type": "point", "filled": True, "opacity": 0.8, "size": 50},
        "encoding": {
            "x": x,
            "y": y,
            "color": {**setup, "scale": {"domain": both, "range": [_COMPARED, _OTHER]}},
            "shape": {**setup, "scale": {"domain": both, "range": ["circle", "diamond"]}},
            "tooltip": tip,
        },
    }
    layers: list[Spec] = [
        {
            "data": {"name": "band"},
            "mark": area,
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {"data": {"name": "band"}, "mark": line, "encoding": {"x": x, "y": {**y, "field": "x"}}},
        dots,
    ]
    return {"width": "container", "height": 250, "layer": layers}
