"""What is said of messages that were lost: the time of a message has only those that were answered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import polars as pl

from airwire.board.row import BoardRow
from airwire.explain.board.answers import lost_sentence
from airwire.kinds import Measure
from airwire.model import Capture


def said(measure: Measure, *outcomes: tuple[str, str | None]) -> str | None:
    samples = pl.DataFrame(outcomes, schema={"outcome": pl.String, "error": pl.String}, orient="row")
    return lost_sentence(
        cast(Capture[BoardRow], SimpleNamespace(target=SimpleNamespace(measure=measure), samples=samples))
    )


ANSWERED = ("paired", None)
REFUSED = ("missed", "connection refused")
ENDED = ("missed", "the connection ended before the response was complete")


def test_lost_requests_are_told_with_what_became_of_them_the_most_frequent_first() -> None:
    assert said("requests", ANSWERED, REFUSED, ENDED, ENDED) == (
        "3 of 4 requests were lost (the connection ended before the response was complete; connection refused), "
        "which the time of one leaves out."
    )
    assert said("messages", ANSWERED, REFUSED) == (
        "1 of 2 messages was lost (connection refused), which the time of one leaves out."
    )


def test_a_loss_without_a_reason_is_told_without_one() -> None:
    assert said("latency", ANSWERED, ("missed", None)) == "1 of 2 messages was lost, which the time of one leaves out."


def test_nothing_is_said_where_nothing_is_lost_or_what_is_measured_is_no_message() -> None:
    assert said("requests", ANSWERED, ("late", None)) is None
    assert said("bulk", ANSWERED, REFUSED) is None
