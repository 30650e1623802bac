"""The search of ``airwire tune`` on figures in closed form, whose best values are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from airwire import AirwireError
from airwire.tune.candidates import Measured, Values
from airwire.tune.knobs import Knob, chosen
from airwire.tune.metrics import Goal, Limit, parse_goal, parse_limit, words
from airwire.tune.search import Search
from airwire.tune.worth import worths

PLACES = tuple(str(place) for place in range(12))
KNOBS = [Knob(name, "image", PLACES, "0", "") for name in ("window", "pool", "heap", "segments")]


def throughput_and_ram(values: Values) -> Measured:
    """A window that helps up to 8, where the pool holds it; a heap and segments that cost RAM and help nothing."""
    window, pool, heap, segments = (int(values[knob.name]) for knob in KNOBS)
    if pool < window // 2:
        return Measured(values, refused="the pool does not hold the window", is_rule=True)
    figures = {"throughput": 10e6 * (1 + min(window, 8)), "ram": 1024.0 * (10 + 2 * pool + heap + segments)}
    return Measured(values, figures)


class Counted:
    """Measures, and keeps what it was asked for."""

    def __init__(self, model: Callable[[Values], Measured] = throughput_and_ram) -> None:
        self.asked: list[Values] = []
        self._model = model

    def __call__(self, batch: Sequence[Values], told: Callable[[Measured], None]) -> list[Measured]:
        self.asked += batch
        found = [self._model(values) for values in batch]
        for one in found:
            told(one)
        return found


def search(goals: Sequence[str], limits: Sequence[str] = (), *, budget: int = 120, seed: int = 1) -> Search:
    wanted: list[Goal] = [parse_goal(text) for text in goals]
    bounds: list[Limit] = [parse_limit(text) for text in limits]
    found = Search(KNOBS, wanted, bounds, budget, seed, Counted())
    found.run()
    return found


def best(found: Search) -> Measured:
    one = found.best()
    assert one is not None
    return one


def test_the_best_throughput_is_found_and_then_the_least_memory() -> None:
    found = best(search(["max throughput", "min ram"]))
    assert found.figures["throughput"] == 90e6
    # A window of 8 needs a pool of 4: 18 KiB, where nothing else is taken.
    assert found.figures["ram"] <= 1.2 * 18 * 1024


def test_a_bound_is_kept_and_what_it_allows_is_used() -> None:
    found = best(search(["max throughput", "min ram"], ["ram<=16KiB"]))
    # A pool of 3 holds a window of 7.
    assert found.figures == {"throughput": 80e6, "ram": 16 * 1024}


def test_the_same_seed_asks_for_the_same_and_another_for_others() -> None:
    runs = [search(["max throughput", "min ram"], seed=seed, budget=60) for seed in (3, 3, 4)]
    asked = [[*run.found] for run in runs]
    assert asked[0] == asked[1] != asked[2]


def test_what_a_rule_refuses_costs_nothing_of_the_budget() -> None:
    found = search(["max throughput"], budget=40)
    assert any(one.is_rule for one in found.found.values())
    assert found.measured <= 40 + 8


def test_few_combinations_are_all_tried() -> None:
    knobs = chosen(KNOBS, ["window=0,4,8", "pool=0,4"], "the model")
    counted = Counted(lambda values: Measured(values, {"throughput": float(values["window"]) + float(values["pool"])}))
    found = Search(knobs, [parse_goal("max throughput")], [], 6, 1, counted)
    found.run()
    assert len(counted.asked) == 6


def test_the_worth_of_a_change_is_what_it_gives_alone_and_among_the_others() -> None:
    found = search(["max throughput", "min ram"])
    (one,) = found.look([{"window": "8", "pool": "4", "heap": "0", "segments": "0"}])
    told = {worth.knob: worth for worth in worths(found, one)}
    assert set(told) == {"window", "pool"}
    assert told["window"].refused == "the pool does not hold the window"
    assert told["window"].among["throughput"] == 80e6
    assert told["pool"].alone == {"throughput": 0.0, "ram": 8 * 1024}
    assert told["pool"].among == {}


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("ram<=48KiB", 48 * 1024),
        ("p95<=5ms", 5e9),
        ("throughput>=5MB/s", 40e6),
        ("throughput>=40Mbit/s", 40e6),
        ("loss<=0.1%", 0.001),
        ("energy<=50uJ", 50e-6),
        ("rate>=700/s", 700),
    ],
)
def test_bounds_are_read_with_their_units(text: str, limit: float) -> None:
    assert parse_limit(text).limit == pytest.approx(limit)


@pytest.mark.parametrize("text", ["throughput>=700/s", "rate>=5Mbit/s", "ram<=5ms", "p95<=5", "colour<=1", "p95", ""])
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(AirwireError, match=r"bound `"):
        parse_limit(text)


def test_figures_are_told_with_their_units() -> None:
    told = [
        words(parse_goal(name).metric, value) for name, value in (("throughput", 94.8e6), ("ram", 93260), ("p95", 5e9))
    ]
    assert told == ["94.8 Mbit/s", "91.1 KiB", "5 ms"]
