"""What the change of a cause is estimated to bring: the figure of the row without the time that the change saves.

The rest of a message is taken to last as long as before. Where that is not so, no gain is told:

- Messages whose rate is that of polls are not faster with less work, so that only the poll itself has a gain.
- Where somebody pauses between messages, the rate is not that of the board.
- Where the median is not near the mean, the rest at p95 has to be as long as that at the median. And messages at p95
  have to be others than those at the median, or else nothing is known of the messages that are not like them.

``tests/firmware/test_gain_estimates.py`` holds the estimates against rows in which that very change was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from airwire.board.row import BULK, BoardRow, Figure
from airwire.explain.board.cause import NamedCause
from airwire.explain.board.timers import SHORT_POLL_PS
from airwire.explain.verdict import Gain

_PS_PER_S = 1e12
# Of a smaller gain nobody would take note, and no estimate is that exact.
_WORTH_SAYING = 0.01
_NEAR = 0.1
_POLL = "poll_period"


@dataclass(frozen=True, slots=True)
class Message:
    """Messages near the median: how long they take, and what takes it."""

    total_ps: float
    mean_ps: float
    """Of all messages, traced or not."""
    causes: Sequence[NamedCause]
    slow_total_ps: float | None = None
    """The same near p95, where messages were traced there."""
    slow_causes: Sequence[NamedCause] = ()


def gain_of(cause: NamedCause, message: Message, board: BoardRow) -> Gain | None:
    """What the change of a cause brings; ``None`` where nothing honest can be said."""
    figure = board.figure
    if figure is None or figure.value <= 0 or cause.removable_ps is None:
        return None
    if board.measure == BULK:
        return _bulk_gain(cause, message, board, figure)
    if cause.kind != _POLL and cause.polls_left_ps is None and _is_paced_by_polls(message, figure):
        return None
    after = _time_after(cause, message, figure)
    if not after:
        return None
    return _worth_saying(Gain(figure.value, _in_unit(after, figure), figure.unit, cause.helps_beyond))


def short_poll_gain(cause: NamedCause, message: Message, board: BoardRow) -> Gain | None:
    """What a poll of a millisecond would bring in place of the pin, where polls are rarer."""
    if cause.kind != _POLL or board.measure == BULK:
        return None
    return gain_of(replace(cause, polls_left_ps=SHORT_POLL_PS), message, board)


def _time_after(cause: NamedCause, message: Message, figure: Figure) -> float | None:
    """The time of a message by the figure, once the cause is gone."""
    before = figure.value if figure.unit == "ps" else _PS_PER_S / figure.value
    typical = figure.value if figure.unit == "ps" else message.mean_ps
    if before > (1 + _NEAR) * typical:
        return None
    rest = _rest(cause, message.total_ps, figure)
    if abs(typical / message.total_ps - 1) <= _NEAR:
        return before * rest / message.total_ps
    one_by_one = before >= (1 - _NEAR) * typical
    return rest if one_by_one and _is_as_long_at_p95(cause, rest, message, figure) else None


def _bulk_gain(cause: NamedCause, message: Message, board: BoardRow, figure: Figure) -> Gain | None:
    """Without the time saved the rest carries as much, but no more than SPI does."""
    rest = message.total_ps - (cause.removable_ps or 0)
    if rest <= 0:
        return None
    after = figure.value * message.total_ps / rest
    ceiling = board.bulk.bus_ceiling_bits_per_second if board.bulk is not None else None
    if ceiling is not None and cause.kind != "bus":
        after = min(after, ceiling)
    return _worth_saying(Gain(figure.value, after, figure.unit, cause.helps_beyond))


def _is_paced_by_polls(message: Message, figure: Figure) -> bool:
    """Whether each message ends at a poll and begins the next one, so that the rate is that of the polls."""
    polls = any(cause.kind == _POLL and cause.ps >= cause.least_share * message.total_ps for cause in message.causes)
    return polls and figure.unit != "ps"


def _rest(cause: NamedCause, total_ps: float, figure: Figure) -> float:
    """What is left of a message; where it ends at polls these are what it waits for."""
    rest = max(0.0, total_ps - (cause.removable_ps or 0))
    period = cause.polls_left_ps
    if not period:
        return rest
    # Messages that follow each other meet polls in step; others at any phase, which is half a period on average.
    return rest + period / 2 if figure.unit == "ps" else period * max(1, ceil(rest / period))


def _is_as_long_at_p95(cause: NamedCause, rest: float, message: Message, figure: Figure) -> bool:
    """Whether messages near p95 take as long without the cause."""
    if message.slow_total_ps is None or abs(message.slow_total_ps / message.total_ps - 1) <= _NEAR:
        return False
    same = next((other for other in message.slow_causes if (other.kind, other.name) == (cause.kind, cause.name)), None)
    if same is None or same.removable_ps is None:
        return False
    return rest > 0 and abs(_rest(same, message.slow_total_ps, figure) / rest - 1) <= _NEAR


def _in_unit(ps: float, figure: Figure) -> float:
    return ps if figure.unit == "ps" else _PS_PER_S / ps


def _worth_saying(gain: Gain) -> Gain | None:
    return gain if gain.factor >= 1 + _WORTH_SAYING else None
