"""Measured beside published as a table of its own, for rows of boards and of links alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airwire.board.row import Figure
from airwire.explain.board.figures import figure_text, interval_text
from airwire.explain.verdict import Verdict
from airwire.report.html import text
from airwire.report.verdict_block import verdict_block

_COLUMNS = ("n", "Measured", "95 %", "Published", "Ratio")


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of the table."""

    anchor: str
    """Of the row's own section on the page."""
    title: str
    figure: Figure | None
    published: str
    ratio: str
    source: str
    verdict: Verdict


def compared_section(anchor: str, heading: str, rows: Sequence[ComparedRow], footnote: str) -> str:
    """The section with its table; nothing where there are no rows."""
    if not rows:
        return ""
    head = "".join(f"<th scope='col' class='n'>{name}</th>" for name in _COLUMNS)
    body = "".join(_row(row) for row in rows)
    return (
        f"<section id='{anchor}'><h2>{text(heading)}</h2>"
        f"<div class='scroll' tabindex='0' role='region' aria-label='{text(heading)}: measured and published'>"
        f"<table class='compared'><thead><tr><th scope='col'>Row</th>{head}<th scope='col'>Source</th>"
        f"<th scope='col'>Verdict</th></tr></thead><tbody>{body}</tbody></table></div>"
        f"<p class='note'>{text(footnote)}</p></section>"
    )


def _row(row: ComparedRow) -> str:
    figure = row.figure
    count = "0" if figure is None else str(figure.n)
    cells = (count, figure_text(figure), interval_text(figure), row.published, row.ratio)
    return (
        f"<tr><th scope='row'><a href='#{row.anchor}'>{text(row.title)}</a></th>"
        + "".join(
            f"<td class='n' data-name='{name}'>{text(cell)}</td>" for name, cell in zip(_COLUMNS, cells, strict=True)
        )
        + f"<td class='words' data-name='Source'>{text(row.source)}</td>"
        + f"<td class='words'>{verdict_block(row.verdict)}</td></tr>"
    )
