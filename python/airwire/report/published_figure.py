"""Simulated beside published, where that is: a row for each row that ran on a board, a panel for each unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from airwire.board.row import BoardRow, Published
from airwire.board.row import Figure as Measured
from airwire.explain.board.figures import WITHIN, figure_text, published_text, ratio_text
from airwire.report import units
from airwire.report.samples import CaptureView, views_of_boards
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec, row_axis, tooltip

ROW_PX = 46
_SIMULATED, _PUBLISHED = "var(--series1)", "var(--series2)"
PUBLISHED = LegendEntry("published", _PUBLISHED, "diamond")
_OF_SIMULATED = "Dot: simulated on the virtual board, with its 95 % interval."
_OF_PUBLISHED = (
    "Diamond: published; hollow where the published figure is of another setup, so that only the cause is compared. Of "
    "a published range a line to its end."
)
# What one of each unit is on its axis, and the axis's title.
NAMES = {
    "messages/s": "messages per second",
    "requests/s": "requests per second",
    "bit/s": "Mbit/s",
    "ps": "time of a message",
}
"""What is measured, by the unit of figures."""
AXES = {
    "messages/s": (1.0, f"{NAMES['messages/s']}, log scale"),
    "requests/s": (1.0, f"{NAMES['requests/s']}, log scale"),
    "bit/s": (1e6, f"{NAMES['bit/s']}, log scale"),
    "ps": (1e9, f"{NAMES['ps']} in ms, log scale"),
}


def published_figure(views: Sequence[CaptureView]) -> Figure | None:
    """Every figure of a board with what was published of it; nothing where no row has a figure."""
    measured = _named(views)
    panels = [
        _panel(unit, own)
        for unit in AXES
        if (own := {name: (board, figure) for name, (board, figure) in measured.items() if figure.unit == unit})
    ]
    if not panels:
        return None
    caption, legend = _OF_SIMULATED, [LegendEntry("simulated", _SIMULATED, "circle")]
    if all(board.published is None for board, _ in measured.values()):
        return Figure("published", "Simulated", caption, panels, legend, columns=1)
    return Figure(
        "published", "Simulated and published", f"{caption} {_OF_PUBLISHED}", panels, [*legend, PUBLISHED], columns=1
    )


def _named(views: Sequence[CaptureView]) -> dict[str, tuple[BoardRow, Measured]]:
    """The boards with a figure by their titles; those that share one ("the same with ...") by title and row."""
    boards = [(view.capture.path, view.capture.target) for view in views_of_boards(views)]
    rows = [(row, board, board.figure) for row, board in boards if board.figure]
    shared = Counter(board.title for _, board, _ in rows)
    return {
        board.title if shared[board.title] == 1 else f"{board.title} ({row})": (board, figure)
        for row, board, figure in rows
    }


def published_ends(board: BoardRow) -> tuple[float, float] | None:
    """Both ends of what was published, in the unit of the measured figure; a ratio times the other row's figure."""
    published, same = board.published, board.same_but
    if published is None:
        return None
    low, high = published.range_in_unit or (published.in_unit, published.in_unit)
    if high is None:
        return None
    ends = (high if low is None else low, high)
    if published.compare != "ratio":
        return ends
    return None if same is None or same.figure is None else (ends[0] * same.figure.value, ends[1] * same.figure.value)


