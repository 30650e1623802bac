"""``airwire demo``: the whole path on the virtual bench, without hardware."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path
from typing import Annotated

import typer

import airwire
from airwire.cli import options
from airwire.cli.output import progress_bar
from airwire.cli.paths import Writes, everything

_FOLDER = Path("runs/demo")


def demo(
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Folder for the run folder and the report, new or empty; where runs/demo holds something, "
            "runs/demo-2 and so on.",
        ),
        Writes("demo", is_folder=True, holds=everything, makes_folders=True),
    ] = _FOLDER,
    json: options.Json = False,
) -> None:
    """Show a slow board, its cause and its cure, and ten links.

    The same board runs with one change and with two, and ten links stand side by side. Nothing is measured: a board is
    a virtual one that runs a firmware image, and every message of a link is simulated from trigger to done, with the
    gates, retries and queues of its link. The report and a capture of every link are written as well.
    """
    from airwire.cli.demo_screen import print_demo, print_next_steps
    from airwire.cli.environment import environment
    from airwire.cli.output import finish, run_kept
    from airwire.cli.run import publish
    from airwire.cli.stopping import keeping
    from airwire.outputs import new_folder

    folder = _free(out)
    with new_folder(folder), progress_bar("Running the demo") as progress:
        analysis = airwire.run("demo", out=folder / "run", captures=True, environment=environment(), progress=progress)
    report = folder / "report.html"
    with keeping(run_kept(analysis)):
        if json:
            publish(analysis, report, None, json)
            return
        print_demo(analysis)
        finish(analysis, ("row", "begun or finished"), report, None, as_json=False)
        print_next_steps()


def _free(out: Path) -> Path:
    """A folder without anything in it: nothing is ever removed for a demo."""
    if out == _FOLDER:
        numbered = (out.with_name(f"{out.name}-{number}") for number in count(2))
        return next(folder for folder in chain([out], numbered) if _is_free(folder))
    if not _is_free(out):
        from airwire._core import AirwireError

        raise AirwireError(f"--out {out}: this folder holds something, which stays as it is; name a new one")
    return out


def _is_free(folder: Path) -> bool:
    if folder.exists():
        return folder.is_dir() and not any(folder.iterdir())
    return not folder.is_symlink()
