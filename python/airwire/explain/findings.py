"""Findings as sentences: what the capture shows, with the figures, and the next step.

The detectors (crate ``stats``) decide whether there is a finding and give its evidence; here it becomes words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from airwire.explain.quantities import count, percent, rough_time, time
from airwire.model import Finding

if TYPE_CHECKING:
    from airwire._core import RawFinding

Evidence = Mapping[str, Any]

# Periods that are known by name: nominal picoseconds, tolerance, and what usually has it.
_KNOWN_PERIODS = (
    (102.4e9, 0.001, "the beacon interval of Wi-Fi (100 time units of 1.024 ms): the station sleeps between beacons"),
    (10e9, 0.002, "the FreeRTOS tick at 100 Hz, the default of ESP-IDF"),
    (1e9, 0.002, "an OS tick at 1 kHz"),
    (250e9, 0.01, "the 250 ms TCP timer of lwIP"),
    (1.25e9, 0.002, "a pair of Bluetooth slots"),
    (0.625e9, 0.002, "a Bluetooth slot"),
)
_BAUD_RATES = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1843200)


def explain_finding(raw: RawFinding, pairing: str) -> Finding:
    """The finding of a detector in words. ``pairing`` is the rule that was in force."""
    sentence, next_step = _SENTENCES[raw["kind"]](raw, pairing)
    return Finding(raw["kind"], raw["confidence"], sentence, next_step, raw["period_ps"], raw["evidence"])


def _gate(raw: RawFinding, _pairing: str) -> tuple[str, str]:
    evidence, period = raw["evidence"], float(raw["period_ps"] or 0)
    if "crossing_fall_ps" in evidence:
        return _tick_crossing(evidence, period)
    uncertainty = float(evidence.get("period_uncertainty_ps", 0.0))  # type: ignore[arg-type]
    name = f"{rough_time(period)} (give or take {rough_time(uncertainty)})" if uncertainty > 1e-3 * period else time(period)
    done, trigger = evidence["coherence_done"], evidence["coherence_trigger"]
    sentence = (
        f"Completions are locked to a period of {name}: their phases agree to {done:.2f} (1 is a perfect grid), "
        f"those of the triggers to {trigger:.2f}."
    )
    meaning = _meaning_of(period, uncertainty)
    if meaning:
        sentence += f" That is {meaning}."
    aliases: Any = evidence.get("aliases_ps") or []
    if aliases:
        sentence += " Whole parts of it fit as well: " + ", ".join(rough_time(alias) for alias in aliases) + "."
    return sentence, (
        f"A message waits up to {rough_time(period)} for this gate, {rough_time(period / 2)} on average: shorten the "
        "period, or wake on the event instead of waiting for it."
    )


def _tick_crossing(evidence: Evidence, period: float) -> tuple[str, str]:
    fall, error = abs(evidence["crossing_fall_ps"]), evidence["crossing_fall_error_ps"]
    meaning = _meaning_of(period, 0.0)
    named = f" That is {meaning}." if meaning else ""
    return (
        f"The latency creeps by {rough_time(evidence['drift_per_trigger_ps'])} per trigger and changes by "
        f"{rough_time(fall)} (give or take {rough_time(error)}) once, {rough_time(evidence['crossing_at_ps'])} after "
        f"the start: the run crossed a tick of {rough_time(period)}.{named}",
        f"Wake on the event instead of polling at the tick, or dither the trigger by at least {rough_time(period)} so "
        "that every phase is measured.",
    )


def _meaning_of(period_ps: float, uncertainty_ps: float) -> str | None:
    for nominal, tolerance, meaning in _KNOWN_PERIODS:
        if abs(period_ps / nominal - 1) < tolerance:
            return meaning
    bits = [(abs(period_ps - 1e12 / baud), baud) for baud in _BAUD_RATES]
    distance, baud = min(bits)
    if distance < max(uncertainty_ps, 0.01 * period_ps):
        return f"one bit at {baud} baud: the transmitter's free-running bit clock"
    steps = round(period_ps / 1.25e9)
    if 6 <= steps <= 3200 and abs(period_ps / (steps * 1.25e9) - 1) < 3e-4:
        return f"a possible BLE connection interval ({steps} x 1.25 ms)"
    return None


def _frozen_phase(raw: RawFinding, _pairing: str) -> tuple[str, str]:
    evidence = raw["evidence"]
    covered, interval = float(evidence["covered_ps"]), float(evidence["trigger_interval_ps"])  # type: ignore[arg-type]
    if raw["period_ps"] is not None:
        period = float(raw["period_ps"])
        return (
            f"If the gate is {rough_time(period)}, this run saw {rough_time(covered)} of it: its tight cluster is phase, "
            f"not speed (triggers every {rough_time(interval)} are a whole number of gate periods apart).",
            _dither(period, interval),
        )
    candidates: Any = evidence.get("candidate_periods_ps") or []
    drift = float(evidence["drift_per_trigger_ps"])  # type: ignore[arg-type]
    usual = min((p for p in candidates if p >= 10e9), default=max(candidates, default=interval))
    among = f" ({', '.join(rough_time(period) for period in candidates)} divide it)" if candidates else ""
    return (
        f"If the gate is {rough_time(usual)}, this run saw {rough_time(covered)} of it: its tight cluster is phase, not "
        f"speed. The latency creeps by {rough_time(drift)} per trigger, as it does where the trigger interval "
        f"({rough_time(interval)}) is a whole number of gate periods{among}, and it never came round, so that the period "
        "cannot be told.",
        f"Dither the trigger by at least {rough_time(usual)}, or name the gate with --gate if you know it.",
    )


def _phase_coverage(raw: RawFinding, _pairing: str) -> tuple[str, str]:
    evidence, period = raw["evidence"], float(raw["period_ps"] or 0)
    interval, share = float(evidence["trigger_interval_ps"]), float(evidence["covered_share"])  # type: ignore[arg-type]
    phases = evidence.get("phases")
    visited = (
        f"triggers every {rough_time(interval)} visit only {phases:.0f} phases of the {rough_time(period)} gate, "
        f"{rough_time(float(evidence['phase_step_ps']))} apart"  # type: ignore[arg-type]
        if phases
        else f"the triggers left parts of the {rough_time(period)} gate out"
    )
    return (
        f"This run saw {percent(share)} of the gate's phases: {visited}. Gaps between clusters of latencies are phases "
        "that were never tried, not latencies that cannot occur.",
        _dither(period, interval),
    )


def _dither(period_ps: float, interval_ps: float) -> str:
    """A trigger schedule that visits every phase: an interval that is a golden-ratio step of the gate away."""
    periods = round(interval_ps / period_ps)
    golden = (max(periods, 1) + 0.618) * period_ps
    return (
        f"Dither the trigger by at least {rough_time(period_ps)}, or trigger every {rough_time(golden)}, which visits "
        "all phases evenly."
    )


def _comb(raw: RawFinding, _pairing: str) -> tuple[str, str]:
    evidence, quantum = raw["evidence"], float(raw["period_ps"] or 0)
    shares: Any = evidence["tooth_shares"]
    populated = [share for share in shares if share > 0]
    first = f"{percent(shares[0])} on the first" if shares[0] >= 0.005 else f"{count(len(populated), 'tooth').replace('tooths', 'teeth')} in use"
    sentence = (
        f"Latencies sit on a comb with teeth {rough_time(quantum)} apart, starting at "
        f"{rough_time(float(evidence['offset_ps']))} ({first}): each tooth is one more wait or retry."  # type: ignore[arg-type]
    )
    meaning = _meaning_of(quantum, 0.0)
    if meaning:
        sentence += f" {rough_time(quantum)} is {meaning}."
    if "divides_trigger_interval" in evidence:
        sentence += (
            f" The trigger interval is {evidence['divides_trigger_interval']:.0f} times the distance, so that a tick of "
            "that period would look the same."
        )
    return sentence, (
        "Compare the distance with the retransmission delay, the connection interval and the timers of the link: "
        "whichever equals it is the cause."
    )


def _steps(raw: RawFinding, _pairing: str) -> tuple[str, str]:
    evidence = raw["evidence"]
    levels: Any = evidence["levels_ps"]
    shares: Any = evidence["shares"]
    distances: Any = evidence["distances_ps"]
    listed = ", ".join(f"{rough_time(l)} ({percent(s)})" for l, s in zip(levels, shares, strict=True))
    sentence = f"Latencies sit on {len(levels)} separate levels: {listed}, {rough_time(max(distances))} apart."
    for baud in _BAUD_RATES:
        if any(abs(distance / (10e12 / baud) - 1) < 0.13 for distance in distances):
            sentence += f" The distance is about one character at {baud} baud ({rough_time(10e12 / baud)})."
            break
    return sentence, (
        "Look for two ways through the firmware: a DMA transfer that ends on its buffer against one that waits for the "
        "idle line, an interrupt that preempts, a retry that happens or not."
    )


def _drift(raw: RawFinding, _pairing: str) -> tuple[str, str]:
    evidence = raw["evidence"]
    first, last, wandered = (float(evidence[key]) for key in ("first_ps", "last_ps", "range_ps"))  # type: ignore[arg-type]
    return (
        f"The typical latency is not stable: medians of twentieths of the run range over {rough_time(wandered)}, from "
        f"{rough_time(first)} at the start to {rough_time(last)} at the end.",
        "Treat the run as several: look at latency over time, and measure again with a fixed temperature, channel and "
        "load before comparing with another run.",
    )


def _bursts(raw: RawFinding, _pairing: str) -> tuple[str, str]:
    evidence = raw["evidence"]
    bursts, slow, inside = (float(evidence[key]) for key in ("bursts", "slow_messages", "slow_in_bursts"))  # type: ignore[arg-type]
    starts: Any = evidence["starts_ps"]
    when = ""
    if raw["period_ps"]:
        when = f", {rough_time(float(raw['period_ps']))} apart"
    elif len(starts) == 2:
        when = f", {rough_time(starts[1] - starts[0])} apart"
    return (
        f"Slow messages come together: {inside:.0f} of the {slow:.0f} slowest fall into {count(bursts, 'burst')} of up "
        f"to {rough_time(float(evidence['duration_ps']))}{when}, the worst at {rough_time(float(evidence['worst_ps']))}.",  # type: ignore[arg-type]
        "Something takes the channel or the processor for that long: a background scan, a reconnection, a flash write. "
        "Measure for several minutes to see whether it repeats.",
    )


def _loss_as_latency(raw: RawFinding, pairing: str) -> tuple[str, str]:
    evidence = raw["evidence"]
    interval = float(evidence["trigger_interval_ps"])  # type: ignore[arg-type]
    messages = float(evidence["messages"])  # type: ignore[arg-type]
    if "hidden_losses" in evidence:
        hidden = float(evidence["hidden_losses"])  # type: ignore[arg-type]
        return (
            f"{count(hidden, 'latency')} of {messages:.0f} contain one or more whole trigger periods "
            f"({rough_time(interval)}): they are lost messages that were paired with the completion of a later one.",
            "Use --pairing strict, which counts them as missed."
            if pairing == "published"
            else "Check the trigger interval against the longest latency, or use --pairing fifo with --max-latency.",
        )
    missed = float(evidence["missed"])  # type: ignore[arg-type]
    would_read = rough_time(float(evidence["would_read_ps"]))  # type: ignore[arg-type]
    return (
        f"{count(missed, 'message')} of {messages:.0f} ({percent(missed / messages)}) had no completion of their own; a "
        f"tool that pairs each trigger with the next done edge would report them as latencies of about {would_read}.",
        "Report loss beside latency; look at retries, buffers and interference where it is more than you expect.",
    )


_SENTENCES: dict[str, Callable[[RawFinding, str], tuple[str, str]]] = {
    "gate": _gate,
    "frozen_phase": _frozen_phase,
    "phase_coverage": _phase_coverage,
    "comb": _comb,
    "steps": _steps,
    "drift": _drift,
    "bursts": _bursts,
    "loss_as_latency": _loss_as_latency,
}
