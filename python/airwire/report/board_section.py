"""What the page says of rows that ran on boards: measured beside published as a table, then verdict and stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.explain.board.figures import published_text, ratio_text
from airwire.explain.board.run import board_verdict
from airwire.report.compared_table import ComparedRow, compared_section
from airwire.report.html import charts, text
from airwire.report.samples import CaptureView, views_of_boards
from airwire.report.verdict_block import verdict_block
from airwire.report.waterfall_figure import waterfalls_figure

if TYPE_CHECKING:
    from airwire.board.row import BoardRow

_FOOTNOTE = (
    "Virtual boards in virtual time. Ratio is measured divided by published; where a ratio was published it is that of "
    "this row to the row that it is compared with. Published figures of another setup have no ratio: only the cause is "
    "compared."
)


def boards_section(views: Sequence[CaptureView]) -> str:
    """The table of all rows that ran on boards; nothing where there are none."""
    return compared_section("boards", "Boards", [*map(_compared, views_of_boards(views))], _FOOTNOTE)


def _compared(view: CaptureView[BoardRow]) -> ComparedRow:
    board = view.capture.target
    published = board.published
    return ComparedRow(
        anchor=view.anchor,
        title=board.title,
        figure=board.figure,
        published=published_text(published),
        ratio=ratio_text(published),
        source="" if published is None else "; ".join(filter(None, (published.source, published.note))),
        verdict=board_verdict(view.capture),
    )


def board_section(view: CaptureView[BoardRow]) -> str:
    """Facts, verdict and waterfalls of one row."""
    board = view.capture.target
    settings = " · ".join(f"{name} {value}" for name, value in board.settings.items())
    facts = " · ".join(filter(None, (f"{board.firmware} on {board.board}", settings, *board.traffic, board.ended)))
    found = view.waterfalls
    drawn = ""
    if found:
        figure = waterfalls_figure(f"{view.anchor}-stages", "Where the time goes", "", [("", found)])
        drawn = f"<div class='stages'>{charts(figure, figure.name)}</div>"
    return f"<p class='note'>{text(facts)}</p>{verdict_block(board_verdict(view.capture))}{drawn}"
