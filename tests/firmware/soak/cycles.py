"""Runs a soak cycle by cycle: each goes on from the snapshot of the one before, so that an interrupted soak goes
on at the cycle that it was in, and gives the same result as one that was not interrupted."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from airwire.board import Board, BoardRun
from soak import judge
from soak.plan import FULL, PAGES, SETTLE_S, SITE, TRAFFIC_S, Load, Plan, plan_of

BOARD = "w5500-evb-pico"
LOSS = "loss=1%"
WATCHDOG_MS = 2000
BEFORE_WRAP_MS = 60_000
CLOCK_START_MS = 2**32 - BEFORE_WRAP_MS
SETTINGS: dict[str, int] = {
    "clock_start_ms": CLOCK_START_MS,
    "watchdog_ms": WATCHDOG_MS,
    "sink_check": 1,
    "source_pattern": 1,
    "services": 7,
}
CALM_AFTER_S = 20
"""Long enough after the traffic for whatever was cut to be told."""
ANSWER_END = "that is all\n"
PS_PER_S = 10**12
STATE, KEPT = "board.state", "soak.json"


class InterruptedSoakError(Exception):
    """Ctrl-C came; the last snapshot stays."""


class AnotherSoakError(Exception):
    """What is kept in a folder is of another soak."""


@dataclass(frozen=True)
class Soak:
    """What is soaked, and for how long."""

    image: Path
    transport: str
    cycles: int
    cycle_s: int
    seed: int = 1
    load: Load = FULL
    settings: dict[str, int] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """The same for soaks that give the same result, however long they run."""
        pages = [(SITE / page.removeprefix("/")).read_bytes() for page in PAGES]
        image = hashlib.sha256(self.image.read_bytes() + b"".join(pages)).hexdigest()
        return f"{image} {self.transport} {self.cycle_s} {self.seed} {self.load} {sorted(self.settings.items())}"


@dataclass
class Cycle:
    """What came of a cycle."""

    number: int
    end_s: float
    wrong: list[str]
    pools: dict[str, int]
    bytes_moved: int
    pages: int
    pings_lost: int
    failed_in_rough_slot: int
    pull_s: float | None
    plug_s: float | None
    wall_s: float


@dataclass
class Kept:
    """A soak so far, as it is kept beside the snapshot."""

    identity: str
    start_pools: dict[str, int] = field(default_factory=dict)
    cycles: list[Cycle] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """Everything that was wrong so far."""
        return [f"cycle {cycle.number}: {sentence}" for cycle in self.cycles for sentence in cycle.wrong]


def read_kept(soak: Soak, folder: Path) -> Kept:
    """What is kept in a folder of this soak; nothing where no cycle ended yet."""
    path = folder / KEPT
    if not path.is_file():
        return Kept(soak.identity)
    content = json.loads(path.read_text())
    if content["identity"] != soak.identity:
        raise AnotherSoakError(f"{path} is of another soak (image, seed, length of cycle): name another folder")
    return Kept(soak.identity, content["start_pools"], [Cycle(**cycle) for cycle in content["cycles"]])


def run_soak(soak: Soak, folder: Path, told: Callable[[str], Any] = lambda _line: None) -> Kept:
    """Run what is left of a soak; stops after a cycle in which something was wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = read_kept(soak, folder)
    while len(kept.cycles) < soak.cycles and not kept.wrong:
        _run_cycle(soak, len(kept.cycles), kept, folder)
        told(_line(soak, kept))
    return kept


def _line(soak: Soak, kept: Kept) -> str:
    last = kept.cycles[-1]
    state = "; ".join(last.wrong) or "all right"
    return (
        f"{soak.transport} {last.number + 1}/{soak.cycles}: {last.end_s / 3600:.2f} h, {last.bytes_moved} B, "
        f"{last.pages} pages, {last.wall_s:.1f} s of wall time: {state}"
    )


