"""A twin in sentences: whether it explains the board, and what cannot be true where it does not."""

from __future__ import annotations

from collections.abc import Mapping

from airwire.explain.quantities import percent, rough_time
from airwire.kinds import Adds, Cause
from airwire.twins.comparison import Twin
from airwire.twins.hypotheses import Suspect

_PARTS: Mapping[Cause | Adds, str] = {
    "cpu": "the processor",
    "bus": "the bus to the chip",
    "chip": "the network chip",
    "wire": "frames on the wire",
    "delay": "delay of the cable",
    "console": "the console",
    "window": "a full window",
    "protocol": "silence of the protocol",
    "gate": "waits for timers",
    "sleep": "waits for events",
    "empirical": "the twin's unknown",
    "computer": "this computer",
    "network": "the network",
}


def part_name(kind: Cause | Adds) -> str:
    """What a part is, in a table."""
    return _PARTS.get(kind, kind)


def verdict_line(found: Twin) -> str:
    """The result in one line."""
    median = found.real.statistic("p50")
    if found.agrees:
        return f"The twin explains the board: {rough_time(abs(found.open_ps))} of {rough_time(median)} stays open"
    share = percent(abs(found.open_ps) / median)
    if found.suspects:
        first = found.suspects[0]
        return (
            f"{share} is not in the image: the board spends {rough_time(first.after_ps)}, not "
            f"{rough_time(first.before_ps)}, on {part_name(first.cause)}, as with {_changed(first.change)}"
        )
    longer = "longer" if found.open_ps > 0 else "less"
    return (
        f"{share} stays open: the board takes {rough_time(abs(found.open_ps))} {longer} than its twin, and no single "
        "setting of the image explains that"
    )


def details(found: Twin) -> list[str]:
    """What stands behind the line."""
    told = [_of_suspect(one) for one in found.suspects]
    if not found.network_is_known:
        told.append(
            "What the network adds is not known, as pings were not possible: what stays open may be the network's."
        )
    told.append(
        f"Up to {rough_time(found.tolerance_ps)} may stay open: the twin's own error, and the scatter of both medians."
    )
    return told


def _of_suspect(one: Suspect) -> str:
    return (
        f"With {_changed(one.change)} in place of {_changed(one.was)} the twin's latencies differ from the board's by "
        f"{percent(one.distance)}; what changes most is {one.stage}."
    )


def _changed(change: Mapping[str, str]) -> str:
    return " and ".join(f"{name} = {value}" for name, value in change.items())
