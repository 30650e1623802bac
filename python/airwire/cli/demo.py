"""``airwire demo``: the whole path on a synthetic capture, without hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from airwire.cli import options


def demo(
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder for the capture, the run folder and the report; made anew."),
    ] = Path("runs/demo"),
    json: options.Json = False,
) -> None:
    """Write a synthetic capture of a slotted link, analyse it and name its slot.

    The link sends only when a slot of 23.4 ms opens and loses about one message in a hundred; the analysis is told
    none of it.
    """
    import shutil

    from airwire import captures
    from airwire.cli.analyze import publish
    from airwire.cli.environment import environment
    from airwire.synthetic import SlottedLink

    if out.exists():
        if not (out / "12B-slotted.csv").exists():
            raise typer.BadParameter(f"{out} exists and is no folder of a demo; give another one", param_hint="--out")
        shutil.rmtree(out)
    out.mkdir(parents=True)
    capture = out / "12B-slotted.csv"
    SlottedLink().write_csv(capture)
    analysis = captures.analyze(capture, out=out / "run", environment=environment())
    publish(analysis, out / "report.html", None, json)
