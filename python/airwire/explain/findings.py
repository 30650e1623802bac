"""Findings as sentences: what the capture shows, with the figures, and the next step.

The detectors (crate ``stats``) decide whether there is a finding and give its evidence; here it becomes words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airwire.explain.known_periods import BAUD_RATES, meaning_of
from airwire.explain.quantities import count, percent, rough_time, table_time, time
from airwire.model import Finding

if TYPE_CHECKING:
    from airwire._core import RawFinding
    from airwire.address.row import AddressRow
    from airwire.board.row import BoardRow
    from airwire.link.model import LinkRow
    from airwire.model import CaptureFile

# A period whose range is wider than this share of it is given with its range.
_WORTH_TELLING = 1e-3
# Triggers whose phases agree more than this are nearly locked to the gate themselves.
_HIDDEN = 0.4
# The shortest candidate that is named as the example of a gate: ticks and intervals are rarely shorter.
_USUAL_GATE_PS = 10e9


@dataclass(frozen=True, slots=True)
class _Context:
    """What is known of the run in which something was found: advice that cannot be followed there is not given."""

    pairing: str
    simulated: bool
    may_repeat: bool
    has_characters: bool
    mean_over_phases_ps: float | None
    """What a model gives on average where every phase is as likely; ``None`` of what was measured."""


class _Evidence:
    """The figures of a raw finding, by name and type."""

    def __init__(self, raw: RawFinding) -> None:
        self._values = raw["evidence"]
        self.period_ps = float(raw["period_ps"] or 0)

    def has(self, name: str) -> bool:
        return name in self._values

    def number(self, name: str) -> float:
        value = self._values[name]
        assert not isinstance(value, list), f"{name} is one number"
        return value

    def numbers(self, name: str) -> list[float]:
        value = self._values.get(name, [])
        assert isinstance(value, list), f"{name} is a list"
        return value

    def time(self, name: str) -> str:
        return rough_time(self.number(name))

    @property
    def period(self) -> str:
        return rough_time(self.period_ps)


def explain_finding(raw: RawFinding, pairing: str, target: CaptureFile | LinkRow | BoardRow | AddressRow) -> Finding:
    """The finding of a detector in words. ``pairing`` is the rule that was in force, ``target`` what was measured."""
    from airwire.link.model import LinkRow

    mean_ps = float(sum(stage.ps for stage in target.budget)) if isinstance(target, LinkRow) else None
    context = _Context(pairing, target.simulated, target.may_repeat, target.has_characters, mean_ps)
    sentence, next_step = _SENTENCES[raw["kind"]](_Evidence(raw), context)
    return Finding(raw["kind"], raw["confidence"], sentence, next_step, raw["period_ps"], raw["evidence"])


def _gate(found: _Evidence, _context: _Context) -> tuple[str, str]:
    if found.has("crossing_fall_ps"):
        return _tick_crossing(found)
    uncertainty = found.number("period_uncertainty_ps")
    vague = uncertainty > _WORTH_TELLING * found.period_ps
    name = f"{found.period} (give or take {rough_time(uncertainty)})" if vague else time(found.period_ps)
    done, trigger = found.number("coherence_done"), found.number("coherence_trigger")
    if trigger > _HIDDEN:
        sentence = (
            f"Completions keep to a grid of {name} (their phases agree to {done:.2f}; 1 is a perfect grid), although a "
            "trigger interval of a whole number of periods hides it: the triggers creep over the grid with the clocks' "
            "difference, and some messages wait one period more."
        )
    else:
        sentence = (
            f"Completions are locked to a period of {name}: their phases agree to {done:.2f} (1 is a perfect grid), "
            f"those of the triggers to {trigger:.2f}."
        )
    sentence += _named(meaning_of(found.period_ps, uncertainty))
    aliases = found.numbers("aliases_ps")
    if aliases:
        sentence += f" Whole parts of it fit as well: {', '.join(map(rough_time, aliases))}."
    return sentence, (
        f"A message waits up to {found.period} for this gate, {rough_time(found.period_ps / 2)} on average: shorten "
        "the period, or wake on the event instead of waiting for it."
    )


def _tick_crossing(found: _Evidence) -> tuple[str, str]:
    fall = rough_time(abs(found.number("crossing_fall_ps")))
    return (
        f"The latency creeps by {found.time('drift_per_trigger_ps')} per trigger and changes by {fall} (give or take "
        f"{found.time('crossing_fall_error_ps')}) once, {found.time('crossing_at_ps')} after the start: the run "
        f"crossed a tick of {found.period}.{_named(meaning_of(found.period_ps, 0.0))}",
        f"Wake on the event instead of polling at the tick, or dither the trigger by at least {found.period} so that "
        "every phase is measured.",
    )


def _named(meaning: str | None) -> str:
    return f" That is {meaning}." if meaning else ""


def _over_all_phases(context: _Context) -> str:
    mean_ps = context.mean_over_phases_ps
    return f" Over all phases the mean is {rough_time(mean_ps)}." if mean_ps else ""


def _frozen_phase(found: _Evidence, context: _Context) -> tuple[str, str]:
    covered, interval_ps = found.time("covered_ps"), found.number("trigger_interval_ps")
    interval = rough_time(interval_ps)
    if found.period_ps:
        known = f"The gate is {found.period}:" if context.mean_over_phases_ps else f"If the gate is {found.period},"
        return (
            f"{known} this run saw {covered} of it: its tight cluster is phase, not speed "
            f"(triggers every {interval} are a whole number of gate periods apart).{_over_all_phases(context)}",
            _dither(found.period_ps, interval_ps),
        )
    candidates = found.numbers("candidate_periods_ps")
    long_enough = [period for period in candidates if period >= _USUAL_GATE_PS]
    usual = rough_time(min(long_enough, default=max(candidates, default=interval_ps)))
    among = f" ({', '.join(map(rough_time, candidates))} divide it)" if candidates else ""
    return (
        f"If the gate is {usual}, this run saw {covered} of it: its tight cluster is phase, not speed. The latency "
        f"creeps by {found.time('drift_per_trigger_ps')} per trigger, as it does where the trigger interval "
        f"({interval}) is a whole number of gate periods{among}, and it never came round, so that the period cannot be "
        "told.",
        f"Dither the trigger by at least {usual}, or name the gate with --gate if you know it.",
    )


def _phase_coverage(found: _Evidence, context: _Context) -> tuple[str, str]:
    interval_ps = found.number("trigger_interval_ps")
    visited = f"the triggers left parts of the {found.period} gate out"
    if found.has("phases"):
        visited = (
            f"triggers every {rough_time(interval_ps)} visit only {found.number('phases'):.0f} phases of the "
            f"{found.period} gate, {found.time('phase_step_ps')} apart"
        )
    return (
        f"This run saw {percent(found.number('covered_share'))} of the gate's phases: {visited}. Gaps between clusters "
        f"of latencies are phases that were never tried, not latencies that cannot occur.{_over_all_phases(context)}",
        _dither(found.period_ps, interval_ps),
    )


def _dither(period_ps: float, interval_ps: float) -> str:
    """A trigger schedule that visits every phase: an interval that is a golden-ratio step of the gate away."""
    golden = (max(round(interval_ps / period_ps), 1) + 0.618) * period_ps
    return (
        f"Dither the trigger by at least {rough_time(period_ps)}, or trigger every {rough_time(golden)}, which visits "
        "all phases evenly."
    )


def _comb(found: _Evidence, context: _Context) -> tuple[str, str]:
    shares = found.numbers("tooth_shares")
    used = sum(share > 0 for share in shares)
    weight = f"{percent(shares[0])} on the first" if shares[0] >= 0.005 else f"{used} of them in use"
    sentence = (
        f"Latencies sit on a comb with teeth {found.period} apart, starting at {found.time('offset_ps')} ({weight}): "
        f"each tooth is one more {'wait or retry' if context.may_repeat else 'wait'}."
    )
    meaning = meaning_of(found.period_ps, 0.0)
    if meaning:
        sentence += f" {found.period} is {meaning}."
    if found.has("divides_trigger_interval"):
        times = found.number("divides_trigger_interval")
        sentence += (
            f" The trigger interval is {times:.0f} times that distance: a tick of that period would look the same."
        )
    periods = "the connection interval and the timers" if context.may_repeat else "the poll period and the timers"
    repeats = "the retransmission delay, " if context.may_repeat else ""
    return sentence, f"Compare the distance with {repeats}{periods}: whichever equals it is the cause."


def _steps(found: _Evidence, context: _Context) -> tuple[str, str]:
    levels, shares, distances = (found.numbers(name) for name in ("levels_ps", "shares", "distances_ps"))
    listed = ", ".join(f"{table_time(level)} ({percent(s)})" for level, s in zip(levels, shares, strict=True))
    apart = ", ".join(map(rough_time, distances))
    sentence = f"Latencies sit on {len(levels)} separate levels: {listed}, {apart} apart."
    for baud in BAUD_RATES if context.has_characters else ():
        character_ps = 10e12 / baud
        if any(abs(distance / character_ps - 1) < 0.13 for distance in distances):
            sentence += f" The distance is about one character at {baud} baud ({rough_time(character_ps)})."
            break
    if context.simulated:
        return sentence, "Compare the stages at the median and at p95: the stage that differs makes the levels."
    return sentence, (
        "Look for two ways through the firmware: a DMA transfer that ends on its buffer against one that waits for the "
        "idle line, an interrupt that preempts, a retry that happens or not."
    )


def _drift(found: _Evidence, context: _Context) -> tuple[str, str]:
    advice = (
        "Treat the run as several: look at latency over time, and measure again with a fixed temperature, channel and "
        "load before comparing with another run."
    )
    if context.simulated:
        advice = (
            "Look at latency over time: two clocks that drift past each other, or a queue or cache that fills. Leave a "
            "beginning out with skip, and take more messages before comparing with another run."
        )
    return (
        "The typical latency is not stable: medians of twentieths of the run range over "
        f"{found.time('range_ps')}, from {found.time('first_ps')} at the start to {found.time('last_ps')} at the end.",
        advice,
    )


def _bursts(found: _Evidence, context: _Context) -> tuple[str, str]:
    starts = found.numbers("starts_ps")
    apart = found.period_ps or (starts[1] - starts[0] if len(starts) == 2 else 0)
    when = f", {rough_time(apart)} apart" if apart else ""
    causes = "a background scan, a reconnection, a flash write"
    repeats = "Measure for several minutes to see whether it repeats."
    if context.simulated:
        causes = "other traffic, a queue, a timer of the stack"
        repeats = "Look at the stages of the slow messages, and take more messages to see whether it repeats."
    return (
        f"Slow messages come together: {found.number('slow_in_bursts'):.0f} of the "
        f"{found.number('slow_messages'):.0f} slowest fall into {count(found.number('bursts'), 'burst')} of up to "
        f"{found.time('duration_ps')}{when}, the worst at {found.time('worst_ps')}.",
        f"Something takes the channel or the processor for that long: {causes}. {repeats}",
    )


_LOSS = "Report loss beside latency; look at retries, buffers and interference where it is more than you expect."
_RINGS = (
    "Look at the trigger line first. Where it rings or bounces, as a button does, --glitch 1ms counts only the first "
    "edge; where it is the other channel, name that with --trigger."
)


def _loss_as_latency(found: _Evidence, context: _Context) -> tuple[str, str]:
    messages = found.number("messages")
    if found.has("hidden_losses"):
        strict = "Use --pairing strict, which counts them as missed."
        fifo = "Check the trigger interval against the longest latency, or use --pairing fifo with --max-latency."
        hidden = found.number("hidden_losses")
        holds, lost = ("holds", "a lost message that was") if hidden == 1 else ("hold", "lost messages that were")
        return (
            f"{count(hidden, 'latency')} of {messages:.0f} {holds} a whole trigger period "
            f"({found.time('trigger_interval_ps')}) or more: {lost} paired with the completion of a later one.",
            strict if context.pairing == "published" else fifo,
        )
    missed = found.number("missed")
    own, them = ("its own", "it as a latency") if missed == 1 else ("their own", "them as latencies")
    would_read = ""
    if found.has("would_read_ps"):
        would_read = (
            f"; a tool that pairs each trigger with the next done edge would report {them} of about "
            f"{found.time('would_read_ps')}"
        )
    return (
        f"{count(missed, 'message')} of {messages:.0f} ({percent(missed / messages)}) had no completion of {own}"
        f"{would_read}.",
        _RINGS if missed > messages / 2 and not context.simulated else _LOSS,
    )


_SENTENCES: dict[str, Callable[[_Evidence, _Context], tuple[str, str]]] = {
    "gate": _gate,
    "frozen_phase": _frozen_phase,
    "phase_coverage": _phase_coverage,
    "comb": _comb,
    "steps": _steps,
    "drift": _drift,
    "bursts": _bursts,
    "loss_as_latency": _loss_as_latency,
}
