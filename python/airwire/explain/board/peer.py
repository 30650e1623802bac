"""The board in the place of the PC: its stages apart from those of the measured board, and what is said of either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airwire.explain.board.cause import NamedCause, sum_ps
from airwire.explain.quantities import rough_time
from airwire.stage import Stage


def apart(stages: Sequence[Stage]) -> tuple[list[Stage], list[Stage]]:
    """The stages of the board with the wire, and those of the peer."""
    own, theirs = ([stage for stage in stages if (stage.site == "peer") is peers] for peers in (False, True))
    return own, theirs


def of_the_peer(cause: NamedCause) -> NamedCause:
    """A cause at the peer."""
    return replace(cause, name=f"{cause.name} (the peer)")


def shares_sentence(stages: Sequence[Stage]) -> str:
    """``Of 290 us are 139 us the board's, 13 us the wire's and 138 us the peer's.``"""
    total, theirs = sum_ps(stages), sum_ps(apart(stages)[1])
    wire = sum_ps([stage for stage in stages if stage.cause == "wire"])
    own = rough_time(total - wire - theirs)
    shares = f"{own} the board's, {rough_time(wire)} the wire's and {rough_time(theirs)} the peer's"
    return f"Of {rough_time(total)} are {shares}."
