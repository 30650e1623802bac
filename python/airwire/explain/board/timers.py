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
from airwire.kinds import Subject
from airwire.stage import Stage

_TIMED_LOOK: Subject = "timed_look"
SHORT_POLL_PS = 1e9
"""A poll of a millisecond is what is proposed where no pin is wired."""
# One of a little more than that is short already.
_LONG_POLL_PS = 1.5e9
# lwIP opt.h: TCP_TMR_INTERVAL.
_LWIP_TIMER_PS = 250e9
_SAME = 0.01
# A wait for a look lasts half a period on average. Where looks lie many waits apart, messages do, and not polls.
_LONGEST_IN_WAITS = 3.0


def timer_causes(stages: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    """What goes to timers of the board, cause by cause."""
    timers = [stage for stage in stages if stage.cause == "gate"]
    looks = [stage for stage in timers if stage.subject in (*LOOKED_AT, _TIMED_LOOK)]
    found = [*_held(stages, looks, evidence), *_polls(looks, evidence)]
    after = [stage for stage in timers if stage.subject == "command"]
    if after:
        command = max(after, key=lambda stage: stage.ps).detail
        name, ps = f"a fixed time after {command}", sum_ps(after)
        sentence = f"The driver sleeps; the chip says in Sn_CR and Sn_IR when {command} is done."
        change = f"ask the chip whether {command} is done"
        found.append(NamedCause(name, ps, change, "fixed_sleep", "sleeps", (sentence,), removable_ps=ps))
    plain = [stage for stage in timers if stage.subject == "timer"]
    if plain:
        change = "wake on the event, unless that interval is on purpose"
        found.append(NamedCause("until a timer", sum_ps(plain), change, "timer", "sleeps"))
    busy = [stage for stage in timers if stage.subject == "clock"]
    if busy:
        found.append(_busy_wait(busy))
    return found


def _busy_wait(busy: Sequence[Stage]) -> NamedCause:
    """A pause in a loop, which ends when it is time; by the function that pauses most, where functions have names."""
    function = max(busy, key=lambda stage: stage.ps).detail
    name = f"the clock in {function}" if function else "the clock in a loop"
    sentence = "The processor waits until it is time, so a faster one changes nothing."
    change = "shorten that pause, unless it is on purpose"
    return NamedCause(name, sum_ps(busy), change, "busy_wait", "waits for", (sentence,))


def _polls(looks: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    if not looks:
        return []
    ps = sum_ps(looks)
    period = evidence.get("poll_period_ps")
    longest = max(looks, key=lambda stage: stage.ps)
    register = looked_at(longest)
    when = "only in a timer's interrupt" if longest.subject == _TIMED_LOOK else "when a timer wakes it"
    sentence = f"{own_end(looks[0].site).capitalize()} looks at {register} {when}."
    if period and period > _LONGEST_IN_WAITS * ps:
        period = None
    name = f"a poll every {rough_time(period)}" if period else f"a poll, the next look at {register}"
    # The change is the one whose gain the line tells; the details have an estimate of a poll each millisecond.
    return [NamedCause(name, ps, "wire the INT pin", "poll_period", "waits for", (sentence,), removable_ps=ps)]


def _held(stages: Sequence[Stage], looks: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    held = [stage for stage in stages if stage.subject == "held_answer"]
    if not held:
        return []
    ps, own = sum_ps(held), own_end(held[0].site)
    poll = evidence.get("poll_period_ps") if looks else None
    period = evidence.get("held_period_ps")
    if period and not _is_lwips(period, poll):
        return [_own_interval(ps, own, period)]
    sentences = [f"{own.capitalize()} holds its answer back.", *_period_sentences(stages, evidence, poll)]
    again = next((stage for stage in held if stage.detail), None)
    if again:
        sentences.append(f"Here {end_of(again)}'s retransmission comes before it.")
    sentences.append("Taking the output rule out does the same.")
    if poll and poll > _LONG_POLL_PS:
        sentences.append(f"That leaves the poll period of {rough_time(poll)}.")
    saved = ps + sum_ps(looks) if poll else ps
    name = _timer(period)
    change = "call tcp_output() after tcp_write()"
    return [NamedCause(name, ps, change, "answer_held_back", "waits for", sentences, saved, polls_left_ps=poll)]


def _own_interval(ps: float, own: str, period: float) -> NamedCause:
    """A client that asks once a second waits for nothing but its own clock; a stack's unknown timer looks alike."""
    sentences = (
        f"{own.capitalize()} has taken what came, and sends again when a timer of {rough_time(period)} ends.",
        "Where the application sends at this interval on purpose, nothing is slow.",
    )
    change = "send sooner, unless that interval is on purpose"
    return NamedCause(f"its own timer of {rough_time(period)}", ps, change, "timer", "waits for", sentences)


def _timer(period: float | None) -> str:
    """The timer that ends the wait."""
    return "lwIP's 250 ms timer" if period else "the stack to send"


def _is_lwips(period: float, poll: float | None) -> bool:
    """Whether a period is that of lwIP's TCP timer, which may run only at polls."""
    return abs(period / _LWIP_TIMER_PS - 1) < _SAME or (poll is not None and abs(period - _LWIP_TIMER_PS) <= poll)


def _period_sentences(stages: Sequence[Stage], evidence: Mapping[str, float | None], poll: float | None) -> list[str]:
    """What the timer is known by, and the rate that it makes."""
    period = evidence.get("held_period_ps")
    if not period:
        return ["The stack does not send at once."]
    found = [f"The stack sends with its own timer: {_period(period, poll)}."]
    total = sum_ps(stages)
    if abs(total / period - 1) < _SAME:
        found.append(f"One message a period is {number(1e12 / total, 3)} messages/s.")
    return found


def _period(period: float, poll: float | None) -> str:
    """A period with what it is known as: ``period 250 ms, lwIP's TCP timer``."""
    text = f"period {rough_time(period)}"
    if abs(period / _LWIP_TIMER_PS - 1) < _SAME:
        return f"{text}, lwIP's TCP timer, TCP_TMR_INTERVAL"
    if poll and _is_lwips(period, poll):
        beats = ceil(_LWIP_TIMER_PS / poll)
        if abs(beats * poll / period - 1) < _SAME:
            return f"{text} = {beats} x {rough_time(poll)}, lwIP's TCP timer of 250 ms, which runs only at polls"
        return f"{text}, within a poll of lwIP's TCP timer of 250 ms"
    return text
