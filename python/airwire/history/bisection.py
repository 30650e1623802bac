"""The first bad one between a good and a bad one: among runs of a history, and images that are at hand.

The row of each candidate is taken from the history where that has it, and is run on the virtual bench where there is an
image. Halves are asked for, as ``git bisect`` does, so that few images need be run.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from airwire import _core
from airwire.explain.quantities import percent
from airwire.history.records import FIGURE, LATENCY, FigureRecord, RunRecord
from airwire.history.store import History
from airwire.history.trends import Change, change_of
from airwire.inputs import read_file
from airwire.runs.packaged import find_suite
from airwire.sweep.alone import run_alone
from airwire.sweep.entries import read_suite

IMAGES = (".elf", ".uf2", ".bin")
_SHORTEST_PREFIX = 4
_SHORTEST_COMMIT = 7


@dataclass(frozen=True, slots=True)
class Candidate:
    """A commit, a run or an image that may be the first bad one."""

    name: str
    figure: FigureRecord | None = None
    image: Path | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """A candidate that was looked at."""

    name: str
    figure: FigureRecord
    change: Change
    """From the good one."""
    is_bad: bool
    was_run: bool


@dataclass(frozen=True, slots=True)
class FirstBad:
    """The first bad one, and the last good one before it."""

    row: str
    last_good: Probe
    first_bad: Probe
    probes: Sequence[Probe]
    candidates: int


def find_first_bad(
    row: str, candidates: Sequence[Candidate], measure: Callable[[Candidate], FigureRecord], share: float
) -> FirstBad:
    """Bisect candidates, of which the first is good and the last one bad.

    Raises ``AirwireError`` where the last is not worse than the first by more than the share.
    """
    if len(candidates) < 2:
        raise _core.AirwireError(f"{row}: between good and bad there is nothing to look at; name two that differ")
    base = measure(candidates[0])
    if base.value is None:
        raise _core.AirwireError(
            f"{row}: {candidates[0].name} has no figure itself, so that none can be worse; name another good one"
        )
    probes: dict[int, Probe] = {}

    def look(at: int) -> Probe:
        if at not in probes:
            own = candidates[at]
            figure = base if at == 0 else measure(own)
            change = change_of(base, figure)
            bad = at > 0 and change.is_worse_than(share)
            probes[at] = Probe(own.name, figure, change, bad, own.figure is None)
        return probes[at]

    good, bad = 0, len(candidates) - 1
    look(good)
    if not look(bad).is_bad:
        raise _core.AirwireError(
            f"{row}: {candidates[-1].name} is not worse than {candidates[0].name} by more than {percent(share)}; name "
            "another one, or lower --worse-by"
        )
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if look(middle).is_bad else (middle, bad)
    return FirstBad(row, look(good), look(bad), [probes[at] for at in sorted(probes)], len(candidates))


def check_images(images: Path, suite: str | None, row: str) -> None:
    """Refuse a folder without images, and a suite that has no such entry."""
    _images_of(images)
    if suite is not None:
        read_suite(find_suite(suite), [row])


def candidates_of(history: History, row: str, metric: str, good: str, bad: str, images: Path | None) -> list[Candidate]:
    """What stands from ``good`` to ``bad``: images of a folder in the order of their names, or commits, or runs.

    Raises ``AirwireError`` for a name that is none of these.
    """
    at_hand = _images_of(images) if images is not None else []
    names = [path.stem for path in at_hand]
    if good in names and bad in names:
        between = at_hand[names.index(good) : names.index(bad) + 1]
        if not between:
            raise _core.AirwireError(
                f"{images}: {bad} comes before {good}; images are taken in the order of their names"
            )
        return [Candidate(path.stem, _known(history, row, metric, path), path) for path in between]
    runs = _measured(history, row, metric)
    commits = _commits_between(good, bad)
    if commits:
        return _of_commits(commits, runs, at_hand, (history, row, metric))
    places = [_place_of(history, one, runs) for one in (good, bad)]
    if places[1] <= places[0]:
        raise _core.AirwireError(f"{history.path}: {bad} was not begun after {good}; name the good one first")
    return [Candidate(name_of(run), figure) for run, figure in runs[places[0] : places[1] + 1]]


def name_of(run: RunRecord) -> str:
    """What people call a run."""
    return run.label or (run.commit or "")[:12] or run.id[:12]


class Measurer:
    """Gives the figure of a candidate: what is known, or what its image gives, which the history then has as well."""

    def __init__(self, history: History, suite: str | None, row: str, metric: str) -> None:
        self._history, self._suite, self._row, self._metric = history, suite, row, metric

    def __call__(self, candidate: Candidate) -> FigureRecord:
        """The figure. Raises ``AirwireError`` where an image is to be run and nothing says how."""
        if candidate.figure is not None:
            return candidate.figure
        assert candidate.image is not None, "each candidate has a figure or an image"
        if self._suite is None:
            raise _core.AirwireError(
                f"{candidate.image}: its figure is not known, and --suite does not say which row to run it with"
            )
        if self._metric != FIGURE:
            raise _core.AirwireError(
                f"images are bisected by the figure of their row; leave --metric {self._metric} out"
            )
        found = run_alone(self._suite, self._row, candidate.image)
        digest = sha256(read_file(candidate.image)).hexdigest()
        figure = FigureRecord(
            self._row,
            FIGURE,
            found.value,
            found.low,
            found.high,
            found.unit,
            found.messages,
            "board",
            candidate.image.name,
            digest,
        )
        run = RunRecord(
            id=found.point,
            suite=found.suite,
            seed=found.seed,
            started=None,
            host=None,
            system=None,
            airwire=_core.__version__,
            commit=None,
            label=candidate.name,
            source=str(candidate.image),
            figures=[figure],
        )
        self._history.add(run)
        return figure


def _images_of(folder: Path) -> list[Path]:
    """The images of a folder, in the order of their names, numbers by their values."""
    found = [path for path in folder.iterdir() if path.suffix in IMAGES] if folder.is_dir() else []
    if not found:
        raise _core.AirwireError(f"{folder}: holds no image; name a folder of .elf, .uf2 or .bin files")
    return sorted(
        found, key=lambda path: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", path.stem)]
    )


def _known(history: History, row: str, metric: str, image: Path) -> FigureRecord | None:
    return history.of_image(row, metric, sha256(read_file(image)).hexdigest())


def _measured(history: History, row: str, metric: str) -> list[tuple[RunRecord, FigureRecord]]:
    """The runs that have a row, with its figure; a run that has lost it is worse than any other."""
    figures = dict(history.figures(row, metric))
    unit = next((figure.unit for figure in figures.values()), LATENCY)
    # Nothing has percentiles where nothing was answered: of such a run the figure alone was kept, as none.
    gone = {
        run: replace(one, metric=metric, unit=unit) for run, one in history.figures(row, FIGURE) if one.value is None
    }
    found = {**gone, **figures}
    return [(run, found[run.id]) for run in history.runs(row) if run.id in found]


def _place_of(history: History, name: str, runs: Sequence[tuple[RunRecord, FigureRecord]]) -> int:
    """The latest run of this label, commit or id."""
    for place in range(len(runs) - 1, -1, -1):
        run = runs[place][0]
        prefixes = [one for one in (run.commit, run.id) if one and len(name) >= _SHORTEST_PREFIX]
        if name in (run.label, run.commit, run.id) or any(one.startswith(name) for one in prefixes):
            return place
    known = list(dict.fromkeys(name_of(run) for run, _ in runs))
    hint = _core.name_hint(name, known) if known else "it has no run of this row"
    raise _core.AirwireError(f"{history.path}: no run with this row is called {name}; {hint}")


def _commits_between(good: str, bad: str) -> list[str]:
    """The commits from good to bad, both included; none where this folder is in no repository that has them."""
    if good.startswith("-") or bad.startswith("-"):
        return []
    for name in (good, bad):
        if not _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            return []
    first = _git("rev-parse", f"{good}^{{commit}}")
    return [*first, *_git("rev-list", "--reverse", "--first-parent", f"{good}..{bad}")]


def _git(*arguments: str) -> list[str]:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.split() if done.returncode == 0 else []


def _of_commits(
    commits: Sequence[str],
    runs: Sequence[tuple[RunRecord, FigureRecord]],
    images: Sequence[Path],
    where: tuple[History, str, str],
) -> list[Candidate]:
    """The commits of which a run or an image is at hand; both ends must be among them."""
    figures = {run.commit: figure for run, figure in runs if run.commit}
    found = []
    for place, commit in enumerate(commits):
        figure = next((own for known, own in figures.items() if known and commit.startswith(known)), None)
        image = next((one for one in images if len(one.stem) >= _SHORTEST_COMMIT and commit.startswith(one.stem)), None)
        if figure is None and image is not None:
            figure = _known(*where, image)
        if figure is not None or image is not None:
            found.append(Candidate(commit[:12], figure, image))
        elif place in (0, len(commits) - 1):
            raise _core.AirwireError(
                f"{where[0].path}: of commit {commit[:12]} there is neither a run with row {where[1]} nor an image in "
                "--images; add one"
            )
    return found
