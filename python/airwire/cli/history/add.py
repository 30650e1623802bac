"""``airwire history add``: runs into the data base."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airwire.cli import options
from airwire.cli.complaints import EXIT_BAD_INPUT, complain
from airwire.cli.history.options import DATABASE, NewDatabase
from airwire.cli.output import working
from airwire.cli.paths import RUN, Reads


def add(
    path: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="A run folder, a file that airwire run --json printed, or one that airwire history export wrote.",
            show_default=False,
        ),
        Reads("run", holds=RUN, reserved=True),
    ],
    database: NewDatabase = DATABASE,
    commit: Annotated[
        str | None,
        typer.Option(metavar="COMMIT", help="The commit that was measured. Default: none.", show_default=False),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="A name for the run, such as v1.2. Default: none.", show_default=False),
    ] = None,
    json: options.Json = False,
) -> None:
    """Add runs to the data base, each once.

    A run that is there already is not added again, so that the same command may be typed twice.
    Example: airwire history add runs/first --commit $(git rev-parse HEAD)
    """
    from airwire._core import AirwireError
    from airwire.cli.history.output import AddOutput, run_object
    from airwire.cli.json_object import print_object
    from airwire.history.records import read_runs
    from airwire.history.store import History

    found, failures, added = [], [], []
    with working("Adding runs"):
        for one in path:
            try:
                found += read_runs(one, commit=commit, label=label)
            except (AirwireError, OSError) as error:
                failures.append(
                    str(error) if isinstance(error, AirwireError) else f"{error.filename}: {error.strerror}"
                )
        if found:
            with History(database, create=True) as history:
                added = [run for run in found if history.add(run)]
                left_out = (history.names_left_out(run, commit=commit, label=label) for run in found)
                failures += [why for why in left_out if why is not None]
    if json:
        known = len(found) - len(added)
        print_object(AddOutput(database=str(database), added=[run_object(run) for run in added], known=known))
    elif found:
        from airwire.explain.quantities import count

        before = len(found) - len(added)
        rest = f"; {count(before, 'run')} {'was' if before == 1 else 'were'} there already" if before else ""
        print(f"{database}: {count(len(added), 'run')} added{rest}")
    for failure in failures:
        complain(failure)
    if failures:
        raise typer.Exit(EXIT_BAD_INPUT)
