"""Samples on their way into the live view: columns of some messages, and where they come from in other forms.

A live outcome says what a person wants to know of a message. Run folders and the clients of a board know finer or other
words, which are translated here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    import polars as pl

Outcome = Literal["ok", "lost", "late", "wrong", "overlapped", "glitch"]
"""What became of a message; the last two are of captures alone."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
CODES: Mapping[Outcome, int] = {outcome: code for code, outcome in enumerate(OUTCOMES)}
"""The number that stands for an outcome on the wire."""

_OF_WORDS: Mapping[str, Outcome] = {
    "ok": "ok",
    "paired": "ok",
    "missed": "lost",
    "timed_out": "lost",
    "reset": "lost",
    "late": "late",
    "wrong": "wrong",
    "overlapped": "overlapped",
    "glitch": "glitch",
}
"""The outcomes of run folders, and those of a board's clients."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some messages, a column for each thing that is known of them; all columns have the same length.

    ``latency_ps`` is None where no answer counts. ``outcomes`` may be left out where every message with a latency is ok
    and every other one is lost. ``payload_bytes`` are those that count as throughput.
    """

    trigger_ps: Sequence[int]
    latency_ps: Sequence[int | None]
    outcomes: Sequence[Outcome] | None = None
    payload_bytes: Sequence[int] | None = None

    def __post_init__(self) -> None:
        columns = {"latency_ps": self.latency_ps, "outcomes": self.outcomes, "payload_bytes": self.payload_bytes}
        for name, column in columns.items():
            if column is not None and len(column) != len(self.trigger_ps):
                raise ValueError(
                    f"{name} has {len(column)} values for {len(self.trigger_ps)} messages; give one of each"
                )

    def __len__(self) -> int:
        return len(self.trigger_ps)


def batch_of_rows(rows: Iterable[Mapping[str, Any]]) -> Batch:
    """Messages as a client of a board tells them: ``board.traffic.samples("ping")``."""
    rows = list(rows)
    return Batch(
        [row["trigger_ps"] for row in rows],
        [row["latency_ps"] for row in rows],
        [_outcome(row["outcome"], row["status"]) for row in rows],
        [row["payload_bytes"] or 0 for row in rows],
    )


def batch_of_frame(samples: pl.DataFrame, late: frozenset[int] = frozenset()) -> Batch:
    """Lines of the table ``samples`` of a run folder; ``late`` are the triggers whose completion came too late."""
    words = samples["outcome"].to_list()
    statuses = samples["status"].to_list() if "status" in samples.columns else [None] * len(words)
    # What a client or a server says of a message is finer than whether it counts.
    if "answer" in samples.columns:
        words = samples["answer"].fill_null(samples["outcome"]).to_list()
    outcomes = [_outcome(word, status) for word, status in zip(words, statuses, strict=True)]
    if late:
        indices = samples["index"].to_list()
        outcomes = ["late" if index in late else one for index, one in zip(indices, outcomes, strict=True)]
    carried = samples["payload_bytes"].fill_null(0).to_list() if "payload_bytes" in samples.columns else None
    return Batch(samples["trigger_ps"].to_list(), samples["latency_ps"].to_list(), outcomes, carried)


def _outcome(word: str, status: object) -> Outcome:
    """An answer with a status that was not counted was a wrong one."""
    found = _OF_WORDS.get(word, "wrong")
    return "wrong" if found == "lost" and status is not None else found
