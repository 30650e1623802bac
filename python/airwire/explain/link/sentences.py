"""Sentences about links: where the time goes, whether a link is overloaded, what a change brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airwire.explain.quantities import count, percent, rough_time
from airwire.explain.verdict import NO_FIGURE, Verdict
from airwire.link.model import Bounds, Candidate, Waterfall
from airwire.stage import Stage

# A stage below this share of the latency is not worth naming beside a larger one.
_WORTH_NAMING = 0.1
_NAMED_STAGES = 2
# Where messages spend more than this share behind one another, the load is the subject and not the link.
_OVERLOAD = 0.5


def largest(stages: Sequence[Stage]) -> list[Stage]:
    """The stages, the longest first."""
    return sorted(stages, key=lambda stage: -stage.ps)


def time_goes(waterfall: Waterfall) -> list[Verdict]:
    """Which stages take most, a verdict each: ``64 % goes to wait for the slot``."""
    total = waterfall.total_ps
    if total <= 0:
        return [Verdict(0.0, "No time is spent at all", NO_FIGURE)]
    at = "the median" if waterfall.percentile == 50 else f"p{waterfall.percentile}"
    return [
        Verdict(
            share=stage.ps / total,
            cause=f"goes to {stage.name}",
            kind=stage.cause,
            details=[f"That is {rough_time(stage.ps)} of {at} of {rough_time(total)}."],
        )
        for place, stage in enumerate(largest(waterfall.stages)[:_NAMED_STAGES])
        if place == 0 or stage.ps >= _WORTH_NAMING * total
    ]


def overload(waterfall: Waterfall, longest_queue: int) -> Verdict | None:
    """That messages come faster than the link carries them, where they mostly wait for one another."""
    queued = sum(stage.ps for stage in waterfall.stages if stage.cause == "queue")
    if longest_queue < 2 or queued < _OVERLOAD * waterfall.total_ps:
        return None
    return Verdict(
        share=queued / waterfall.total_ps,
        cause=f"of p{waterfall.percentile} waits behind earlier messages, overloaded",
        kind="queue",
        change="send less often",
        details=[f"Up to {count(longest_queue, 'message')} deep. Other links may carry this load: compare them."],
    )


def change_sentence(
    setting: str, before: str, after: str, median_ps: tuple[float, float], p95_ps: tuple[float, float], loss: float
) -> str:
    """What another value brings, with the loss that it adds."""
    gained = [f"{name} {_step(*pair)}" for name, pair in (("median", median_ps), ("p95", p95_ps))]
    sentence = f"Set {setting} to {after} (it is {before}): {', '.join(gained)}"
    if loss >= 0.001:
        sentence += f"; but {percent(loss)} more of the messages are lost"
    return f"{sentence}."


def _step(before: float, after: float) -> str:
    share = f"{'-' if after < before else '+'}{percent(abs(after / before - 1))}" if before else ""
    return f"{rough_time(before)} to {rough_time(after)} ({share})"


def settings_phrase(settings: Mapping[str, str]) -> str:
    """Changed settings as the command line takes them, or that there are none."""
    return " ".join(f"{name}={_quoted(value)}" for name, value in settings.items()) or "defaults"


def _quoted(value: str) -> str:
    return f"'{value}'" if " " in value else value


def refusal_sentence(
    nearest: Candidate, bounds: Bounds, waterfall: Waterfall | None, every_ps: int | None = None
) -> str:
    """How near a link comes to the bounds, and which stage is in the way."""
    if nearest.median_ps is None or nearest.p95_ps is None:
        return "It loses every message of this payload."
    tried = f"With {settings_phrase(nearest.changed)}, the nearest of what was tried,"
    if nearest.overloaded_by and every_ps is not None:
        queue = count(nearest.overloaded_by, "message")
        return f"{tried} a message every {rough_time(every_ps)} overloads it: up to {queue} wait behind one another."
    sentence = f"{tried} {_broken(nearest, bounds)}"
    if waterfall is None or not waterfall.stages or _only_loses(nearest, bounds):
        return f"{sentence}."
    worst = largest(waterfall.stages)[0]
    return f"{sentence}; {rough_time(worst.ps)} of it is {worst.name}."


def _broken(nearest: Candidate, bounds: Bounds) -> str:
    """The bound that is exceeded most."""
    exceeded = []
    for name, found, bound in (
        ("the median", nearest.median_ps, bounds.p50_ps),
        ("p95", nearest.p95_ps, bounds.p95_ps),
    ):
        if bound is not None and found is not None and found > bound:
            exceeded.append((found / bound, f"{name} is {rough_time(found)}, not {rough_time(bound)}"))
    if exceeded:
        return max(exceeded)[1]
    if bounds.duty_cycle is not None and nearest.duty is not None and nearest.duty > bounds.duty_cycle:
        return f"it is on the air in {percent(nearest.duty)} of the time, not {percent(bounds.duty_cycle)}"
    return f"{percent(nearest.loss)} of the messages are lost, not {percent(bounds.loss or 0)}"


def _only_loses(nearest: Candidate, bounds: Bounds) -> bool:
    pairs = ((nearest.median_ps, bounds.p50_ps), (nearest.p95_ps, bounds.p95_ps))
    return all(bound is None or found is None or found <= bound for found, bound in pairs)


def capture_sentence(link: str, explained_share: float, left_over_ps: float, phases: int) -> str:
    """How much of a capture the model accounts for."""
    fitted = f"with {count(phases, 'gate phase')} fitted to it" if phases else "with nothing fitted to it"
    return (
        f"The model of {link} explains {percent(explained_share)} of this capture's latency {fitted}; "
        f"{rough_time(left_over_ps)} is left over."
    )
