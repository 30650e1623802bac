"""Two runs row by row: which rows have become slower, by how much and how surely, and what was changed between them.

Rows are paired by their names. Rows of latencies are compared by their medians, as captures are; rows of rates, and of
means of latencies, by their figures and the intervals of these.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, inf
from pathlib import Path

from airwire import _core
from airwire.explain.comparison import Difference, differences, grown_stage
from airwire.inputs import read_text
from airwire.kinds import Shift
from airwire.model import Analysis, Capture
from airwire.runs.comparison import latencies_of
from airwire.runs.manifest import SuiteManifest, read_manifest
from airwire.values import check_kind, check_numbers

LATENCY = "ps"


@dataclass(frozen=True, slots=True)
class RowComparison:
    """How a row of B differs from the row of A that has its name."""

    row: str
    unit: str
    """``ps`` of latencies, ``messages/s``, ``requests/s`` or ``bit/s``."""
    before: float | None
    """The figure in A: the median of latencies, or the mean where that is the row's figure; else the rate."""
    after: float | None
    slower: float | None
    """By which share of A's figure B is slower: a latency that grows, a rate that falls. Negative: it is faster."""
    interval: tuple[float, float] | None
    """95 %, of the same share; ``None`` for too few messages."""
    loss: tuple[float, float]
    """The share of lost messages in A and in B."""
    shift: Shift
    grown: tuple[str, float] | None = None
    """Of a slower row the stage that takes most more than in A, near the medians, and how many picoseconds."""

    @property
    def severity(self) -> float:
        """What rows are sorted by: the share by which it is slower, and most for one that has lost its figure."""
        return inf if self.shift == "no_figure" else -inf if self.slower is None else self.slower

    def is_slower_than(self, share: float) -> bool:
        """Whether B is surely slower, and by more than a share of A's figure, or has no figure any more."""
        surely = self.shift == "slower" and self.slower is not None and self.slower > share
        return surely or self.shift == "no_figure"


@dataclass(frozen=True, slots=True)
class Changed:
    """Something that differs between two runs, and the rows in which it does; none where it is the runs' own."""

    what: str
    before: str
    after: str
    rows: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """How the rows of run B differ from those of run A, the worst first."""

    a: str
    b: str
    rows: Sequence[RowComparison]
    only_in_a: Sequence[str]
    only_in_b: Sequence[str]
    changed: Sequence[Changed]

    def slower_than(self, share: float) -> list[RowComparison]:
        """The rows that fail a gate at this share."""
        return [row for row in self.rows if row.is_slower_than(share)]


def compare_runs(a: Analysis, b: Analysis, *, only: Sequence[str] = (), seed: int = 1) -> RunComparison:
    """Compare two runs row by row, the row that has become slowest first.

    ``only`` names rows or entries to compare.

    Raises ``AirwireError`` where the runs have no row in common, or none of a name in ``only``.
    """
    check_numbers(seed=seed)
    for one in (a, b):
        check_kind("the run", one, Analysis, "airwire.run or airwire.load_run")
    own, other = _chosen(a, only), _chosen(b, only)
    names = _names(a), _names(b)
    for name in only:
        if not any(_is_of(row, name) for row in (*own.values(), *other.values())):
            raise _core.AirwireError(f"{names[0]} and {names[1]}: have no row {name}; they have {_listed(a, b)}")
    common = [name for name in own if name in other]
    if not common:
        raise _core.AirwireError(
            f"{names[0]} and {names[1]}: have no row in common; name one of each, such as {names[0]}:{_first(a)}"
        )
    rows = [_row(name, own[name], other[name], seed) for name in common]
    return RunComparison(
        a=names[0],
        b=names[1],
        rows=sorted(rows, key=lambda row: -row.severity),
        only_in_a=[name for name in own if name not in other],
        only_in_b=[name for name in other if name not in own],
        changed=[*_changed_runs(a, b), *_changed_rows([(name, own[name], other[name]) for name in common])],
    )


def chosen_row(analysis: Analysis, name: str) -> Capture:
    """The one row of a run that has this name, or whose entry has it. Raises ``AirwireError`` where there is none."""
    exact = [row for row in analysis.captures if row.path == name]
    found = exact or [row for row in analysis.captures if _is_of(row, name)]
    if len(found) != 1:
        has = f"{len(found)} rows of" if found else "no row"
        names = [one for row in analysis.captures for one in (row.path, row.group)]
        near = None if found else _core.nearest_name(name, names)
        hint = "" if near is None else f"; the nearest is {near}"
        raise _core.AirwireError(f"{_names(analysis)}: has {has} {name}; it has {_listed(analysis)}{hint}")
    return found[0]


def _names(analysis: Analysis) -> str:
    return analysis.run_folder or "this run"


