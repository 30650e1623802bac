"""Answers that are errors, which an HTTP server says with a status of 400 or more, and messages without any."""

from __future__ import annotations

from airwire.board.row import BULK, BoardRow
from airwire.explain.quantities import count
from airwire.model import Capture

_ERROR_STATUS = 400
"""From here on (RFC 9110, 15.5)."""
_MOST_REASONS = 2


def error_answers_sentence(row: Capture[BoardRow]) -> str | None:
    """``12 of 584 answers are errors, with status 404.``; ``None`` where none is, or nothing has a status."""
    if row.target.measure != "requests":
        return None
    statuses = row.samples["status"].drop_nulls()
    errors = statuses.filter(statuses >= _ERROR_STATUS)
    if errors.is_empty():
        return None
    kinds = ", ".join(str(status) for status in errors.unique().sort())
    are = "is an error" if errors.len() == 1 else "are errors"
    return f"{errors.len()} of {statuses.len()} answers {are}, with status {kinds}."


def lost_sentence(row: Capture[BoardRow]) -> str | None:
    """``9 of 40 requests were lost (connection refused), which the time of one leaves out.``; ``None`` where none was.

    The reasons are those that the client gives, the most frequent first.
    """
    if row.target.measure == BULK:
        return None
    one = "request" if row.target.measure == "requests" else "message"
    outcomes = row.samples["outcome"]
    lost = row.samples.filter((outcomes != "paired") & (outcomes != "late"))
    if lost.is_empty():
        return None
    words = lost["error"].drop_nulls()
    # Reasons that are as frequent come in the order of the alphabet, so that the same run says the same.
    counted = words.alias("words").value_counts(name="count")
    reasons = counted.sort("count", "words", descending=[True, False])["words"].to_list()[:_MOST_REASONS]
    why = f" ({'; '.join(reasons)})" if reasons else ""
    were = "was" if lost.height == 1 else "were"
    return f"{lost.height} of {count(row.samples.height, one)} {were} lost{why}, which the time of one leaves out."
