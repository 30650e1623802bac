"""One cause of a board's verdict: what takes time, under a name that programs may rely on, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that takes time, and what to do about it."""

    name: str
    ps: float
    change: str
    kind: str = "other"
    """``poll_period``, ``answer_held_back``, ``fixed_sleep``, or ``other``: names that stay when sentences change."""
