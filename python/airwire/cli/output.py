"""What all commands share in speaking to people and programs: JSON, progress, what follows a result."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from airwire.cli.complaints import EXIT_BAD_INPUT, complain
from airwire.cli.plain import in_json
from airwire.cli.stopping import stopped

if TYPE_CHECKING:
    from pathlib import Path

    from rich.text import Text

    from airwire.model import Analysis
    from airwire.report.opening import Opening

# Work shorter than this needs no progress bar.
_QUIET_SECONDS = 1.0
_now = time.monotonic


def print_json(command: str, content: Mapping[str, Any]) -> None:
    """The result of ``command`` as one JSON object that begins with its schema."""
    # Another encoding would have to replace what it has no place for, and that would be no JSON.
    ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")
    answer = {"schema": f"airwire.{command}/1", **content}
    print(in_json(json.dumps(answer, indent=2, default=_plain, ensure_ascii=ascii_only)))


def _plain(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} has no place in JSON output")


def whole(value: float) -> float | int:
    """A float that is a whole number as an integer, for JSON that reads well."""
    return int(value) if value == int(value) else value


class Bar:
    """A bar on a terminal once the work takes a while, and lines above it. Elsewhere nothing is shown."""

    def __init__(self, title: str) -> None:
        self.is_live = sys.stderr.isatty()
        self.shown = False
        self._begun = _now()
        self._early: list[Text] = []
        if self.is_live:
            from rich.progress import Progress

            from airwire.cli.plain_console import PlainConsole

            self._bar = Progress(console=PlainConsole(stderr=True), transient=True)
            self._task = self._bar.add_task(title, total=None)

    def __call__(self, done: int, total: int) -> None:
        """How much of all is done."""
        if not self.is_live:
            return
        if not self.shown and _now() - self._begun > _QUIET_SECONDS:
            self._bar.start()
            self.shown = True
            for line in self._early:
                self._bar.console.print(line, no_wrap=True)
            self._early.clear()
        if self.shown:
            # A single file says nothing of how far it is: the bar only pulses.
            self._bar.update(self._task, completed=done, total=total if total > 1 else None)

    def tell(self, line: Text) -> None:
        """Print a line above the bar, cut to the terminal's width; where the work is soon done there is none."""
        if not self.is_live:
            return
        line.truncate(self._bar.console.width, overflow="ellipsis")
        if self.shown:
            self._bar.console.print(line, no_wrap=True)
        else:
            self._early.append(line)

    def stop(self) -> None:
        """Take the bar away; lines stay."""
        if self.shown:
            self._bar.stop()


@contextmanager
def progress_bar(title: str) -> Iterator[Bar]:
    """A callback ``(done, total)`` that shows a bar on a terminal once the work takes a while."""
    bar = Bar(title)
    try:
        yield bar
    finally:
        bar.stop()


@contextmanager
def working(title: str) -> Iterator[Callable[[str], None]]:
    """A line on the terminal, while something works that may take a while; the callback replaces its text."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    from airwire.cli.plain_console import PlainConsole

    with PlainConsole(stderr=True).status(title) as status:
        yield lambda text: status.update(text)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Where ``path`` cannot be written, says so in one sentence; the system's own does not always name the file."""
    try:
        yield
    except OSError as error:
        from airwire._core import AirwireError

        where = error.filename or path
        reason = error.strerror or "the system refuses"
        raise AirwireError(f"{where}: cannot write it: {reason}; name another place, or make room") from None


def run_kept(analysis: Analysis) -> str | None:
    """What is kept of a run where its report is not finished, for :func:`airwire.cli.stopping.keeping`."""
    folder = analysis.run_folder
    return None if folder is None else f"the run folder {folder} is kept, and airwire report {folder} draws it"


def write_report(
    analysis: Analysis,
    report: Path | None,
    figures: Path | None,
    *,
    title: str | None = None,
    opening: Opening | None = None,
) -> list[tuple[str, Path | None]]:
    """Write page and figures where they were asked for, and name what was written."""
    if report is not None or figures is not None:
        from airwire.outputs import new_folder
        from airwire.report import write_figures, write_html

        with working("Drawing the report"):
            if report is not None:
                with writing(report), new_folder(report.parent):
                    write_html(analysis, report, title=title, opening=opening)
            if figures is not None:
                with writing(figures):
                    write_figures(analysis, figures)
    return [("Report", report), ("Figures", figures)]


def finish(
    analysis: Analysis, what_is_kept: tuple[str, str], report: Path | None, figures: Path | None, as_json: bool
) -> None:
    """What follows a printed result: complaints, report, the files' names, and the exit code that fits.

    ``what_is_kept`` is what the analysis consists of, and in what state Ctrl-C leaves it: row, begun or finished.
    """
    for failure in analysis.errors:
        complain(failure.message)
    written = write_report(analysis, report, figures)
    if not as_json:
        for what, path in [("Run folder", analysis.run_folder), *written]:
            if path is not None:
                print(f"{what}: {path}")
    if analysis.interrupted:
        done = len(analysis.captures)
        thing, state = what_is_kept
        kept = f"1 {thing} was" if done == 1 else f"{done} {thing}s were"
        raise stopped(f"; {kept} {state} and kept")
    if analysis.errors:
        raise typer.Exit(EXIT_BAD_INPUT)
