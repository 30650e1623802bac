"""The board in the place of the PC: its stages apart from those of the measured board, and what is said of either.

Causes are found by the words that a board with a PC has. Here the measured board's other end is the peer, and the
peer's other end is the board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from airwire.explain.board.cause import Cause
from airwire.explain.quantities import rough_time
from airwire.link_model import Stage

_PEER = "the peer: "


def has_peer(stages: Sequence[Stage]) -> bool:
    """Whether any time is a peer's."""
    return any(stage.name.startswith(_PEER) for stage in stages)


def apart(stages: Sequence[Stage]) -> tuple[list[Stage], list[Stage]]:
    """The stages of the board with the wire, and those of the peer, each in the words of a board with a PC."""
    own = [replace(stage, name=stage.name.replace("the peer", "the PC")) for stage in stages if not _is_peers(stage)]
    theirs = [replace(stage, name=_as_a_board(stage.name)) for stage in stages if _is_peers(stage)]
    return own, theirs


def together(stages: Sequence[Stage], order: Callable[[Sequence[Stage]], list[Stage]]) -> list[Stage]:
    """The stages of each board put in order by themselves, the measured board's first."""
    own, theirs = ([stage for stage in stages if _is_peers(stage) is peers] for peers in (False, True))
    plain = [replace(stage, name=stage.name.removeprefix(_PEER)) for stage in theirs]
    return [*order(own), *(replace(stage, name=f"{_PEER}{stage.name}") for stage in order(plain))]


def of_the_board(cause: Cause) -> Cause:
    """A cause at the measured board."""
    return _said(cause, lambda text: text.replace("the PC", "the peer"))


def of_the_peer(cause: Cause) -> Cause:
    """A cause at the peer."""
    said = _said(cause, lambda text: text.replace("the board", "the peer").replace("the PC", "the board"))
    return replace(said, name=f"{said.name} (the peer)")


def shares_sentence(stages: Sequence[Stage]) -> str:
    """``Of 290 us are 139 us the board's, 13 us the wire's and 138 us the peer's.``"""
    total = sum(stage.ps for stage in stages)
    wire = sum(stage.ps for stage in stages if stage.kind == "wire")
    theirs = sum(stage.ps for stage in stages if _is_peers(stage))
    own = rough_time(total - wire - theirs)
    shares = f"{own} the board's, {rough_time(wire)} the wire's and {rough_time(theirs)} the peer's"
    return f"Of {rough_time(total)} are {shares}."


def _is_peers(stage: Stage) -> bool:
    return stage.name.startswith(_PEER)


def _as_a_board(name: str) -> str:
    return name.removeprefix(_PEER).replace("its other end", "the PC").replace("the peer", "the board")


def _said(cause: Cause, words: Callable[[str], str]) -> Cause:
    return replace(cause, name=words(cause.name), change=words(cause.change))
