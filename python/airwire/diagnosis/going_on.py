"""How far an image runs while it is looked at: its own handler of a fault may go on, but what has ended is over."""

from __future__ import annotations

from airwire.board.model import BoardRun
from airwire.board.virtual import Board
from airwire.values import Time

_FAULTS = ("fault", "breakpoint", "locked-up")


def run_past_faults(board: Board, for_: Time, *, until_done: bool = False) -> BoardRun:
    """Run a board for a time from now, past the faults of its image.

    A return from ``main`` is a BKPT too. Whoever went on behind that would find the fault of what comes after the end.
    A run that Ctrl-C ended has found nothing that may be told.

    Raises ``KeyboardInterrupt`` for such a run.
    """
    run = board.run(for_, until_done=until_done)
    if run.reason in _FAULTS:
        run = board.run(for_, until_done=until_done, past_faults=True)
    if run.reason == "interrupted":
        raise KeyboardInterrupt
    return run
