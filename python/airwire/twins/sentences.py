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


def open_name(found: Twin) -> str:
    """What is left, in a table: a twin that takes longer than the board leaves nothing open."""
    return "stays open" if found.open_ps >= 0 else "excess of the twin"


def verdict_line(found: Twin) -> str:
    """The result in one line."""
    median = found.real.statistic("p50")
    is_short = found.open_ps >= 0
    if found.agrees:
        differ = rough_time(abs(found.open_ps))
        how = f"{differ} of {rough_time(median)} stays open" if is_short else f"it takes {differ} more than the board"
        return f"The twin explains the board: {how}"
    share = percent(abs(found.open_ps) / median)
    if found.suspects:
        first = found.suspects[0]
        fault = f"{share} is not in the image" if is_short else f"The twin takes {share} more than the board"
        return (
            f"{fault}: the board spends {rough_time(first.after_ps)}, not "
            f"{rough_time(first.before_ps)}, on {part_name(first.cause)}, as with {_changed(first.change)}"
        )
    longer = "more" if is_short else "less"
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
