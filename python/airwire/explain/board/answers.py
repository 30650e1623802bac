"""Answers that are errors: what an HTTP server says with a status of 400 or more."""

from __future__ import annotations

from airwire.board.row import BoardRow
from airwire.model import Capture

_ERROR_STATUS = 400
"""From here on (RFC 9110, 15.5)."""


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
