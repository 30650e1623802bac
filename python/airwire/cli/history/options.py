"""Options that the commands of a history share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airwire.cli import completion
from airwire.cli.file_kinds import HISTORY
from airwire.cli.paths import Reads, Writes

DATABASE = Path("runs/history.sqlite")
_METAVAR = "FILE"

Database = Annotated[
    Path,
    typer.Option("--database", metavar=_METAVAR, help="The data base."),
    Reads("history"),
]
NewDatabase = Annotated[
    Path,
    typer.Option("--database", metavar=_METAVAR, help="The data base, which is begun where there is none."),
    Writes("history", kinds=(HISTORY,), makes_folders=True),
]
Row = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        autocompletion=completion.rows_of_history,
        help="A row, such as lora/12B or pingpong, as airwire history list has it.",
        show_default=False,
    ),
]
Metric = Annotated[
    str,
    typer.Option(
        metavar="METRIC",
        autocompletion=completion.metrics,
        help="figure (a rate, or the median), or of latencies p50, p75, p95, p99, mean, max or loss.",
    ),
]
