"""``airwire tune``: what the search found, each knob's worth, and before and after measured anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from airwire import _core
from airwire.tune.bench import Bench
from airwire.tune.build import OPTION_NAMES, check_tools, firmware_source
from airwire.tune.candidates import Measured, Store, cache_folder
from airwire.tune.knobs import Knob, chosen, lwip_knobs, size_of
from airwire.tune.metrics import METRICS, Goal, Limit, parse_goal, parse_limit, refuse_missing
from airwire.tune.own_file import Binding, OwnFile, bindings, pools_of, read_own_file, spare
from airwire.tune.search import WORTH, Search
from airwire.tune.subject import Subject, subject_of
from airwire.tune.worth import Worth, worths

BUDGET = 200
_SIMPLER = 0.05
"""So much more RAM is a change less worth: by how the compiler lays an image out it differs by as much."""
_SEGMENT = 1460
"""To put values of segments and of bytes in one order."""
_LWIP_WAYS = ("-lwip_raw", "-lwip_sockets", "-lwip_small")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is."""

    measured: int
    budget: int
    best: Measured | None
    goal: str
    """The name of the first goal's metric."""
    step: str


@dataclass(frozen=True)
class Tuning:
    """What a search found."""

    subject: Subject
    goals: Sequence[Goal]
    limits: Sequence[Limit]
    before: Measured
    after: Measured
    """Both measured anew, with another seed."""
    best: Measured
    """As the search measured it."""
    candidates: Sequence[Measured]
    """All that were measured, in their order."""
    front: Sequence[Measured]
    worths: Sequence[Worth]
    """Of each knob that is changed, the greatest gain first."""
    seed: int
    budget: int
    interrupted: bool
    fresh: int
    """How many measurements were made now; the others were kept from before."""
    tree: Path
    """A build tree of its image, where there is one."""
    own_file: OwnFile | None = None
    """The user's own file that it began with."""
    binding: Sequence[Binding] = ()
    """What held the transfer up before, with the counters that show it."""
    spare: Sequence[Binding] = ()
    """What was never used before."""

    @property
    def changed(self) -> Mapping[str, tuple[str, str]]:
        """Each knob that is changed: its value before and after."""
        knobs = ((knob.name, knob.start, self.best.values[knob.name]) for knob in self.subject.knobs)
        return {name: (start, value) for name, start, value in knobs if start != value}


