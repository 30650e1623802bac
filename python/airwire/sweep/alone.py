"""A row of a suite with another image, by itself and in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from airwire import _core
from airwire.scratch import ScratchFolder
from airwire.sweep.blobs import Blobs
from airwire.sweep.point import run_point, scratch_place
from airwire.sweep.running import plan_sweep


@dataclass(frozen=True, slots=True)
class Alone:
    """The figure of a row, and what it is of."""

    point: str
    suite: str
    seed: int
    value: float | None
    low: float | None
    high: float | None
    unit: str
    messages: int


def run_alone(suite: str | Path, entry: str, image: Path) -> Alone:
    """Run an entry of a suite with an image.

    Raises ``AirwireError`` where the suite has no such entry, it stands for several rows, or its row cannot be run.
    """
    plan = plan_sweep(suite, over=[f'firmware="{image.resolve()}"'], only=[entry])
    if len(plan) != 1:
        raise _core.AirwireError(f"{suite}: {entry} stands for {len(plan)} rows; give its settings one value each")
    with ScratchFolder("airwire-", scratch_place()) as scratch:
        blobs = Blobs(scratch / "files")
        for content in plan.files.contents.values():
            blobs.add(content)
        outcome = run_point(plan.point(0), blobs, scratch)
    if outcome.figures is None:
        raise _core.AirwireError(f"{image}: {outcome.failure}")
    found = outcome.figures
    return Alone(
        plan.digest_at(0),
        plan.suite,
        plan.seeds[0],
        found["figure"],
        found["figure_low"],
        found["figure_high"],
        found["figure_unit"] or "ps",
        found["messages"],
    )