def _panel(unit: str, boards: Mapping[str, tuple[BoardRow, Measured]]) -> Panel:
    scale, title = AXES[unit]
    names = list(boards)
    measured: Columns = {"name": [], "value": [], "low": [], "high": [], "text": [], "lines": []}
    published: Columns = {"name": [], "from": [], "value": [], "own": [], "solid": [], "text": []}
    for name, (board, figure) in boards.items():
        theirs = published_ends(board)
        low, high = figure.interval or (figure.value, figure.value)
        own = (name, *(units.significant(max(x, 1e-9) / scale) for x in (figure.value, low, high)))
        label = _label(figure, board.published)
        for column, value in zip(measured.values(), (*own, label, f"{name}\n{label}"), strict=True):
            column.append(value)
        if theirs is not None and board.published is not None:
            words = f"{published_text(board.published)}, {board.published.source}"
            solid = board.published.compare != "mechanism"
            ends = (units.significant(end / scale) for end in theirs)
            row = (name, *ends, own[1], solid, words)
            for column, value in zip(published.values(), row, strict=True):
                column.append(value)
    shown = [*measured["low"], *measured["high"], *published["from"], *published["value"]]
    domain = units.padded_log_domain(shown)
    spec = {"height": ROW_PX * len(names), "width": "container", "layer": _layers(names, domain, title)}
    words = "; ".join(f"{name} {text}" for name, text in zip(names, measured["text"], strict=True))
    return Panel(
        title.split(",")[0], spec, {"m": measured, "p": published}, f"Simulated and published: {words}.", wide=True
    )


def _label(figure: Measured, published: Published | None) -> str:
    words = figure_text(figure)
    if published is None:
        return words
    theirs, ratio = f"published {published_text(published)}", ratio_text(published)
    if not ratio:
        return f"{words}; {theirs}" + (" of another setup" if published.compare == "mechanism" else "")
    return f"{words}, {ratio} {theirs}" if ratio == WITHIN else f"{words}, {ratio} of {theirs}"


def published_mark(size: int) -> Spec:
    """The symbol of a published figure; whether it is filled is for its layer to say."""
    return {"type": "point", "shape": "diamond", "size": size, "stroke": _PUBLISHED, "strokeWidth": 1.4, "opacity": 1}


def _layers(names: Sequence[str], domain: tuple[float, float], title: str) -> list[Spec]:
    def x(field: str) -> Spec:
        axis = {"values": units.log_ticks(*domain), "labelOverlap": True, "format": "~r"}
        scale = {"type": "log", "domain": list(domain), "nice": False}
        return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}

    # What a row is stands above its line: names beside it would leave a narrow page no room for the figures.
    axis = row_axis() | {"labels": False}
    y: Spec = {"field": "name", "type": "nominal", "title": None, "scale": {"domain": list(names)}, "axis": axis}
    own, theirs = {"name": "m"}, {"name": "p"}
    tip = tooltip(("name", "row"), ("text", "simulated"))
    their_tip = tooltip(("name", "row"), ("text", "published"))
    filled = {"condition": {"test": "datum.solid", "value": _PUBLISHED}, "value": "var(--paper)"}
    return [
        {
            "data": theirs,
            "mark": {"type": "rule", "color": "var(--line)", "strokeWidth": 1},
            "encoding": {"x": x("own"), "x2": {"field": "value"}, "y": y},
        },
        {
            "data": theirs,
            "mark": {"type": "rule", "color": _PUBLISHED, "strokeWidth": 3, "opacity": 0.55},
            "encoding": {"x": x("from"), "x2": {"field": "value"}, "y": y},
        },
        {
            "data": own,
            "mark": {"type": "rule", "color": _SIMULATED, "strokeWidth": 3, "opacity": 0.55},
            "encoding": {"x": x("low"), "x2": {"field": "high"}, "y": y},
        },
        {
            "data": theirs,
            "mark": published_mark(90),
            "encoding": {"x": x("value"), "y": y, "fill": filled, "tooltip": their_tip},
        },
        {
            "data": own,
            "mark": {"type": "point", "shape": "circle", "filled": True, "opacity": 1, "size": 55, "color": _SIMULATED},
            "encoding": {"x": x("value"), "y": y, "tooltip": tip},
        },
        {
            "data": own,
            "mark": {
                "type": "text",
                "align": "left",
                "baseline": "line-bottom",
                "dy": -19,
                "fontSize": 10,
                "lineBreak": "\n",
                "limit": {"expr": "width"},
                "color": "var(--ink)",
            },
            "encoding": {"x": {"value": 0}, "y": y, "text": {"field": "lines"}},
        },
    ]
