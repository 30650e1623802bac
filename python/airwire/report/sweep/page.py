"""The page of a sweep: what is best, then curves, heat map and parallel coordinates of each entry, and a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from airwire.report.document import figure_block, page_of_sections
from airwire.report.html import text
from airwire.report.spec import Figure
from airwire.report.sweep.data import SweepData
from airwire.report.sweep.heat_map import heat_map
from airwire.report.sweep.parallel import parallel_figure
from airwire.report.sweep.response import response_figure

_MOST_ROWS = 50


def figures_of(data: SweepData) -> list[Figure]:
    """The pictures of an entry, in reading order."""
    key = re.sub(r"[^a-z0-9]+", "-", data.entry.lower()).strip("-") or "entry"
    drawn = (
        response_figure(data, f"response-{key}"),
        heat_map(data, f"heat-map-{key}"),
        parallel_figure(data, f"combinations-{key}"),
    )
    return [figure for figure in drawn if figure is not None]


def page(heading: str, facts: Sequence[str], result: str, entries: Sequence[SweepData], notes: Sequence[str]) -> str:
    """The whole page."""
    sections: dict[str, tuple[str, str]] = {}
    if notes:
        sections["notes"] = ("Notes", f"<ul class='why'>{''.join(f'<li>{text(note)}</li>' for note in notes)}</ul>")
    for number, data in enumerate(entries, start=1):
        blocks = [f"<h3>{text(figure.title)}</h3>{figure_block(figure)}" for figure in figures_of(data)]
        sections[f"entry-{number}"] = (data.entry, "".join(blocks) + _table(data))
    return page_of_sections(heading, facts, result, sections)


def _table(data: SweepData) -> str:
    """The best combinations, folded."""
    names = [axis.name for axis in data.axes]
    head = "".join(f"<th scope='col'>{text(name)}</th>" for name in (*names, "figure", "95 % interval"))
    rows = []
    for one in data.combinations[:_MOST_ROWS]:
        interval = "" if one.low is None or one.high is None else f"{data.words(one.low)} to {data.words(one.high)}"
        cells = [str(one.values.get(name, "")) for name in names]
        figures = "".join(f"<td class='n'>{text(cell)}</td>" for cell in (data.words(one.figure), interval))
        rows.append(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in cells)}{figures}</tr>")
    left = len(data.combinations) - len(rows)
    more = f"<p class='note'>{left:,} more are in the data set.</p>" if left > 0 else ""
    return (
        f"<details class='more'><summary><h3>The best combinations of {text(data.entry)}</h3></summary>"
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        f"{more}</details>"
    )
