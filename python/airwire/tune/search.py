"""The search: all combinations where they are few, else optuna's sampler, then neighbours of the best.

Candidates are asked for in batches of one size, whatever the number of workers, and told in their order: the same seed
gives the same search.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations, product
from math import inf, prod
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.tune.candidates import Measured, Values
from airwire.tune.knobs import Knob
from airwire.tune.metrics import Goal, Limit

if TYPE_CHECKING:
    import optuna

BATCH = 8
WORTH = 0.005
"""A goal that is better by less than this share is as good: what costs less is taken then."""
_SHARE_FOR_NEIGHBOURS = 0.3
"""Of the budget: the last part looks around the best."""
_MOST_REFUSED = 20
"""Candidates that a rule refuses cost nothing; so many for each that is measured are asked for."""
_PATIENCE = 24
"""Candidates without a better one, after which the sampler has found what it finds."""
_DIAGONAL = (1.0, 0.75, 0.5, 0.25)
"""Where all ordered knobs stand together in the first candidates: what everything gives at its most, and with less."""
_GREAT = 1e9

Told = Callable[[Measured], None]
Measure = Callable[[Sequence[Values], Told], list[Measured]]
"""Figures of candidates in their order; each is told as soon as it and all before it are there."""
Doing = Callable[["Search"], None]


@dataclass
class Search:
    """A search over knobs: what it is for, what it must keep, and all that it has measured."""

    knobs: Sequence[Knob]
    goals: Sequence[Goal]
    limits: Sequence[Limit]
    budget: int
    seed: int
    measure: Measure
    doing: Doing = lambda _search: None
    found: dict[tuple[tuple[str, str], ...], Measured] = field(default_factory=dict)

    @property
    def measured(self) -> int:
        """How many candidates have been measured, without those that a rule refused."""
        return sum(not one.is_rule for one in self.found.values())

    def start(self) -> Values:
        """The values that are in force."""
        return {knob.name: knob.start for knob in self.knobs}

    def run(self) -> None:
        """Search until the budget is used, or nothing better comes."""
        self.look([self.start()])
        if prod(len(knob.values) for knob in self.knobs) <= self.budget:
            for batch in _batches(self._all()):
                self.look(batch)
            return
        self._sample(round(self.budget * (1 - _SHARE_FOR_NEIGHBOURS)))
        self._improve()

    def look(self, batch: Sequence[Values]) -> list[Measured]:
        """Measure candidates that were not measured yet; the figures of all, in their order."""
        new = {_key(values): values for values in batch if _key(values) not in self.found}
        self.measure(list(new.values()), self._take)
        return [self.found[_key(values)] for values in batch]

    def _take(self, one: Measured) -> None:
        self.found[one.key] = one
        self.doing(self)

    def _all(self) -> Iterator[Values]:
        for values in product(*(knob.values for knob in self.knobs)):
            yield {knob.name: value for knob, value in zip(self.knobs, values, strict=True)}

    def _sample(self, budget: int) -> None:
        study = _study(self)
        places = {knob.name: list(knob.values) for knob in self.knobs}
        study.enqueue_trial({knob.name: places[knob.name].index(knob.start) for knob in self.knobs})
        for share in _DIAGONAL:
            study.enqueue_trial({knob.name: _place(knob, share) for knob in self.knobs})
        refused = since_better = 0
        while (
            self.measured < (budget if self.best() is not None else self.budget)
            and refused < budget * _MOST_REFUSED
            and (since_better < _PATIENCE or self.best() is None)
        ):
            trials = [study.ask() for _ in range(BATCH)]
            asked = [_values_of(trial, self.knobs, places) for trial in trials]
            before, count = self.best(), self.measured
            for trial, one in zip(trials, self.look(asked), strict=True):
                trial.set_user_attr(_EXCESS, self._excesses(one))
                study.tell(trial, [self._told(goal, one) for goal in self.goals])
            refused += BATCH - (self.measured - count)
            since_better = 0 if self.is_better(self.best(), before) else since_better + self.measured - count

    def _excesses(self, one: Measured) -> list[float]:
        if one.refused is not None:
            return [1.0] * max(len(self.limits), 1)
        return [limit.excess(one.figures.get(limit.metric.name, inf)) for limit in self.limits] or [-1.0]

    def _told(self, goal: Goal, one: Measured) -> float:
        worst = -_GREAT if goal.better == "max" else _GREAT
        return one.figures.get(goal.metric.name, worst) if one.refused is None else worst

    def keeps(self, one: Measured) -> bool:
        """Whether a candidate has figures and keeps every bound."""
        return one.refused is None and all(
            limit.keeps(one.figures.get(limit.metric.name, inf)) for limit in self.limits
        )

    def best(self) -> Measured | None:
        """The best by the first goal; of those as good, the best by the next, and so on, then the least change."""
        return best_of([one for one in self.found.values() if self.keeps(one)], self.goals, self.changes)

    def changes(self, one: Measured) -> int:
        """How many knobs differ from the start."""
        return sum(one.values[knob.name] != knob.start for knob in self.knobs)

    def is_better(self, one: Measured | None, other: Measured | None) -> bool:
        """Whether a candidate is better by more than what is worth a change, in the order of the goals."""
        if one is None or other is None:
            return one is not None
        for goal in self.goals:
            gain = goal.gain(one.figures[goal.metric.name], other.figures[goal.metric.name])
            if abs(gain) > WORTH:
                return gain > 0
        return False

    def _improve(self) -> None:
        """Go from the best to its neighbours, as long as one is better; where none is, to those by two knobs."""
        while (best := self.best()) is not None and self.measured < self.budget:
            if not (
                self._is_left(best, self._neighbours(best.values)) or self._is_left(best, self._pairs(best.values))
            ):
                return

    def _is_left(self, best: Measured, around: Sequence[Values]) -> bool:
        """Whether one of these is better than the best; they are looked at until one is."""
        for batch in _batches([values for values in around if _key(values) not in self.found]):
            if self.measured >= self.budget:
                return False
            self.look(batch)
            if self.is_better(self.best(), best):
                return True
        return False

    def _pairs(self, values: Values) -> list[Values]:
        """Two ordered knobs a step further: both up, then one up and one down."""
        ordered = [knob for knob in self.knobs if knob.is_ordered]
        both = [(one, 1, other, 1) for one, other in combinations(ordered, 2)]
        either = [(one, 1, other, -1) for one, other in permutations(ordered, 2)]
        found: list[Values] = []
        for one, up, other, way in (*both, *either):
            moved = _moved(one, values, up), _moved(other, values, way)
            if moved[0] is not None and moved[1] is not None:
                found.append({**values, one.name: moved[0], other.name: moved[1]})
        return found

    def _neighbours(self, values: Values) -> list[Values]:
        found: list[Values] = []
        for knob in self.knobs:
            place = list(knob.values).index(values[knob.name])
            near = (place - 1, place + 1) if knob.is_ordered else range(len(knob.values))
            found += [
                {**values, knob.name: knob.values[at]} for at in near if 0 <= at < len(knob.values) and at != place
            ]
            if values[knob.name] != knob.start:
                found.append({**values, knob.name: knob.start})
        return found

    def front(self) -> list[Measured]:
        """Those that keep the bounds and that no other is better than by all goals."""
        kept = [one for one in self.found.values() if self.keeps(one)]
        return [one for one in kept if not any(_dominates(other, one, self.goals) for other in kept)]


_EXCESS = "excess"


def _place(knob: Knob, share: float) -> int:
    """The place of a value so far along a knob's range; the start of one without an order."""
    values = list(knob.values)
    return round(share * (len(values) - 1)) if knob.is_ordered else values.index(knob.start)


