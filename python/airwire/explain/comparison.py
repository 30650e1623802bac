"""The plain sentence that compares two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airwire.explain.quantities import percent, rough_time

if TYPE_CHECKING:
    from airwire._core import RawComparison


def comparison_sentence(a: str, b: str, raw: RawComparison) -> str:
    """Which of two runs is faster, by how much, how surely, and how often a single message tells."""
    interval = raw["shift_interval_ps"]
    shift = raw["shift_ps"]
    odds = percent(max(raw["a_beats_b"], 1 - raw["a_beats_b"]))
    if interval is None:
        return (
            f"The median of {b} is {rough_time(abs(shift))} {'above' if shift > 0 else 'below'} that of {a}, but "
            "fewer than 8 messages on a side give no interval: measure more."
        )
    low, high = interval
    spread = f"95 % interval {rough_time(low)} to {rough_time(high)}"
    if low <= 0 <= high:
        return (
            f"{a} and {b} cannot be told apart by their medians: the shift is {rough_time(shift)} ({spread}), and a "
            f"message of {a} beats one of {b} in {percent(raw['a_beats_b'])} of cases."
        )
    faster, slower = (a, b) if shift > 0 else (b, a)
    small = " That is below what matters for such a link." if abs(shift) < raw["floor_ps"] else ""
    return (
        f"{faster} is faster than {slower} by {rough_time(abs(shift))} at the median ({spread}); a message of "
        f"{faster} beats one of {slower} in {odds} of cases.{small}"
    )
