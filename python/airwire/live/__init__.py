"""The live view: a page of this computer that fills in as samples arrive, wherever they come from.

A measurement pushes its samples into a :class:`Feed`; a :class:`Source` is something that runs and does so by itself:
a run folder, a virtual board, a suite. The server gives what the feed holds to any number of pages.
"""

from __future__ import annotations

from airwire.live.batch import OUTCOMES, Batch, Outcome
from airwire.live.feed import Feed, Mark, Series
from airwire.live.source import Source

__all__ = ["OUTCOMES", "Batch", "Feed", "Mark", "Outcome", "Series", "Source"]
