"""Candidates on the virtual bench: the row of a suite or the model of a link, with other values of its knobs."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from airwire import _core
from airwire.board.row import BoardRow
from airwire.explain.what_if import canonical
from airwire.inputs import read_file
from airwire.link.catalogue import link_budget
from airwire.losses import why_none_arrived
from airwire.model import Capture, rows_of_boards
from airwire.runs.simulation import simulate
from airwire.runs.suite import run_text
from airwire.scratch import ScratchFolder
from airwire.tune.build import NoRoomError, Tree, source_key
from airwire.tune.candidates import Measured, Store, Values, core_digest, digest
from airwire.tune.elf import sizes_of
from airwire.tune.subject import BoardSubject, LinkSubject, Subject

_EVERY_PS = 10**12
"""Of a message that comes so often the energy is told, with the time between two of them."""
_ENTRY = "candidate"
_COUNTED = ("busy_share_core0",)
_COUNTED_OF_BULK = (
    "window_bytes",
    "segment_bytes",
    "window_full_share",
    "repeated_segments",
    "cable_share",
    "bus_share",
)
_LIMITS = "limit_"
"""What counters are called that say by what the PC's TCP was held up."""
Told = Callable[[Measured], None]


@dataclass
class Bench:
    """Measures candidates of a subject; what was measured before comes from the store."""

    subject: Subject
    store: Store
    cache: Path
    seed: int
    workers: int
    source: Path | None = None
    """The firmware's sources, where images are built."""
    measured_now: int = 0
    """How many were not in the store."""
    _trees: SimpleQueue[Tree] = field(default_factory=SimpleQueue)
    _source_key: str = ""

    @property
    def first_tree(self) -> Path:
        """The folder of its first build tree."""
        return self._folder(0)

    def _folder(self, worker: int) -> Path:
        board = self.subject.board
        name = "" if board is None else board.board
        return (self.cache / "trees" / f"{digest(str(self.source))[:8]}-{name}-{worker}").resolve()

    def prepare(self) -> None:
        """Make the build trees that this takes."""
        board = self.subject.board
        if self.source is None or board is None:
            return
        self._source_key = source_key(self.source)
        for worker in range(self.workers):
            tree = Tree(self.source, board.board, self._folder(worker))
            tree.prepare()
            self._trees.put(tree)

    @contextmanager
    def tree(self) -> Iterator[Tree]:
        """A build tree that nobody else uses meanwhile."""
        tree = self._trees.get()
        try:
            yield tree
        finally:
            self._trees.put(tree)

    def measure(self, batch: Sequence[Values], told: Told | None = None, *, anew: bool = False) -> list[Measured]:
        """The figures of candidates, in their order, whatever the number of workers.

        ``anew`` measures with another seed, and with intervals. Ctrl-C ends it when what runs has been kept.
        """
        seed = self.seed + 1 if anew else self.seed
        if self.subject.link is not None:
            return self._of_links(self.subject.link, batch, seed, anew, told)
        with ThreadPoolExecutor(self.workers) as pool:
            futures = [pool.submit(self._of_board, values, seed, anew) for values in batch]
            return _in_order(futures, told)

    def _kept(self, key: str, values: Values, make: Callable[[], Measured]) -> Measured:
        found = self.store.get(key, values)
        if found is not None:
            return found
        made = make()
        self.measured_now += 1
        self.store.put(key, made)
        return made

    def _of_links(
        self, link: LinkSubject, batch: Sequence[Values], seed: int, anew: bool, told: Told | None
    ) -> list[Measured]:
        name, payload = link.link.name, link.payload_bytes
        base = ("link", core_digest(), name, payload, link.trigger, link.samples, seed, anew)
        keys = [digest(base, sorted({**link.settings, **values}.items())) for values in batch]
        found = [self.store.get(key, values) for key, values in zip(keys, batch, strict=True)]
        new = [(place, values) for place, (one, values) in enumerate(zip(found, batch, strict=True)) if one is None]
        runs = [(place, values) for place, values in new if canonical(name, payload, {**link.settings, **values})]
        requests = [(name, payload, {**link.settings, **values}) for _, values in runs]
        trigger = link.trigger
        rows = simulate(requests, samples=link.samples, seed=seed, spans=0, trigger=trigger, workers=self.workers)
        made = {place: _of_link(link, values, row) for (place, values), row in zip(runs, rows, strict=True)}
        for place, values in new:
            one = made.get(place) or _refused(link, values)
            self.store.put(keys[place], one)
            found[place] = one
        self.measured_now += len(runs)
        whole = [one for one in found if one is not None]
        for one in whole:
            if told is not None:
                told(one)
        return whole

    def _of_board(self, values: Values, seed: int, anew: bool) -> Measured:
        board = self.subject.board
        assert board is not None, "a subject is a link or a board"
        kinds = {knob.name: knob.kind for knob in self.subject.knobs}
        options = {name: value for name, value in values.items() if kinds[name] == "lwip"}
        options = {**board.own_options, **options}
        settings = {name: value for name, value in values.items() if kinds[name] == "image"}
        made_of: str = (
            digest(self._source_key, board.board, board.target, options)
            if options
            else hashlib.sha256(read_file(board.image)).hexdigest()
        )
        key = digest("board", core_digest(), made_of, board.fixed, settings, seed, anew)
        return self._kept(key, values, lambda: self._made(board, values, options, settings, made_of, seed))

    def _made(
        self, board: BoardSubject, values: Values, options: Values, settings: Values, made_of: str, seed: int
    ) -> Measured:
        image = board.image
        if options:
            built = self.image(board, options, made_of)
            if isinstance(built, str):
                return Measured(values, refused=built, is_rule=True)
            image = built
        row = {**board.fixed, "firmware": str(image.resolve())}
        if options:
            # What was built is an ELF with its own names.
            row.pop("symbols", None)
        if settings:
            row["settings"] = {**row.get("settings", {}), **settings}
        figures = sizes_of(image) if image.suffix == ".elf" else {}
        return _run_row(board, values, row, figures, seed)

    def image(self, board: BoardSubject, options: Values, made_of: str | None = None) -> Path | str:
        """The image with these options, from the store or built; or which of lwIP's rules they break."""
        assert board.target is not None, "what has such options has what builds it"
        made_of = made_of or digest(self._source_key, board.board, board.target, options)
        place = self.cache / "images" / f"{made_of}.elf"
        if place.is_file():
            return place
        with self.tree() as tree:
            broken = tree.broken_rule(board.target, options)
            if broken is not None:
                return broken
            try:
                built = tree.build(board.target, options)
            except NoRoomError:
                return "the image does not fit the RAM"
            place.parent.mkdir(parents=True, exist_ok=True)
            unfinished = place.with_suffix(f".{tree.folder.name}")
            shutil.copyfile(built, unfinished)
            unfinished.replace(place)
        return place


