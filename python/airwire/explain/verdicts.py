"""The verdicts of rows, whatever they ran on: the one way to them for reports, commands and programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airwire.explain.address.run import address_verdict, address_verdicts
from airwire.explain.board.run import board_verdict, board_verdicts
from airwire.explain.link.run import link_verdict, link_verdict_near, link_verdicts
from airwire.explain.verdict import Verdict
from airwire.model import Capture
from airwire.values import check_kind

_VERDICT: Mapping[str, Callable[[Capture[Any]], Verdict]] = {
    "address": address_verdict,
    "board": board_verdict,
    "link": link_verdict,
}
_VERDICTS: Mapping[str, Callable[[Capture[Any]], list[Verdict]]] = {
    "address": address_verdicts,
    "board": board_verdicts,
    "link": link_verdicts,
}

_NEAR: Mapping[str, Callable[[Capture[Any], int], Verdict | None]] = {
    "address": lambda row, _percentile: address_verdict(row),
    # What a board's slowest messages wait for stands in the details of its verdict.
    "board": lambda row, _percentile: board_verdict(row),
    "link": link_verdict_near,
}


def verdict_of(capture: Capture) -> Verdict | None:
    """The verdict of a row of a board or a link, with all else that is to be said in its details.

    ``None`` for a capture file, of which nothing but its edges is known.
    """
    check_kind("the row", capture, Capture, "airwire.run")
    of_kind = _VERDICT.get(capture.target.kind)
    return None if of_kind is None else of_kind(capture)


def verdicts_of(capture: Capture) -> list[Verdict]:
    """A verdict for each of the two or three largest causes, each with its own evidence in its details."""
    check_kind("the row", capture, Capture, "airwire.run")
    of_kind = _VERDICTS.get(capture.target.kind)
    return [] if of_kind is None else of_kind(capture)


def verdict_near(capture: Capture, percentile: int) -> Verdict | None:
    """What takes most of the time of a row's messages near a percentile."""
    of_kind = _NEAR.get(capture.target.kind)
    return None if of_kind is None else of_kind(capture, percentile)
