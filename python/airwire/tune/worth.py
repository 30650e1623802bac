"""What each changed knob is worth: what it gives alone, what the answer loses without it, and what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airwire.tune.candidates import Measured
from airwire.tune.search import Search

INTERACTS = 0.05
"""A share of the whole gain: below it, a knob gives about as much alone as among the others."""


@dataclass(frozen=True, slots=True)
class Worth:
    """A knob that the answer changes."""

    knob: str
    before: str
    after: str
    alone: Mapping[str, float]
    """What each figure becomes more, from the start, by this change alone; empty where it cannot be made alone."""
    among: Mapping[str, float]
    """What each figure becomes more by it where all other changes are made; empty where they cannot go without it."""
    refused: str | None
    """Why it cannot be made alone."""
    interaction: float | None
    """What it gives among the others more than alone, as a share of the whole gain in the first goal."""

    @property
    def needs_others(self) -> bool:
        """Whether it gives less or more alone than among the others, by what matters."""
        return self.refused is not None or (self.interaction is not None and abs(self.interaction) > INTERACTS)


def worths(search: Search, best: Measured) -> list[Worth]:
    """The worth of each change, by runs of the start with it and of the answer without it."""
    start = search.look([search.start()])[0]
    changed = [knob for knob in search.knobs if best.values[knob.name] != knob.start]
    alone = search.look([{**start.values, knob.name: best.values[knob.name]} for knob in changed])
    without = search.look([{**best.values, knob.name: knob.start} for knob in changed])
    goal = search.goals[0]
    name = goal.metric.name
    sign = 1 if goal.better == "max" else -1
    whole = sign * (best.figures[name] - start.figures[name]) if start.refused is None else 0.0
    found = []
    for knob, one, other in zip(changed, alone, without, strict=True):
        gives, among = _more(one, start), _more(best, other)
        has_both = name in gives and name in among and whole > 0
        interaction = sign * (among[name] - gives[name]) / whole if has_both else None
        value = best.values[knob.name]
        found.append(Worth(knob.name, knob.start, value, gives, among, one.refused, interaction))
    return sorted(found, key=lambda worth: (-sign * worth.among.get(name, sign * float("inf")), worth.knob))


def _more(one: Measured, other: Measured) -> dict[str, float]:
    if one.refused is not None or other.refused is not None:
        return {}
    return {name: value - other.figures[name] for name, value in one.figures.items() if name in other.figures}