def _run_cycle(soak: Soak, number: int, kept: Kept, folder: Path) -> None:
    begun = time.monotonic()
    plan = plan_of(soak.seed, number, soak.transport, soak.load)
    board = _board(soak, plan)
    before = folder / f"{number}.{STATE}"
    if number:
        board.resume(before)
    start_ps = board.time_ps
    _run_to(board, start_ps, SETTLE_S - 1.5)
    if not number:
        kept.start_pools = _pools(board)
    _run_to(board, start_ps, SETTLE_S - 0.5)
    for at_s, plugged in ((plan.pull_s, False), (plan.plug_s, True)):
        if at_s is not None:
            _run_to(board, start_ps, at_s)
            board.set_plugged(plugged)
    awake = _run_to(board, start_ps, SETTLE_S + TRAFFIC_S + CALM_AFTER_S)
    quiet = _run_to(board, start_ps, soak.cycle_s - 5)
    pools = _pools(board)
    run = _run_to(board, start_ps, soak.cycle_s)
    kept.cycles.append(_cycle(plan, run, board.console, pools, kept.start_pools, board))
    kept.cycles[-1].wrong += judge.of_quiet(awake, quiet)
    kept.cycles[-1].wall_s = round(time.monotonic() - begun, 1)
    _keep(board, kept, folder, number + 1)


def _board(soak: Soak, plan: Plan) -> Board:
    settings = {**SETTINGS, "source_bytes": soak.load.most_bytes, **soak.settings}
    return Board(
        BOARD,
        soak.image,
        seed=soak.seed,
        usb=False,
        record=False,
        traffic=plan.traffic,
        impair=LOSS,
        settings=settings,
    )


def _run_to(board: Board, start_ps: int, at_s: float) -> BoardRun:
    left_ps = start_ps + round(at_s * PS_PER_S) - board.time_ps
    run = board.run(max(left_ps, 0))
    if run.reason == "interrupted":
        raise InterruptedSoakError
    return run


def _pools(board: Board) -> dict[str, int]:
    """Asks the image at its console."""
    before = len(board.console)
    board.send("?")
    run = board.run("1 s", until=ANSWER_END)
    if run.reason == "interrupted":
        raise InterruptedSoakError
    answer = board.console[before:]
    return {name: int(value) for name, value in re.findall(r"^(.+) (\d+)$", answer, re.MULTILINE)}


def _cycle(
    plan: Plan, run: BoardRun, said: str, pools: dict[str, int], start_pools: dict[str, int], board: Board
) -> Cycle:
    results = {result.name: result for result in run.traffic}
    starts = said.count("ready at") - (plan.number == 0)
    wrong: Iterator[str] = (
        sentence
        for sentences in (
            judge.of_clients(plan, results),
            judge.of_console(plan, said),
            judge.of_pools(start_pools, pools),
            judge.of_board(run, starts),
            _of_clock(start_pools, pools),
        )
        for sentence in sentences
    )

    def total(kind: str, name: str) -> int:
        of_kind = (result for result in run.traffic if result.kind == kind)
        return sum(counter.value for result in of_kind for counter in result.counters if counter.name == name)

    return Cycle(
        number=plan.number,
        end_s=board.time_ps / PS_PER_S,
        wrong=list(wrong),
        pools=pools,
        bytes_moved=sum(total(kind, way) for kind in ("bulk", "http", "ping") for way in ("sent", "received")),
        pages=total("http", "answered"),
        pings_lost=total("ping", "lost"),
        failed_in_rough_slot=judge.failed_clients(plan, results),
        pull_s=plan.pull_s,
        plug_s=plan.plug_s,
        wall_s=0,
    )


def _of_clock(start_pools: dict[str, int], pools: dict[str, int]) -> Iterator[str]:
    clock_ms = pools.get("clock ms")
    if clock_ms is None:
        yield "the image does not answer at its console"
    elif clock_ms >= start_pools.get("clock ms", 0):
        yield f"the millisecond clock is at {clock_ms} and did not wrap"


def _keep(board: Board, kept: Kept, folder: Path, number: int) -> None:
    """The snapshot first: what is kept names it only when it is whole."""
    state = folder / f"{number}.{STATE}"
    partial = state.with_suffix(".partial")
    board.save(partial)
    partial.replace(state)
    partial.write_text(json.dumps(asdict(kept), indent=1))
    partial.replace(folder / KEPT)
    (folder / f"{number - 1}.{STATE}").unlink(missing_ok=True)