def best_of(kept: Sequence[Measured], goals: Sequence[Goal], changes: Callable[[Measured], int]) -> Measured | None:
    """The best by goals in their order, each within what is worth a change, then the one with the fewest changes."""
    left = list(kept)
    if not left:
        return None
    for goal in goals:
        name = goal.metric.name
        top = (max if goal.better == "max" else min)(one.figures[name] for one in left)
        left = [one for one in left if goal.gain(top, one.figures[name]) <= WORTH * (1 if len(goals) > 1 else 0)]
    return min(left, key=lambda one: (changes(one), one.key))


def _moved(knob: Knob, values: Values, steps: int) -> str | None:
    """The value of a knob so many steps from where it is, if there is one."""
    place = list(knob.values).index(values[knob.name]) + steps
    return knob.values[place] if 0 <= place < len(knob.values) else None


def _dominates(one: Measured, other: Measured, goals: Sequence[Goal]) -> bool:
    gains = [goal.gain(one.figures[goal.metric.name], other.figures[goal.metric.name]) for goal in goals]
    return min(gains) >= 0 and max(gains) > 0


def _key(values: Values) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(values.items()))


def _batches(values: Iterator[Values] | Sequence[Values]) -> Iterator[list[Values]]:
    batch: list[Values] = []
    for one in values:
        batch.append(one)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _study(search: Search) -> optuna.Study:
    try:
        import optuna
    except ModuleNotFoundError:
        raise _core.AirwireError(
            "a search needs the Python package optuna, which is not installed: pip install 'airwire[tune]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def excesses(trial: Any) -> Sequence[float]:
        told: Sequence[float] = trial.user_attrs[_EXCESS]
        return told

    with warnings.catch_warnings():
        # Of bounds and of several knobs at once optuna warns that they are experimental.
        warnings.simplefilter("ignore")
        sampler = optuna.samplers.TPESampler(
            seed=search.seed, n_startup_trials=2 * BATCH, multivariate=True, constraints_func=excesses
        )
    up, down = optuna.study.StudyDirection.MAXIMIZE, optuna.study.StudyDirection.MINIMIZE
    directions = [up if goal.better == "max" else down for goal in search.goals]
    return optuna.create_study(directions=directions, sampler=sampler)


def _values_of(trial: Any, knobs: Sequence[Knob], places: dict[str, list[str]]) -> Values:
    values = {}
    for knob in knobs:
        count = len(places[knob.name])
        if knob.is_ordered:
            place = trial.suggest_int(knob.name, 0, count - 1)
        else:
            place = trial.suggest_categorical(knob.name, list(range(count)))
        values[knob.name] = places[knob.name][place]
    return values
