"""Rows of boards on a terminal and as JSON: measured against published, and a verdict under each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from airwire.board_row import Published
from airwire.cli.output import whole
from airwire.cli.tables import console
from airwire.explain.board.figures import figure_text, interval_text, published_text, ratio_text
from airwire.explain.board.floor import floor_of
from airwire.explain.board.run import board_causes, board_sentence
from airwire.model import Analysis, Capture

_COLUMNS = ("n", "measured", "95 %", "published", "ratio")


def board_rows(analysis: Analysis) -> list[Capture]:
    """The rows that ran on boards, in the order of the suite."""
    return [row for row in analysis.captures if row.board is not None]


def print_board_rows(analysis: Analysis) -> None:
    """The table, then a verdict for each row."""
    rows = board_rows(analysis)
    if not rows:
        return
    out = console()
    out.print(_table(rows))
    out.print(
        'Virtual boards in virtual time; ratio is measured through published, "within" a published range.', style="dim"
    )
    out.print("\nVerdicts:", style="bold")
    for row in rows:
        out.print(Text(f"- {row.path}: {board_sentence(row)}"))


def _table(rows: Sequence[Capture]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("row", overflow="fold", min_width=16)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        board = row.board
        assert board is not None, "only rows of boards were chosen"
        figure, published = board.figure, board.published
        cells = (
            board.title,
            "0" if figure is None else str(figure.n),
            figure_text(figure),
            interval_text(figure),
            published_text(published),
            ratio_text(published),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def board_rows_json(analysis: Analysis) -> list[dict[str, Any]]:
    """``boards`` of ``airwire.run/1``."""
    return [_row_json(row) for row in board_rows(analysis)]


def _row_json(row: Capture) -> dict[str, Any]:
    board = row.board
    assert board is not None, "only rows of boards were chosen"
    return {
        "row": row.path,
        "title": board.title,
        "board": board.board,
        "firmware": board.firmware,
        "firmware_sha256": board.firmware_sha256,
        "settings": dict(board.settings),
        "peer": _peer_json(row),
        "trigger": board.trigger,
        "measure": board.measure,
        "figure": None if board.figure is None else asdict(board.figure),
        "latency": None if board.latency is None else asdict(board.latency),
        "published": None if board.published is None else _published_json(board.published),
        "same_but": None if board.same_but is None else asdict(board.same_but),
        "end_ps": board.end_ps,
        "ended": board.ended,
        "problem": board.problem,
        "counts": {name: whole(value) for name, value in board.counts.items()},
        "notes": list(board.notes),
        "verdict": board_sentence(row),
        "causes": [
            {"cause": cause.kind, "name": cause.name, "ps": whole(cause.ps), "change": cause.change}
            for cause in board_causes(row)
        ],
        "floor": _floor_json(row),
        "bulk": None if board.bulk is None else asdict(board.bulk),
    }


def _published_json(published: Published) -> dict[str, Any]:
    """By the manifest's names: an end of a range is no word of Python's."""
    fields = asdict(published)
    return {"value": fields.pop("value"), "from": fields.pop("least"), "to": fields.pop("most"), **fields}


def _peer_json(row: Capture) -> dict[str, Any] | None:
    peer = row.board.peer if row.board is not None else None
    if peer is None:
        return None
    return {
        "board": peer.board,
        "firmware": peer.firmware,
        "firmware_sha256": peer.firmware_sha256,
        "settings": dict(peer.settings),
        "ended": peer.ended,
        "counts": {name: whole(value) for name, value in peer.counts.items()},
    }


def _floor_json(row: Capture) -> dict[str, Any] | None:
    found = floor_of(row)
    if found is None:
        return None
    return {**{name: whole(ps) for name, ps in asdict(found).items()}, "share": round(found.share, 4)}
