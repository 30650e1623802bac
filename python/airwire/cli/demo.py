"""``airwire demo``: the whole path on the virtual bench, without hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.output import progress_bar


def demo(
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder for the run folder and the report; made anew."),
    ] = Path("runs/demo"),
    json: options.Json = False,
) -> None:
    """Run a short suite on the virtual bench, rank its links and say where their time goes.

    Nothing is measured: every message is simulated from trigger to done, with the gates, retries and queues of its
    link. The report and a capture of every row are written as well.
    """
    import shutil
    from importlib import resources

    from airwire.cli.environment import environment
    from airwire.cli.run import publish

    if out.exists():
        if not (out / "run" / "manifest.json").exists():
            raise typer.BadParameter(f"{out} exists and is no folder of a demo; give another one", param_hint="--out")
        shutil.rmtree(out)
    out.mkdir(parents=True)
    with (
        resources.as_file(resources.files("airwire") / "suites" / "demo.toml") as suite,
        progress_bar("Running the demo") as progress,
    ):
        analysis = airwire.run(suite, out=out / "run", captures=True, environment=environment(), progress=progress)
    publish(analysis, out / "report.html", None, json)
