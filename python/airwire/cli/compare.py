"""``airwire compare``: two captures, two rows, or two runs row by row; with a gate on what has become slower."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import airwire
from airwire.cli import completion, options
from airwire.cli.complaints import EXIT_NO_FIGURE, complain
from airwire.cli.output import progress_bar, working
from airwire.cli.paths import RUN, Reads
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from airwire.model import Analysis, Capture, Comparison
    from airwire.runs.compared_runs import RunComparison

_READS = Reads("run or capture", holds=RUN, reserved=True)
_NAMES = "A capture, a run folder, or RUN:ROW, one row of a run folder"


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help=f"{_NAMES}.", autocompletion=completion.rows_of_runs), _READS],
    b: Annotated[
        Path,
        typer.Argument(metavar="B", help="What is compared with it.", autocompletion=completion.rows_of_runs),
        _READS,
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="ROW",
            autocompletion=completion.entries,
            help="Of two runs: only this row or entry.",
            show_default=False,
        ),
    ] = None,
    slower_than: Annotated[
        float | None,
        typer.Option(
            parser=options.growth,
            metavar="SHARE",
            help="Exit with 1 where B is slower by more than this, such as 5%, and the 95 % interval excludes 0.",
            show_default=False,
        ),
    ] = None,
    trigger: options.Trigger = "0",
    done: options.Done = "1",
    pairing: options.Pairing = "strict",
    seed: options.Seed = 1,
    json: options.Json = False,
) -> None:
    """Say whether B is faster than A, by how much and how surely.

    Of two captures or rows: the shift of the median with its 95 % interval (moving-block bootstrap), the probability
    that a message of A beats one of B, and the distance of the distributions. Of two runs of suites: one line for each
    row, the worst first, and what was changed between both.
    Examples: airwire compare before.csv after.csv; airwire compare runs/main runs/mine --slower-than 5%
    """
    one, other = (_read(path, trigger, done, pairing, seed) for path in (a, b))
    if all(analysis.run_folder is not None for analysis, _ in (one, other)):
        refuse_unused(["--trigger", "--done", "--pairing"], "run folders hold edges that are paired; leave it out")
    else:
        refuse_unused(["--only"], "it chooses rows of two run folders, and here is a capture; leave it out")
    if only or (_holds_rows(one) and _holds_rows(other)):
        _compare_runs(one[0], other[0], only or [], seed, slower_than, json)
        return
    _compare_captures(_only_capture(a, one), _only_capture(b, other), (str(a), str(b)), seed, slower_than, json)


_Read = tuple["Analysis", str | None]
"""What stands in a file or folder, and the row of it that is meant."""


def _read(path: Path, trigger: str, done: str, pairing: str, seed: int) -> _Read:
    from airwire import _core

    folder, row = _folder_and_row(path)
    if (folder / "manifest.json").exists():
        return airwire.load_run(folder, intervals=False, findings=False), row
    with progress_bar("Reading captures") as progress:
        analysis = airwire.analyze(
            path,
            trigger=trigger,
            done=done,
            pairing=options.pairing_rule(pairing),
            seed=seed,
            intervals=False,
            findings=False,
            progress=progress,
        )
    if analysis.interrupted:
        # What was read by then is a part of the capture's messages, or none.
        raise KeyboardInterrupt
    if analysis.errors:
        raise _core.AirwireError(analysis.errors[0].message)
    return analysis, None


def _folder_and_row(path: Path) -> tuple[Path, str | None]:
    """A path, or what stands before and behind the first colon that parts a run folder from the name of a row."""
    text = str(path)
    for at in (place for place, sign in enumerate(text) if sign == ":" and not path.exists()):
        if (Path(text[:at]) / "manifest.json").exists():
            return Path(text[:at]), text[at + 1 :]
    return path, None


def _holds_rows(read: _Read) -> bool:
    """Whether a whole run is meant that holds rows of a suite, or several captures."""
    analysis, row = read
    return (
        row is None and analysis.run_folder is not None and (analysis.suite is not None or len(analysis.captures) > 1)
    )


def _only_capture(path: Path, read: _Read) -> Capture:
    from airwire import _core
    from airwire.runs.compared_runs import chosen_row

    analysis, row = read
    if row is not None:
        return chosen_row(analysis, row)
    if len(analysis.captures) == 1:
        return analysis.captures[0]
    named = f"; name one of them, such as {path}:{analysis.captures[0].path}" if analysis.run_folder else ""
    raise _core.AirwireError(f"{path}: holds {len(analysis.captures)} captures{named or '; name one of them'}")


def _compare_captures(
    a: Capture, b: Capture, given: tuple[str, str], seed: int, slower_than: float | None, as_json: bool
) -> None:
    # Rows of one name that differ in nothing are told apart by their folders.
    from airwire.explain.comparison import differences, names_apart

    alike = a.path == b.path and not differences(a, b)
    names = given if alike else names_apart(a, b)
    if slower_than is not None and a.outcomes["paired"] and not b.outcomes["paired"]:
        complain(f"{names[1]}: no figure any more, where {names[0]} has one")
        raise typer.Exit(EXIT_NO_FIGURE)
    with working("Comparing the messages"):
        comparison = airwire.compare(a, b, seed=seed, names=names)
    comparison = replace(comparison, sentence=_with_losses(comparison, a, b))
    if as_json:
        from airwire.cli.json_object import print_object
        from airwire.cli.json_output import comparison_output

        print_object(comparison_output(comparison))
    else:
        from airwire.cli.tables import print_comparison

        print_comparison(comparison)
    failure = None if slower_than is None else _failure(comparison, slower_than)
    if failure is not None:
        complain(failure)
        raise typer.Exit(EXIT_NO_FIGURE)


def _with_losses(comparison: Comparison, a: Capture, b: Capture) -> str:
    """What is said of two captures, and how many messages each lost where it is not the same."""
    from airwire.explain.quantities import count

    if a.lost == b.lost and comparison.loss[0] == comparison.loss[1]:
        return comparison.sentence
    one, other = (f"{capture.lost} of {count(capture.messages, 'message')}" for capture in (a, b))
    return f"{comparison.sentence} {comparison.a} lost {one}, and {comparison.b} lost {other}."


def _failure(comparison: Comparison, slower_than: float) -> str | None:
    """Why B does not pass the gate: it loses more, is slower, or has too few messages to tell; ``None`` if it passes.

    A message that is lost is later than any bound. So what may be slower by a share may lose that share more, and what
    cannot be judged has not passed.
    """
    from airwire.explain.quantities import percent, rough_time

    before, after = comparison.loss
    if after - before > slower_than:
        return (
            f"{comparison.b} lost {percent(after)} of its messages and {comparison.a} lost {percent(before)}, which "
            f"differs by more than {percent(slower_than)} of the messages"
        )
    interval = comparison.shift_interval_ps
    if interval is None:
        return (
            f"whether {comparison.b} is slower than {comparison.a} cannot be told from fewer than 8 messages on a "
            "side; measure more"
        )
    if interval[0] <= 0:
        return None
    if not comparison.median_a_ps:
        # No share of nothing can be told.
        by = rough_time(comparison.shift_ps)
        return f"{comparison.b} is slower than {comparison.a} by {by}, where the median of {comparison.a} is 0 s"
    share = comparison.shift_ps / comparison.median_a_ps
    if share <= slower_than:
        return None
    return _slower(f"{comparison.b} is slower than {comparison.a}", share, slower_than)


def _compare_runs(
    a: Analysis, b: Analysis, only: list[str], seed: int, slower_than: float | None, as_json: bool
) -> None:
    from airwire.runs.compared_runs import compare_runs

    found = compare_runs(a, b, only=only, seed=seed)
    if as_json:
        from airwire.cli.compare_json import runs_output
        from airwire.cli.json_object import print_object

        print_object(runs_output(found, slower_than))
    else:
        from airwire.cli.compared_rows import print_compared_runs

        print_compared_runs(found)
    if slower_than is not None and _complain_of_rows(found, slower_than):
        raise typer.Exit(EXIT_NO_FIGURE)


def _complain_of_rows(found: RunComparison, slower_than: float) -> bool:
    failed = found.slower_than(slower_than)
    for row in failed:
        if row.slower is None:
            complain(f"{row.row}: no figure any more, where {found.a} has one")
        else:
            complain(_slower(f"{row.row} is slower", row.slower, slower_than, row.grown))
    return bool(failed)


def _slower(what: str, share: float, most: float, grown: tuple[str, float] | None = None) -> str:
    from airwire.explain.quantities import percent, rough_time

    cause = "" if grown is None else f": {grown[0]} takes {rough_time(grown[1])} more"
    return f"{what} by {percent(share)}, more than {percent(most)}{cause}"
