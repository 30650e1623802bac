"""How many messages were sent and how many of these arrived: the one place that reckons losses out of outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_OF_TRIGGERS = ("paired", "missed", "overlapped")
"""A second edge of one trigger, a glitch, is no message."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Messages that were sent, and those of them that did not arrive."""

    messages: int
    lost: int

    @property
    def loss(self) -> float:
        """The share of them that was lost; 0 where none was sent."""
        return self.lost / self.messages if self.messages else 0.0


def sent_of(outcomes: Mapping[str, int], unfinished: int) -> Sent:
    """What outcomes say of messages.

    ``unfinished`` of the last ones were sent so late that the recording ended before they could have arrived: a capture
    that stops in mid-message costs a message, not a loss.
    """
    messages = sum(outcomes.get(name, 0) for name in _OF_TRIGGERS) - unfinished
    return Sent(messages, messages - outcomes.get("paired", 0))


def why_none_arrived(messages: int) -> str:
    """Why none of the messages has a latency: they were lost, or there was none."""
    return "every message was lost" if messages else "no message was sent"
