"""The plain sentences of comparisons: which of two runs is faster, and in what their rows differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from airwire.explain.quantities import percent, rough_time
from airwire.explain.waterfall import waterfalls
from airwire.model import Capture

if TYPE_CHECKING:
    from airwire._core import RawComparison

Difference = tuple[str, str, str]
"""What differs, and its value in A and in B."""
_MOST_NAMED = 3
_DIGEST_LETTERS = 8
_NOTHING = "none"


def comparison_sentence(a: str, b: str, raw: RawComparison) -> str:
    """Which of two runs is faster, by how much, how surely, and how often a single message tells."""
    interval = raw["shift_interval_ps"]
    shift = raw["shift_ps"]
    if interval is None and not shift:
        return (
            f"The medians of {a} and {b} are the same, but fewer than 8 messages on a side give no interval: measure "
            "more."
        )
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
    # What is faster at the median may lose to the other more often than not, and is then told to.
    faster, slower, odds = (a, b, raw["a_beats_b"]) if shift > 0 else (b, a, 1 - raw["a_beats_b"])
    gain = sorted((abs(low), abs(high)))
    spread = f"95 % interval {rough_time(gain[0])} to {rough_time(gain[1])}"
    small = " That is below what matters for such a link." if abs(shift) < raw["floor_ps"] else ""
    return (
        f"{faster} is faster than {slower} by {rough_time(abs(shift))} at the median ({spread}); a message of "
        f"{faster} beats one of {slower} in {percent(odds)} of cases.{small}"
    )


def names_apart(a: Capture, b: Capture) -> tuple[str, str]:
    """The names of two captures or rows; where both are the same, with that in which they differ."""
    if a.name != b.name:
        return a.name, b.name
    if a.path != b.path:
        return a.path, b.path
    found = differences(a, b)[:_MOST_NAMED]
    if not found:
        return f"the first {a.name}", f"the second {b.name}"
    own, other = (", ".join(f"{what}={_in_a_name(row[at])}" for what, *row in found) for at in (0, 1))
    return f"{a.name} with {own}", f"{b.name} with {other}"


def differences(a: Capture, b: Capture) -> list[Difference]:
    """In what the links or boards of two rows differ, settings by their names."""
    if a.target.kind != b.target.kind:
        return []
    schedules = ({"trigger": row.target.trigger or _NOTHING} for row in (a, b))
    return _apart(a.target.facts, b.target.facts) or _apart(*schedules)


def grown_stage(a: Capture, b: Capture) -> tuple[str, float] | None:
    """The stage that takes most more in B than in A, near both medians, and how much; of rows that were taken apart."""
    own, other = (waterfalls(row, (50,)) for row in (a, b))
    if not own or not other:
        return None
    before, after = ({stage.name: stage.ps for stage in found[0].stages} for found in (own, other))
    growth = {name: ps - before.get(name, 0.0) for name, ps in after.items()}
    name = max(growth, key=lambda name: growth[name], default=None)
    return None if name is None or growth[name] <= 0 else (name, growth[name])


def _apart(a: Mapping[str, str], b: Mapping[str, str]) -> list[Difference]:
    names = dict.fromkeys((*a, *b))
    pairs = ((name, a.get(name, _NOTHING), b.get(name, _NOTHING)) for name in names)
    return [(name, one, other) for name, one, other in pairs if one != other]


def _in_a_name(value: str) -> str:
    return "; ".join(value.split("\n")).strip("; ") or _NOTHING