def tune_settings(
    target: str | Path,
    *,
    goals: Sequence[str] = ("max throughput",),
    subject_to: Sequence[str] = (),
    budget: int = BUDGET,
    knobs: Sequence[str] = (),
    only: str | None = None,
    board: str | None = None,
    traffic: Sequence[str] = (),
    impair: str | None = None,
    payload_bytes: int | None = None,
    settings: Mapping[str, str] | None = None,
    lwipopts: str | Path | None = None,
    samples: int | None = None,
    firmware: str | Path | None = None,
    seed: int = 1,
    workers: int | None = None,
    cache: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Tuning:
    """Search the settings of a link, of a row of a suite or of an image for goals, on the virtual bench.

    ``target`` is a suite (with ``only`` for one of its entries), a link's name, or an image, which needs ``traffic``.
    ``goals`` come in the order of their weight; ``subject_to`` are bounds such as ``"ram<=48KiB"``. ``knobs`` names
    what may change, each with values where they are to be others. ``settings`` are those that stay, and ``lwipopts`` is
    a user's own file of lwIP's options, with which the search begins. Images with
    other options of lwIP are built, and kept in ``cache`` with what was measured, so that a second run goes on from
    there. The result is the same for a seed, whatever the number of ``workers``.

    Raises ``AirwireError`` where a goal, a bound or a knob does not fit the target, and where no candidate keeps the
    bounds.
    """
    wanted, limits = [parse_goal(text) for text in goals], [parse_limit(text) for text in subject_to]
    _check(wanted, budget)
    subject = subject_of(
        target,
        only=only,
        board=board,
        traffic=traffic,
        impair=impair,
        payload_bytes=payload_bytes,
        firmware=None if firmware is None else Path(firmware),
        samples=samples,
        settings=settings or {},
    )
    own_file = None
    if lwipopts is not None:
        check_tools()
        own_file = read_own_file(Path(lwipopts))
    metrics = [*(goal.metric for goal in wanted), *(limit.metric for limit in limits)]
    refuse_missing(metrics, subject.figures, subject.name)
    place = cache_folder(None if cache is None else Path(cache))
    store = Store(place)
    bench = Bench(subject, store, place, seed, workers or os.cpu_count() or 1)
    _with_lwip(bench, knobs, own_file)
    bench.subject = replace(bench.subject, knobs=chosen(bench.subject.knobs, knobs, subject.name))
    if not bench.subject.knobs:
        raise _core.AirwireError(f"{subject.name} has no knob that a search may change")
    found = _searched(bench, _with_cost(wanted, bench.subject), limits, budget, progress, len(wanted))
    return found if own_file is None else _explained(bench, found, own_file)


def _check(goals: Sequence[Goal], budget: int) -> None:
    if not goals:
        raise _core.AirwireError("there is no goal; give one, such as `max throughput`")
    if not isinstance(budget, int) or budget < 1:
        raise _core.AirwireError(
            f"the budget is {budget!r} candidates, and nothing is found without one; give 1 or more"
        )
    names = [goal.metric.name for goal in goals]
    for name in names:
        if names.count(name) > 1:
            raise _core.AirwireError(f"{name} is a goal twice; name it once")


def _with_cost(goals: Sequence[Goal], subject: Subject) -> list[Goal]:
    """The goals, and RAM as the last where an image has it: what is as good with less is better."""
    names = {goal.metric.name for goal in goals}
    own = [name for name in ("ram",) if name in subject.figures and name not in names]
    is_built = any(knob.kind == "lwip" for knob in subject.knobs) or subject.board is not None
    return [*goals, *(Goal(METRICS[name], "min") for name in own if is_built)]


def _with_lwip(bench: Bench, wanted: Sequence[str], own_file: OwnFile | None) -> None:
    """Give an image of the firmware the options of its lwIP as knobs, where something is asked of them."""
    board = bench.subject.board
    names = {text.partition("=")[0].strip() for text in wanted}
    has_lwip = board is not None and any(way in board.image.stem for way in _LWIP_WAYS)
    if own_file is not None and not has_lwip:
        raise _core.AirwireError(
            f"{bench.subject.name} runs no lwIP of the firmware's, whose options could be {own_file.path}'s"
        )
    if board is None or not has_lwip or (names and not names & set(OPTION_NAMES) and own_file is None):
        return
    check_tools()
    bench.source = firmware_source()
    bench.prepare()
    target = board.image.stem
    start = {} if own_file is None else own_file.start
    with bench.tree() as tree:
        options = tree.values(target, OPTION_NAMES)
        broken = tree.broken_rule(target, start) if own_file is not None else None
    if own_file is not None and broken is not None:
        raise _core.AirwireError(f"{own_file.path}: lwIP itself refuses these options: {broken}")
    knobs = [_begun(knob, start) for knob in lwip_knobs(options)]
    bench.subject = replace(
        bench.subject,
        board=replace(board, target=target, options=options, own_options=start),
        knobs=[*knobs, *bench.subject.knobs],
    )


def _begun(knob: Knob, start: Mapping[str, str]) -> Knob:
    """A knob that begins with another value."""
    if knob.name not in start:
        return knob
    own = start[knob.name]
    values = sorted({*knob.values, own}, key=lambda text: size_of(text, _SEGMENT))
    return replace(knob, start=own, values=tuple(values))


def _explained(bench: Bench, found: Tuning, own_file: OwnFile) -> Tuning:
    """The same with what bound and what was spare before, by counters of the image that the user's file makes."""
    board = bench.subject.board
    assert board is not None, "only an image has such a file"
    start = {knob.name: knob.start for knob in bench.subject.knobs}
    options = {**board.own_options, **{knob.name: knob.start for knob in bench.subject.knobs if knob.kind == "lwip"}}
    # The image that tells of its pools is one of its own, of the same sources.
    telling = replace(board, target=f"sink_loops-{(board.target or '').removeprefix('sink-')}")
    has_pools = (board.target or "").startswith("sink-")
    image = bench.image(telling, options) if has_pools else "it tells of no pools"
    first = next((one for one in found.candidates if dict(one.values) == start), None)
    if first is None:
        return replace(found, own_file=own_file)
    pools = {} if isinstance(image, str) else pools_of(board, image, bench.seed)
    mss = int(options.get("TCP_MSS", _SEGMENT))
    values = {name: size_of(text, mss) for name, text in options.items()}
    return replace(found, own_file=own_file, binding=bindings(first, pools, options), spare=spare(pools, values))


def _searched(
    bench: Bench,
    goals: Sequence[Goal],
    limits: Sequence[Limit],
    budget: int,
    progress: Callable[[Progress], None] | None,
    wanted: int,
) -> Tuning:
    """``wanted`` of the goals are the user's."""
    step = "searching"

    def tell(search: Search) -> None:
        if progress is not None:
            progress(Progress(min(search.measured, budget), budget, search.best(), goals[0].metric.name, step))

    search = Search(bench.subject.knobs, goals, limits, budget, bench.seed, bench.measure, tell)
    interrupted = False
    try:
        search.run()
    except KeyboardInterrupt:
        interrupted = True
    best = search.best()
    if best is None:
        raise _core.AirwireError(_nobody_keeps(search, interrupted))
    start = search.found[tuple(sorted(search.start().items()))]
    found: Sequence[Worth] = ()
    before, after = start, best
    if not interrupted:
        try:
            step = "taking back what is not needed"
            best = _simplest(search, best, wanted)
            step = "telling what each knob is worth"
            found = worths(search, best)
            step = "measuring before and after anew"
            before, after = bench.measure([search.start(), best.values], anew=True)
        except KeyboardInterrupt:
            interrupted = True
    everything = list(search.found.values())
    front = search.front()
    return Tuning(
        bench.subject,
        goals,
        limits,
        before,
        after,
        best,
        everything,
        front,
        found,
        bench.seed,
        budget,
        interrupted,
        bench.measured_now,
        bench.first_tree,
    )


def _simplest(search: Search, best: Measured, wanted: int) -> Measured:
    """Take back each change that the first ``wanted`` goals do not need, as long as one is left.

    What those after them cost may grow a little by it: fewer changes are worth that.
    """
    found = best
    while True:
        changed = [knob for knob in search.knobs if best.values[knob.name] != knob.start]
        tried = search.look([{**best.values, knob.name: knob.start} for knob in changed])
        as_good = [one for one in tried if search.keeps(one) and _is_as_good(search, one, found, wanted)]
        if not as_good:
            return best
        best = min(as_good, key=lambda one: (_cost(search, one), one.key))


def _is_as_good(search: Search, one: Measured, best: Measured, wanted: int) -> bool:
    gains = [goal.gain(one.figures[goal.metric.name], best.figures[goal.metric.name]) for goal in search.goals]
    return all(gain >= -(WORTH if place < wanted else _SIMPLER) for place, gain in enumerate(gains))


def _cost(search: Search, one: Measured) -> float:
    last = search.goals[-1]
    value = one.figures[last.metric.name]
    return -value if last.better == "max" else value


def _nobody_keeps(search: Search, interrupted: bool) -> str:
    """The sentence where no candidate keeps the bounds: which is missed by least, and by what."""
    from airwire.tune.metrics import words

    measured = [one for one in search.found.values() if one.refused is None]
    if not measured:
        reasons = [one.refused for one in search.found.values() if one.refused]
        told = f": {reasons[0]}" if reasons else "; it was stopped before one was measured" if interrupted else ""
        return f"no candidate could be measured{told}"
    near = min(measured, key=lambda one: max(limit.excess(one.figures[limit.metric.name]) for limit in search.limits))
    missed = next(limit for limit in search.limits if not limit.keeps(near.figures[limit.metric.name]))
    bounds = " and ".join(limit.text for limit in search.limits)
    has = words(missed.metric, near.figures[missed.metric.name])
    return (
        f"none of {len(measured)} candidates keeps {bounds}; the nearest has "
        f"{missed.metric.name} {has}: give more room, or more knobs"
    )


__all__ = ["BUDGET", "Progress", "Tuning", "tune_settings"]
