"""The verdicts of rows, whatever they ran on: the one way to them for reports, commands and programs."""

from __future__ import annotations

from airwire.explain.board.run import board_verdict, board_verdicts
from airwire.explain.link.run import link_verdict, link_verdicts
from airwire.explain.verdict import Verdict
from airwire.model import Capture, is_of_board, is_of_link


def verdict_of(capture: Capture) -> Verdict | None:
    """The verdict of a row of a board or a link, with all else that is to be said in its details.

    ``None`` for a capture file, of which nothing but its edges is known.
    """
    if is_of_board(capture):
        return board_verdict(capture)
    return link_verdict(capture) if is_of_link(capture) else None


def verdicts_of(capture: Capture) -> list[Verdict]:
    """A verdict for each of the two or three largest causes, each with its own evidence in its details."""
    if is_of_board(capture):
        return board_verdicts(capture)
    return link_verdicts(capture) if is_of_link(capture) else []
