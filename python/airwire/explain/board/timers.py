"""Causes that are timers of the board: a poll period, a fixed sleep after a command, an answer held back by its stack.

Periods are those that were measured of the traced messages; what usually has such a period is said beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from airwire.explain.board.cause import NamedCause, sum_ps
from airwire.explain.board.figures import number
from airwire.explain.quantities import rough_time
from airwire.explain.words import LOOKED_AT, end_of, looked_at, own_end
from airwire.stage import Stage

# A poll of a millisecond is what the change proposes.
_SHORT_POLL_PS = 1.5e9
# lwIP opt.h: TCP_TMR_INTERVAL.
_LWIP_TIMER_PS = 250e9
_SAME = 0.01
# A wait for a look lasts half a period on average. Where looks lie many waits apart, messages do, and not polls.
_LONGEST_IN_WAITS = 3.0


def timer_causes(stages: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    """What goes to timers of the board, cause by cause."""
    timers = [stage for stage in stages if stage.cause == "gate"]
    found = [*_held(stages, evidence), *_polls(timers, evidence)]
    after = [stage for stage in timers if stage.subject == "command"]
    if after:
        command = max(after, key=lambda stage: stage.ps).detail
        change = f"ask the chip whether {command} is done (Sn_CR, Sn_IR) instead of sleeping"
        found.append(NamedCause(f"a fixed sleep of the driver after {command}", sum_ps(after), change, "fixed_sleep"))
    plain = [stage for stage in timers if stage.subject == "timer"]
    if plain:
        found.append(NamedCause("sleeping until a timer", sum_ps(plain), "wake on the event instead of the timer"))
    return found


def _polls(timers: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    looks = [stage for stage in timers if stage.subject in LOOKED_AT]
    if not looks:
        return []
    period = evidence.get("poll_period_ps")
    register = looked_at(max(looks, key=lambda stage: stage.ps))
    if period and period > _LONGEST_IN_WAITS * sum_ps(looks):
        period = None
    name = f"a poll period of {rough_time(period)}" if period else f"waiting for a poll, the next look at {register}"
    change = "wire the INT pin" if period and period <= _SHORT_POLL_PS else "wire the INT pin or set 1 ms"
    return [NamedCause(name, sum_ps(looks), change, "poll_period")]


def _held(stages: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    held = [stage for stage in stages if stage.subject == "held_answer"]
    if not held:
        return []
    period = evidence.get("held_period_ps")
    polls = any(stage.cause == "gate" and stage.subject in LOOKED_AT for stage in stages)
    poll = evidence.get("poll_period_ps") if polls else None
    if period:
        text = f"the stack sends with its own timer ({_period(period, poll)}"
        total = sum_ps(stages)
        if abs(total / period - 1) < _SAME:
            text += f"; one message a period is {number(1e12 / total, 3)} messages/s"
        text += ")"
    else:
        text = "the stack does not send at once"
    again = next((stage for stage in held if stage.detail), None)
    if again:
        text += f", and here {end_of(again)}'s retransmission comes before it"
    left = f", which leaves the poll period of {rough_time(poll)}" if poll and poll > _SHORT_POLL_PS else ""
    change = f"{text}: call tcp_output() after tcp_write(), or take the output rule out{left}"
    name = f"an answer held back by {own_end(held[0].site)}"
    return [NamedCause(name, sum_ps(held), change, "answer_held_back")]


def _period(period: float, poll: float | None) -> str:
    """A period with what it is known as: ``period 250 ms, lwIP's TCP timer``."""
    text = f"period {rough_time(period)}"
    if abs(period / _LWIP_TIMER_PS - 1) < _SAME:
        return f"{text}, lwIP's TCP timer, TCP_TMR_INTERVAL"
    if poll and abs(period - _LWIP_TIMER_PS) <= poll:
        beats = ceil(_LWIP_TIMER_PS / poll)
        if abs(beats * poll / period - 1) < _SAME:
            return f"{text} = {beats} x {rough_time(poll)}: lwIP's TCP timer of 250 ms, which runs only at polls"
        return f"{text}, within a poll of lwIP's TCP timer of 250 ms"
    return text
