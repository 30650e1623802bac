"""``airwire compare``: two captures or run folders side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.paths import RUN, Reads

if TYPE_CHECKING:
    from airwire.model import Capture

_READS = Reads("run or capture", holds=RUN, reserved=True)


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="A capture, or a run folder that holds one."), _READS],
    b: Annotated[Path, typer.Argument(metavar="B", help="The capture or run folder to compare it with."), _READS],
    trigger: options.Trigger = "0",
    done: options.Done = "1",
    pairing: options.Pairing = "strict",
    seed: options.Seed = 1,
    json: options.Json = False,
) -> None:
    """Say whether B is faster or slower than A, by how much and how surely.

    Prints the shift of the median with its 95 % interval (moving-block bootstrap), the probability that a message
    of A beats one of B, and the distance of the distributions. Example: airwire compare before.csv after.csv
    """

    runs = [_only_capture(path, trigger, done, pairing, seed) for path in (a, b)]
    comparison = airwire.compare(runs[0], runs[1], seed=seed)
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.json_output import comparison_output

        print_object(comparison_output(comparison))
    else:
        from airwire.cli.tables import print_comparison

        print_comparison(comparison)


def _only_capture(path: Path, trigger: str, done: str, pairing: str, seed: int) -> Capture:
    from airwire import _core

    if (path / "manifest.json").exists():
        analysis = airwire.load_run(path)
    else:
        analysis = airwire.analyze(
            path,
            trigger=trigger,
            done=done,
            pairing=options.pairing_rule(pairing),
            seed=seed,
            intervals=False,
            findings=False,
        )
    if analysis.errors:
        raise _core.AirwireError(analysis.errors[0].message)
    if len(analysis.captures) != 1:
        raise _core.AirwireError(f"{path}: holds {len(analysis.captures)} captures; name one of them")
    return analysis.captures[0]
