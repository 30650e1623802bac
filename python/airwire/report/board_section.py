"""What the page says of rows that ran on boards: measured beside published as a table, then verdict and stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.explain.board_figures import figure_text, interval_text, published_text, ratio_text
from airwire.explain.board_run import board_sentence
from airwire.report.html import charts, text
from airwire.report.waterfall_figure import waterfalls_figure

if TYPE_CHECKING:
    from airwire.report.samples import CaptureView

_COLUMNS = ("n", "Measured", "95 %", "Published", "Ratio")
_FOOTNOTE = (
    "Virtual boards in virtual time. Ratio is measured divided by published; where a ratio was published it is that of "
    "this row to the row that it is compared with. Published figures of another setup have no ratio: only the cause is "
    "compared."
)


def boards_section(views: Sequence[CaptureView]) -> str:
    """The table of all rows that ran on boards; nothing where there are none."""
    shown = [view for view in views if view.capture.board is not None]
    if not shown:
        return ""
    head = "".join(f"<th scope='col' class='n'>{name}</th>" for name in _COLUMNS)
    rows = "".join(_row(view) for view in shown)
    return (
        "<section id='boards'><h2>Boards</h2>"
        "<div class='scroll' tabindex='0' role='region' aria-label='Measured and published'>"
        f"<table class='boards'><thead><tr><th scope='col'>Row</th>{head}<th scope='col'>Source</th>"
        f"<th scope='col'>Verdict</th></tr></thead><tbody>{rows}</tbody></table></div>"
        f"<p class='note'>{_FOOTNOTE}</p></section>"
    )


def _row(view: CaptureView) -> str:
    board = view.capture.board
    assert board is not None, "only rows of boards were chosen"
    figure, published = board.figure, board.published
    cells = (
        "0" if figure is None else str(figure.n),
        figure_text(figure),
        interval_text(figure),
        published_text(published),
        ratio_text(published),
    )
    source = "" if published is None else "; ".join(filter(None, (published.source, published.note)))
    return (
        f"<tr><th scope='row'><a href='#{view.anchor}'>{text(board.title)}</a></th>"
        + "".join(
            f"<td class='n' data-name='{name}'>{text(cell)}</td>" for name, cell in zip(_COLUMNS, cells, strict=True)
        )
        + f"<td class='words' data-name='Source'>{text(source)}</td>"
        + f"<td class='words'>{text(board_sentence(view.capture))}</td></tr>"
    )


def board_section(view: CaptureView) -> str:
    """Facts, verdict and waterfalls of one row; nothing where it ran on no board."""
    board = view.capture.board
    if board is None:
        return ""
    settings = " · ".join(f"{name} {value}" for name, value in board.settings.items())
    facts = " · ".join(filter(None, (f"{board.firmware} on {board.board}", settings, *board.traffic, board.ended)))
    found = view.waterfalls
    drawn = ""
    if found:
        figure = waterfalls_figure(f"{view.anchor}-stages", "Where the time goes", "", [("", found)])
        drawn = f"<div class='stages'>{charts(figure, figure.name)}</div>"
    return f"<p class='note'>{text(facts)}</p><p>{text(board_sentence(view.capture))}</p>{drawn}"