def _first(analysis: Analysis) -> str:
    return analysis.captures[0].path if analysis.captures else "ROW"


def _listed(*runs: Analysis, most: int = 6) -> str:
    names = list(dict.fromkeys(row.path for run in runs for row in run.captures))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"


def _is_of(row: Capture, name: str) -> bool:
    return name in (row.path, row.group)


def _chosen(analysis: Analysis, only: Sequence[str]) -> dict[str, Capture]:
    rows = (row for row in analysis.captures if not only or any(_is_of(row, name) for name in only))
    return {row.path: row for row in rows}


def _row(name: str, a: Capture, b: Capture, seed: int) -> RowComparison:
    unit = a.target.unit
    before, after, interval = _by_figures(a, b) if _has_own_figure(a) else _by_medians(a, b, seed)
    loss = (a.loss, b.loss)
    if before is None or after is None or before <= 0:
        shift: Shift = "no_figure" if before is not None and after is None else "too_few"
        return RowComparison(name, unit, before, after, None, None, loss, shift)
    sign = 1 if unit == LATENCY else -1
    slower = sign * (after - before) / before
    if interval is None:
        return RowComparison(name, unit, before, after, slower, None, loss, "too_few")
    low, high = sorted(sign * end / before for end in interval)
    shift = "slower" if low > 0 else "faster" if high < 0 else "same"
    grown = grown_stage(a, b) if shift == "slower" and unit != "bit/s" else None
    return RowComparison(name, unit, before, after, slower, (low, high), loss, shift, grown)


_Compared = tuple[float | None, float | None, tuple[float, float] | None]
"""The figure in A and in B, and the 95 % interval of what B has more."""


def _by_medians(a: Capture, b: Capture, seed: int) -> _Compared:
    """As captures are compared: by a moving-block bootstrap."""
    raw = _core.compare(latencies_of(a), latencies_of(b), seed)
    if raw is None:
        medians = [None if row.latency_ps is None else row.latency_ps["p50"] for row in (a, b)]
        return medians[0], medians[1], None
    return raw["median_a_ps"], raw["median_b_ps"], raw["shift_interval_ps"]


def _by_figures(a: Capture, b: Capture) -> _Compared:
    """Of two figures whose errors have nothing to do with each other."""
    own, other = a.target.figure, b.target.figure
    values = [None if figure is None else figure.value for figure in (own, other)]
    if own is None or other is None or own.interval is None or other.interval is None:
        return values[0], values[1], None
    reach = hypot(*((figure.interval[1] - figure.interval[0]) / 2 for figure in (own, other) if figure.interval))
    shift = other.value - own.value
    return own.value, other.value, (shift - reach, shift + reach)


def _has_own_figure(row: Capture) -> bool:
    """Whether a row's figure is another one than the median of its latencies."""
    figure = row.target.figure
    return row.target.unit != LATENCY or (figure is not None and figure.statistic == "mean")


def _changed_rows(pairs: Sequence[tuple[str, Capture, Capture]]) -> list[Changed]:
    """What differs between rows of one name; what does so in several is told once."""
    found: dict[Difference, list[str]] = {}
    for name, a, b in pairs:
        for difference in (*differences(a, b), *_other_counts(a, b)):
            found.setdefault(difference, []).append(name)
    return [Changed(*difference, rows) for difference, rows in found.items()]


def _other_counts(a: Capture, b: Capture) -> list[Difference]:
    """How many messages there were, where it is not the same; what a board sends in its time is its figure."""
    if a.target.figure is not None or b.target.figure is not None or a.triggers == b.triggers:
        return []
    return [("messages", str(a.triggers), str(b.triggers))]


def _changed_runs(a: Analysis, b: Analysis) -> list[Changed]:
    """What differs between the runs themselves: suite, seed, and the version that ran it."""
    pairs = zip(_facts(a).items(), _facts(b).values(), strict=True)
    return [Changed(what, one, other, ()) for (what, one), other in pairs if one != other]


def _facts(analysis: Analysis) -> dict[str, str]:
    facts = {"suite": analysis.suite or "none", "text of the suite": "", "seed": str(analysis.seed), "Airwire": ""}
    if analysis.run_folder is not None:
        folder = Path(analysis.run_folder)
        manifest, _, _ = read_manifest(folder)
        if isinstance(manifest, SuiteManifest) and manifest.suite is not None:
            lines = manifest.suite.text.splitlines()
            facts["text of the suite"] = f"{len(lines)} lines, {_digest(manifest.suite.text)}"
        facts["Airwire"] = _version(folder / "environment.json")
    return facts


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()[:8]


def _version(file: Path) -> str:
    """The version that made a run, where its folder says it."""
    try:
        return str(json.loads(read_text(file))["airwire"])
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"
