"""``airwire schema``: the JSON Schema of files that Airwire reads and writes, and of what its commands print."""

from __future__ import annotations

from typing import Annotated

import typer

from airwire.cli import completion


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            autocompletion=completion.schema_names,
            help="suite, board or network (files that you write), manifest or environment (of run folders), or a "
            "command whose --json is meant, such as run or board-run. Default: list the names.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a file, or of a command's output.

    Editors and validators read it. Examples: airwire schema suite > suite.schema.json; airwire schema board-run
    """
    import json

    from airwire.cli.schemas import NAMES, schema_of

    if name is None:
        print("\n".join(NAMES))
        return
    if name not in NAMES:
        from airwire._core import name_hint

        raise typer.BadParameter(f"there is no schema `{name}`; {name_hint(name, list(NAMES))}", param_hint="NAME")
    typer.echo(json.dumps(schema_of(name), indent=2))
