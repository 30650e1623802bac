"""How many rows of a run agree with what others published of them, within how much, and how many stay open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airwire.board.row import BoardRow
from airwire.explain.link.published import ratio
from airwire.link.model import LinkRow
from airwire.model import Capture

AGREEMENT = 0.05
"""A figure that is this near to a published one agrees with it."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How rows compare with what others published of them."""

    agree: int
    differ: int
    open: int
    """Rows of another setup, of which only the cause is compared."""

    @property
    def compared(self) -> int:
        """Rows whose figure is held against a published one."""
        return self.agree + self.differ


def of_boards(rows: Sequence[Capture[BoardRow]]) -> Agreement:
    """The agreement of rows of boards; of ranges a figure within them agrees."""
    published = [row.target.published for row in rows if row.target.published is not None]
    shares = [one.measured_share for one in published if one.compare != "mechanism" and one.measured_share is not None]
    agree = sum(abs(share - 1) <= AGREEMENT for share in shares)
    return Agreement(agree, len(shares) - agree, len(published) - len(shares))


def of_links(rows: Sequence[Capture[LinkRow]]) -> Agreement:
    """The agreement of rows of links with published medians."""
    ratios = [found for row in rows if (found := ratio(row)) is not None]
    agree = sum(abs(found - 1) <= AGREEMENT for found in ratios)
    return Agreement(agree, len(ratios) - agree, 0)
