"""``airwire validate``: the models against real captures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.complaints import EXIT_BAD_INPUT, complain
from airwire.cli.output import progress_bar
from airwire.cli.paths import CAPTURES, Reads
from airwire.cli.stopping import stopped

if TYPE_CHECKING:
    from airwire.link.model import Ledger, LedgerRow

EXIT_GOAL_MISSED = 1
_LEAST = {"link": 10, "mode": len("phase-free")}
_LEFT_OUT_FIRST = (
    *("class", "fitted", "phases", "n eff", "left out", "n", "model", "KS", "p75", "variant"),
    *("lost", "p95", "goal", "mode", "payload"),
)
"""Columns that a narrow terminal has no room for: what says least of how good a model is goes first."""
_GOAL_STYLES = {"kept": "green", "missed": "red"}


def validate(
    captures: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="The folder of real captures, as they were published."),
        Reads("capture", holds=CAPTURES),
    ] = Path("captures"),
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="PART", help="Only captures with this in their path.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=options.MAX_SEED, help="Seed of the models.")] = 1,
    workers: options.Workers = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 where a judged row misses the goal of its class.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Compare the models with captures of real links.

    Every model runs against the captures that were made with its link, and it is printed how far it is from each.
    phase-free: the model was told nothing of the run. this-run: gate phases were fitted to it. Errors are model over
    capture, minus one. Example: airwire validate --captures captures --only rfm95
    """

    _check_parts(captures, only or ())
    with progress_bar("Validating") as progress:
        ledger = airwire.validate(captures, only=only or (), seed=seed, workers=workers, progress=progress)
    if json:
        from airwire.cli.json_object import print_object
        from airwire.cli.link_json import ledger_output

        print_object(ledger_output(ledger))
    else:
        _print(ledger)
    for _, message in ledger.errors:
        complain(message)
    if ledger.interrupted:
        raise stopped(f"; {len(ledger.rows)} rows were finished and kept")
    if ledger.errors:
        raise typer.Exit(EXIT_BAD_INPUT)
    if strict and any(row.passes is False for row in ledger.rows):
        raise typer.Exit(EXIT_GOAL_MISSED)


def _check_parts(captures: Path, only: Sequence[str]) -> None:
    """Refuse a part of paths that no capture has: where nothing is judged, no goal is missed."""
    if not only or not captures.is_dir():
        return
    paths = [path.relative_to(captures) for path in captures.rglob("*") if path.is_file()]
    names = [path.parts for path in paths if CAPTURES(path.parts)]
    for part in only:
        if not any(part in "/".join(one) for one in names):
            from airwire._core import AirwireError, name_hint

            known = sorted({one[0] for one in names})
            hint = name_hint(part, known) if known else "it holds no capture at all"
            raise AirwireError(f"{captures}: no capture has {part} in its path; {hint}")


def _print(ledger: Ledger) -> None:
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console

    out = console()
    no_room: list[str] = []
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("link", "variant", "payload", "class", "mode"):
        table.add_column(name, justify="right" if name == "payload" else "left", min_width=_LEAST.get(name))
    for name in ("p50", "p75", "p95", "KS", "n", "n eff", "phases", "fitted", "lost", "model"):
        table.add_column(name, justify="right")
    for name in ("goal", "left out"):
        table.add_column(name)
    for row in ledger.rows:
        goal, refitted = _goal(row.passes), _left_out(row)
        styles = [_GOAL_STYLES.get(word.split()[-1], "") for word in (goal, refitted)]
        table.add_row(*map(Text, _cells(row)), Text(goal, style=styles[0]), Text(refitted, style=styles[1]))
    if ledger.rows:
        no_room = print_table(out, table, _LEFT_OUT_FIRST)
    if no_room:
        what = f"column{'' if len(no_room) == 1 else 's'} {', '.join(no_room)}"
        out.print(f"No room for the {what}: a wider terminal (COLUMNS) and --json have all.", style="dim")
    judged = [row for row in ledger.rows if row.passes is not None]
    kept = sum(bool(row.passes) for row in judged)
    out.print(
        f"{kept} of {len(judged)} judged rows keep the goals of their class; {len(ledger.rows) - len(judged)} are not "
        "judged (empirical, or the run met too few phases).",
        style="dim",
    )
    kept = sum(bool(row.leave_one_out.passes) for row in judged)
    untold = sum(bool(row.leave_one_out.untold) for row in judged)
    out.print(
        f"{kept} do so blind, or with what was fitted on their capture fitted on the link's other captures. {untold} "
        "hold a constant that no other capture tells: they must do so with half of it and with one and a half times "
        "as much.",
        style="dim",
    )
    if ledger.without_rule:
        count = len(ledger.without_rule)
        shown = ", ".join(ledger.without_rule[:5]) + (", ..." if count > 5 else "")
        out.print(Text(f"Without a model: {count} captures ({shown}).", style="dim"))


def _cells(row: LedgerRow) -> list[str]:
    errors = [f"{100 * error:+.1f} %" for error in (row.median_error, row.upper_quartile_error, row.p95_error)]
    lost = [f"{100 * share:.1f} %" for share in (row.lost, row.lost_model)]
    fitted = f"{row.fitted_physics}+{row.fitted_phase}"
    return [
        *(row.link, row.variant, f"{row.payload_bytes} B", row.understood, row.mode),
        *errors,
        *(f"{row.ks:.3f}", str(row.n), f"{row.n_eff:.0f}", f"{100 * row.phase_coverage:.0f} %", fitted),
        *lost,
    ]


def _goal(passes: bool | None) -> str:
    return {True: "kept", False: "missed", None: "-"}[passes]


def _left_out(row: LedgerRow) -> str:
    """The row without what its own capture told: the error of its median, and whether it keeps its goals."""
    without = row.leave_one_out
    if without.passes is None:
        return "-"
    if without.untold:
        return f"{len(without.untold)} untold {_goal(without.passes)}"
    if not without.refitted:
        return f"blind {_goal(without.passes)}"
    return f"{100 * without.median_error:+.1f} % {_goal(without.passes)}"
