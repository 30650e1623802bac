"""What all commands share in speaking to people and programs: exit codes, complaints, JSON, progress."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from airwire.model import Analysis

EXIT_NO_FIGURE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
# Work shorter than this needs no progress bar.
_QUIET_SECONDS = 1.0


def complain(message: str) -> None:
    """One sentence to standard error."""
    print(f"airwire: {message}", file=sys.stderr)


def print_json(command: str, content: Mapping[str, Any]) -> None:
    """The result of ``command`` as one JSON object that begins with its schema."""
    print(json.dumps({"schema": f"airwire.{command}/1", **content}, indent=2, default=_plain, ensure_ascii=False))


def _plain(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} has no place in JSON output")


def whole(value: float) -> float | int:
    """A float that is a whole number as an integer, for JSON that reads well."""
    return int(value) if value == int(value) else value


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A callback ``(done, total)`` that shows a bar on a terminal once the work takes a while."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    begun = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(title, total=None)
    shown = False

    def advance(done: int, total: int) -> None:
        nonlocal shown
        if not shown and time.monotonic() - begun > _QUIET_SECONDS:
            bar.start()
            shown = True
        if shown:
            # A single file says nothing of how far it is: the bar only pulses.
            bar.update(task, completed=done, total=total if total > 1 else None)

    try:
        yield advance
    finally:
        if shown:
            bar.stop()


@contextmanager
def working(title: str) -> Iterator[Callable[[str], None]]:
    """A line on the terminal, while something works that may take a while; the callback replaces its text."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    from rich.console import Console

    with Console(stderr=True).status(title) as status:
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


def write_report(analysis: Analysis, report: Path | None, figures: Path | None) -> list[tuple[str, Path | None]]:
    """Write page and figures where they were asked for, and name what was written."""
    if report is not None or figures is not None:
        from airwire.outputs import new_folder
        from airwire.report import write_figures, write_html

        with working("Drawing the report"):
            if report is not None:
                with writing(report), new_folder(report.parent):
                    write_html(analysis, report)
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
        complain(f"stopped by Ctrl-C; {kept} {state} and kept")
        raise typer.Exit(EXIT_INTERRUPTED)
    if analysis.errors:
        raise typer.Exit(EXIT_BAD_INPUT)
