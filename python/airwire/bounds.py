"""What figures of a row are to keep, and whether they do: one bound of a suite, held against what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from airwire.kinds import Relation


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on a figure of a row."""

    quantity: str
    """As the suite names it: ``p95``, ``messages_per_second``, ``flash`` ..."""
    relation: Relation
    limit: float
    unit: str
    """Of limit and figure: ``ps``, ``messages/s``, ``requests/s``, ``bit/s``, ``B``, and ``1`` of a share."""
    measured: float | None
    """``None`` where the row has no such figure: every message was lost."""
    holds: bool
