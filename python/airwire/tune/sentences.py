"""What is said of a search: the verdict, each knob's worth, and what the file of a user binds."""

from __future__ import annotations

from collections.abc import Mapping

from airwire.explain.quantities import percent
from airwire.tune.answer import Tuning
from airwire.tune.candidates import Measured
from airwire.tune.metrics import METRICS, words
from airwire.tune.worth import Worth

Row = tuple[str, str, str, str, str]
_COSTS = ("ram", "airtime", "energy")


def verdict_line(found: Tuning) -> str:
    """One line: what the first goal was and is, by what change, and what it costs."""
    goal = found.goals[0]
    name = goal.metric.name
    best = words(goal.metric, found.after.figures[name])
    if not found.changed:
        return f"Nothing to change: {name} stays at {best}, and no candidate is better"
    changed = ", ".join(f"{knob} {after}" for knob, (_, after) in sorted(found.changed.items()))
    if name not in found.before.figures:
        return f"{name} {best} by {changed}; before, it could not be measured"
    was = found.before.figures[name]
    gain = goal.gain(found.after.figures[name], was)
    ratio = found.after.figures[name] / was if was else 0.0
    by = f"{ratio:.2g} times" if goal.better == "max" and ratio >= 2 else percent(abs(gain))
    sense = "more" if goal.better == "max" else "less"
    told = f"{by} {sense}" if "times" not in by else f"{by} as much"
    return f"{name} {words(goal.metric, was)} -> {best} ({told}) by {changed}{_cost(found)}"


def _cost(found: Tuning) -> str:
    """What RAM the change takes or gives back, where an image has any."""
    if "ram" not in found.before.figures or found.goals[0].metric.name == "ram":
        return ""
    more = found.after.figures["ram"] - found.before.figures["ram"]
    if more == 0:
        return ""
    return f"; {words(METRICS['ram'], abs(more))} {'more' if more > 0 else 'less'} RAM"


def before_and_after(found: Tuning) -> list[tuple[str, str, str]]:
    """Every figure before and after, with intervals where they have one."""
    names = [name for name in METRICS if name in found.after.figures]
    return [(name, figure_words(found.before, name), figure_words(found.after, name)) for name in names]


def figure_words(one: Measured, name: str) -> str:
    """A figure with its 95 % interval, where it has one."""
    if name not in one.figures:
        return "-"
    told = words(METRICS[name], one.figures[name])
    interval = one.intervals.get(name)
    if interval is None:
        return told
    half = (interval[1] - interval[0]) / 2
    return f"{told} +-{percent(half / one.figures[name])}" if one.figures[name] else told


def counted(found: Tuning) -> str:
    """How many candidates were measured, and what for."""
    measured = sum(one.refused is None for one in found.candidates)
    searched, refused = min(measured, found.budget), len(found.candidates) - measured
    parts = [f"{searched} candidates measured to search"]
    if measured > searched:
        parts.append(f"{measured - searched} to tell what changes are worth")
    if refused:
        parts.append(f"{refused} refused")
    return ", ".join(parts)


def never_measured(found: Tuning) -> list[str]:
    """Of each value with which no candidate could be measured, why the first was refused."""
    told = []
    for knob in found.subject.knobs:
        for value in knob.values:
            having = [one.refused for one in found.candidates if one.values[knob.name] == value]
            if having and having[0] is not None and None not in having:
                told.append(f"No candidate with {knob.name} {value} could be measured: {having[0]}.")
    return told


def worth_head(found: Tuning) -> Row:
    """The head of a table of :func:`worth_row`: the first goal, and the figure that its changes cost."""
    name = found.goals[0].metric.name
    return "change", f"{name} alone", "among the others", _cost_name(found) or "cost", "to know"


def _cost_name(found: Tuning) -> str | None:
    """What changes of this target cost: the next goal, else what images and radios have little of."""
    first, *others = (goal.metric.name for goal in found.goals)
    return next((one for one in (*others, *_COSTS) if one != first and one in found.after.figures), None)


def worth_row(worth: Worth, found: Tuning) -> Row:
    """A knob: its change, what it gives alone, what it gives among the others, what it costs, and what to know."""
    name, cost_name = found.goals[0].metric.name, _cost_name(found)
    costs = worth.among.get(cost_name, worth.alone.get(cost_name)) if cost_name else None
    cost = "-" if cost_name is None or costs is None else _signed(cost_name, costs)
    alone = _signed(name, worth.alone[name]) if name in worth.alone else "-"
    among = _signed(name, worth.among[name]) if name in worth.among else "needed by the others"
    return f"{worth.knob} {worth.before} -> {worth.after}", alone, among, cost, note(worth)


def note(worth: Worth) -> str:
    """Whether a knob works alone."""
    if worth.refused is not None:
        return f"not alone: {worth.refused}"
    if worth.interaction is not None and worth.needs_others:
        more = "more" if worth.interaction > 0 else "less"
        return f"{percent(abs(worth.interaction))} of the whole gain {more} among the others"
    return ""


def _signed(name: str, value: float) -> str:
    sign = "+" if value > 0 else "-" if value < 0 else ""
    return sign + words(METRICS[name], abs(value))


def binding_lines(counters: Mapping[str, float]) -> list[str]:
    """What holds a transfer up, by the counters of the row."""
    told = []
    window = counters.get("limit_receive_window", 0.0)
    if window > 0 and "window_bytes" in counters:
        told.append(
            f"the receive window of {counters['window_bytes']:.0f} B held the sender up in {percent(window)} of it"
        )
    if counters.get("limit_congestion_window", 0.0) > 0:
        told.append(f"the PC's congestion window did in {percent(counters['limit_congestion_window'])}")
    if counters.get("cable_share", 0.0) > 0:
        told.append(f"the cable was full in {percent(counters['cable_share'])} of the time")
    if counters.get("bus_share", 0.0) > 0:
        told.append(f"SPI was busy in {percent(counters['bus_share'])} of it")
    if counters.get("busy_share_core0", 0.0) > 0:
        told.append(f"the processor was busy in {percent(counters['busy_share_core0'])} of the whole run")
    if counters.get("repeated_segments", 0.0) > 0:
        told.append(f"{counters['repeated_segments']:.0f} segments were sent again")
    return told
