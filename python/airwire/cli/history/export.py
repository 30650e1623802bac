"""``airwire history export``: the data base as a file that others read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airwire.cli.history.options import DATABASE, Database
from airwire.cli.output import working, writing
from airwire.cli.paths import Writes

_KINDS = (".json", ".parquet")


def export(
    destination: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Where to: .json, which airwire history add takes elsewhere, or .parquet, a line for each figure.",
            show_default=False,
        ),
        Writes("export", kinds=_KINDS),
    ],
    database: Database = DATABASE,
) -> None:
    """Write all runs into one file, as JSON or Parquet.

    Example: airwire history export history.json
    """
    from airwire.history.exports import export_history
    from airwire.history.store import History

    if destination.suffix not in _KINDS:
        raise typer.BadParameter(
            f"{destination} ends in neither {' nor '.join(_KINDS)}; name such a file", param_hint="FILE"
        )
    with History(database) as history, working("Writing the runs"), writing(destination):
        runs = export_history(history, destination)
    print(f"{destination}: {runs} runs")