def _in_order(futures: Sequence[Future[Measured]], told: Told | None) -> list[Measured]:
    """The results as they were asked for; when one fails or Ctrl-C comes, those that have not begun are given up."""
    found = []
    try:
        for future in futures:
            found.append(future.result())
            if told is not None:
                told(found[-1])
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return found


def _run_row(
    board: BoardSubject, values: Values, row: Mapping[str, Any], figures: Mapping[str, float], seed: int
) -> Measured:
    from airwire.tune.toml_text import suite_text

    with ScratchFolder("airwire-tune-") as folder:
        out = folder / "run"
        analysis = run_text(
            board.suite,
            suite_text("tune", seed, _ENTRY, row),
            workers=1,
            intervals=False,
            findings=False,
            out=out,
        )
        rows = rows_of_boards(analysis)
        if not rows:
            told = analysis.errors[0].message if analysis.errors else "the run was stopped"
            raise _core.AirwireError(told)
        return _of_row(rows[0], values, figures)


def _of_row(row: Capture[BoardRow], values: Values, sizes: Mapping[str, float]) -> Measured:
    found = row.target
    if found.figure is None:
        return Measured(values, sizes, refused=found.problem or "the row has no figure")
    figures: dict[str, float] = dict(sizes)
    intervals = {}
    metric = {"bit/s": "throughput", "messages/s": "rate", "requests/s": "rate"}.get(found.figure.unit)
    if metric is not None:
        figures[metric] = found.figure.value
        if found.figure.interval is not None:
            intervals[metric] = found.figure.interval
    if found.bulk is None and row.latency_ps is not None:
        figures |= {name: row.latency_ps[name] for name in ("p50", "p95", "mean")}
        figures["loss"] = row.loss
        if found.figure.unit == "ps" and found.figure.interval is not None:
            intervals["mean" if found.figure.statistic == "mean" else "p50"] = found.figure.interval
    if found.energy_j is not None:
        figures["energy"] = found.energy_j
    counters = {name: found.counts[name] for name in _COUNTED if name in found.counts}
    if found.bulk is not None:
        told = ((name, getattr(found.bulk, name)) for name in _COUNTED_OF_BULK)
        counters |= {name: float(value) for name, value in told if value is not None}
        counters |= {f"{_LIMITS}{name}": share for name, share in (found.bulk.limits or {}).items()}
    return Measured(values, figures, intervals, counters)


def _refused(link: LinkSubject, values: Values) -> Measured:
    """A candidate with what the link itself says of a value, or of two that do not go together."""
    why = "these settings do not go together"
    try:
        link_budget(link.link.name, link.payload_bytes, {**link.settings, **values})
    except _core.AirwireError as refused:
        why = str(refused)
    return Measured(values, refused=why, is_rule=True)


def _of_link(link: LinkSubject, values: Values, row: Capture) -> Measured:
    if row.latency_ps is None:
        return Measured(values, refused=why_none_arrived(row.messages))
    budget = link_budget(link.link.name, link.payload_bytes, {**link.settings, **values})
    figures: dict[str, float] = {name: row.latency_ps[name] for name in ("p50", "p95", "mean")}
    # In closed form: a loss of one in a million would take millions of messages to be seen.
    figures["loss"] = budget.loss
    figures["throughput"] = link.payload_bytes * 8 * 1e12 / row.latency_ps["mean"]
    air_ps = sum(stage.ps for stage in budget.stages if stage.cause == "air")
    if air_ps:
        figures["airtime"] = air_ps
    if budget.energy is not None:
        figures["energy"] = budget.energy.with_interval_j(_EVERY_PS)
    median = row.median_interval
    return Measured(values, figures, {} if median is None else {"p50": (median.low_ps, median.high_ps)})
