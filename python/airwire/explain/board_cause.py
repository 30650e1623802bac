"""One cause of a board's verdict: what takes time, under a name that programs may rely on, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airwire.link_model import Stage


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that takes time, and what to do about it."""

    name: str
    ps: float
    change: str
    kind: str = "other"
    """``poll_period``, ``answer_held_back``, ``fixed_sleep``, or ``other``: names that stay when sentences change. Of
    bulk transfers also ``receive_window``, ``send_buffer``, ``congestion_window``, ``pc``, ``bus``, ``processor`` and
    ``wire``."""
    least_share: float = 0.2
    """Below this share of a message it is not what bounds it; a second cause is named from the same share on."""


def sum_ps(stages: Sequence[Stage]) -> float:
    """What stages take together."""
    return sum(stage.ps for stage in stages)
