"""What the line of a row shows beside its name: its figure, and what others published of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airwire.explain.board.figures import figure_text, interval_text, ratio_text
from airwire.explain.board.figures import published_text as board_published_text
from airwire.explain.energy import board_energy, link_energy
from airwire.explain.link.published import published_text
from airwire.explain.link.published import ratio_text as link_ratio_text
from airwire.report import units

if TYPE_CHECKING:
    from airwire.address.row import AddressRow
    from airwire.board.row import BoardRow
    from airwire.link.model import LinkRow
    from airwire.model import Capture


@dataclass(frozen=True, slots=True)
class RowFacts:
    """The figures of a row as text; empty where there is none."""

    figure: str = ""
    beside: str = ""
    """The interval of the figure, or a slower percentile."""
    published: str = ""
    ratio: str = ""
    source: str = ""


def facts_of_link(row: Capture[LinkRow]) -> RowFacts:
    """The median with p95."""
    latency, published = row.latency_ps, row.target.published
    if latency is None:
        return RowFacts(published=published_text(published))
    return RowFacts(
        figure=units.format_duration(latency["p50"]),
        beside=f"p95 {units.format_duration(latency['p95'])}",
        published=published_text(published),
        ratio=link_ratio_text(row),
        source="" if published is None else published.source,
    )


def facts_of_board(row: Capture[BoardRow | AddressRow]) -> RowFacts:
    """The figure with its interval."""
    board, published = row.target, row.target.published
    return RowFacts(
        figure="" if board.figure is None else figure_text(board.figure),
        beside=interval_text(board.figure),
        published=board_published_text(published),
        ratio=ratio_text(published),
        source="" if published is None else published.source,
    )


def link_told(link: LinkRow) -> str:
    """The link with its settings and its triggers."""
    settings = " · ".join(f"{name} {value}" for name, value in link.settings.items())
    return " · ".join(filter(None, (link.title, settings, f"triggers {link.trigger}", link_energy(link))))


def board_told(board: BoardRow) -> str:
    """What the row is, its firmware and board, settings and traffic."""
    settings = " · ".join(f"{name} {value}" for name, value in board.settings.items())
    where = f"{board.firmware} on {board.board}"
    return " · ".join(filter(None, (board.title, where, settings, *board.traffic, board.ended, board_energy(board))))


def address_told(target: AddressRow) -> str:
    """What the row is, where the board is, and what asked it."""
    where = target.address if target.resolved in (None, target.address) else f"{target.address} ({target.resolved})"
    return " · ".join(filter(None, (target.title, where, target.traffic, target.ended)))


_FACTS: Mapping[str, Callable[[Capture[Any]], RowFacts]] = {
    "address": facts_of_board,
    "board": facts_of_board,
    "link": facts_of_link,
}
_TOLD: Mapping[str, Callable[[Any], str]] = {"address": address_told, "board": board_told, "link": link_told}


def facts_of(capture: Capture) -> RowFacts:
    """The figures of a row as text; none for a capture file."""
    of_kind = _FACTS.get(capture.target.kind)
    return RowFacts() if of_kind is None else of_kind(capture)


def told_of(capture: Capture) -> str:
    """What ran, with its settings; nothing for a capture file."""
    of_kind = _TOLD.get(capture.target.kind)
    return "" if of_kind is None else of_kind(capture.target)
