"""What would make the twin behave as the board does: its settings changed one at a time, each run, and held against the
latencies of the board. A what-if is a run of a changed suite, as everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from airwire.address.row import AddressRow
from airwire.board.row import BoardRow
from airwire.board.settings import image_settings
from airwire.explain.waterfall import board_waterfalls
from airwire.kinds import Cause
from airwire.model import Capture, rows_of_boards
from airwire.runs.suite import run_text
from airwire.scratch import ScratchFolder
from airwire.stage import Stage
from airwire.twins.questions import Subject, changed

_QUANTILES = ("p5", "p25", "p50", "p75", "p95")
_MUCH_NEARER = 2.0
"""A setting is suspected where it brings the twin so many times nearer to the board."""
_NEAR = 0.15
"""And where the latencies then differ by no more than this share, on average.

The very setting of the board leaves 0.02 to 0.05, and 0.145 where this computer is busy. Where only the forwarding adds
time, the nearest setting leaves 0.2 to 0.26, as it moves the median alone: that is no setting of the board.
"""
_MOST = 3
_WORK_US = ("100", "300", "1000", "3000", "10000", "30000")

_VALUES: Mapping[str, Sequence[str]] = {
    "spi_hz": ("100 kHz", "500 kHz", "1 MHz", "2 MHz", "4 MHz", "8 MHz", "16 MHz", "33 MHz"),
    "system_hz": ("63 MHz", "96 MHz", "133 MHz"),
    "wiznet_poll_us": ("500", "1000", "2000", "5000", "10000", "20000", "50000", "64000", "100000"),
    "work_us": _WORK_US,
    "frame_work_us": _WORK_US,
    "output_rule": ("0", "1"),
    "output_each": ("off", "on"),
    "nagle": ("off", "on"),
    "print_each": ("off", "on"),
    "wiznet_int": ("off", "on"),
}
"""Settings that change what a message takes, with values over their range."""
_GOES_WITH: Mapping[str, Mapping[str, str]] = {"wiznet_poll_us": {"wiznet_int": "off"}}
"""What a setting needs to have any effect."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A setting with which the twin takes as long as the board does."""

    change: Mapping[str, str]
    """The settings that differ from the image's."""
    was: Mapping[str, str]
    """What they are in the image."""
    cause: Cause
    """What the time that they change is spent on."""
    stage: str
    """The stage that changes most, by its name."""
    before_ps: float
    after_ps: float
    """What that stage takes of the median message, with the image's settings and with these."""
    distance: float
    """How far the latencies of board and twin then are apart, as a share: 0 where they are the same."""


def suspects(
    subject: Subject, virtual: Capture[BoardRow], real: Capture[AddressRow], *, outside_ps: float, seed: int
) -> tuple[Suspect, ...]:
    """The settings that bring the twin much nearer to the board than it is, the nearest first.

    ``outside_ps`` is what of a message on the real board is not the board's.
    """
    known = {setting.name: setting.text for setting in image_settings(subject.image, subject.symbols)} | dict(
        subject.settings
    )
    changes = list(_changes(known))
    if not changes:
        return ()
    with ScratchFolder("airwire-twin-") as folder:
        analysis = run_text(Path("twin-changes"), changed(subject, changes, seed), findings=False, out=folder / "run")
        rows = {row.path: row for row in rows_of_boards(analysis)}
        found = list(_nearer(changes, rows, known, virtual, real, outside_ps))
    return tuple(_best_of_each(sorted(found, key=lambda one: one.distance))[:_MOST])


def _changes(known: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Every change to try of an image with these settings."""
    for name, values in _VALUES.items():
        needed = _GOES_WITH.get(name, {})
        if name not in known or any(other not in known for other in needed):
            continue
        for value in values:
            change = {**needed, name: value}
            if any(known[key] != text for key, text in change.items()):
                yield change


def _nearer(
    changes: Sequence[Mapping[str, str]],
    rows: Mapping[str, Capture[BoardRow]],
    known: Mapping[str, str],
    virtual: Capture[BoardRow],
    real: Capture[AddressRow],
    outside_ps: float,
) -> Iterator[Suspect]:
    now = _distance(virtual, real, outside_ps)
    before = _own_stages(virtual)
    for place, change in enumerate(changes):
        row = rows.get(f"change-{place}")
        if row is None or row.latency_ps is None:
            continue
        distance = _distance(row, real, outside_ps)
        if distance > _NEAR or distance * _MUCH_NEARER > now:
            continue
        stage, was_ps, is_ps = _most_changed(before, _own_stages(row))
        was = {name: known[name] for name in change}
        yield Suspect(change, was, stage.cause, stage.name, was_ps, is_ps, distance)


def _best_of_each(found: Sequence[Suspect]) -> list[Suspect]:
    """The best value of each setting alone."""
    best: dict[frozenset[str], Suspect] = {}
    for one in found:
        best.setdefault(frozenset(one.change), one)
    return list(best.values())


def _distance(virtual: Capture[BoardRow], real: Capture[AddressRow], outside_ps: float) -> float:
    """How far the latencies of both boards are apart: the mean of the logarithms of their ratios at some quantiles."""
    pc_ps = sum(stage.ps for stage in _stages(virtual) if is_of_pc(stage))
    logs = []
    for name in _QUANTILES:
        ours = max(1.0, virtual.statistic(name) - pc_ps)
        theirs = max(1.0, real.statistic(name) - outside_ps)
        logs.append(abs(log(theirs / ours)))
    return sum(logs) / len(logs)


def _stages(row: Capture[BoardRow]) -> Sequence[Stage]:
    found = board_waterfalls(row, percentiles=(50,))
    return found[0].stages if found else ()


def _own_stages(row: Capture[BoardRow]) -> dict[tuple[Cause, str], Stage]:
    """The stages of the board, by cause and name."""
    return {(stage.cause, stage.name): stage for stage in _stages(row) if not is_of_pc(stage)}


def is_of_pc(stage: Stage) -> bool:
    """Whether the virtual PC takes that time, in whose place this computer stands."""
    return stage.site == "pc" or stage.cause == "pc"


def _most_changed(
    before: Mapping[tuple[Cause, str], Stage], after: Mapping[tuple[Cause, str], Stage]
) -> tuple[Stage, float, float]:
    """Of the cause whose time changes most the stage that does, with its time before and after."""
    causes = {cause for cause, _ in (*before, *after)}

    def of(stages: Mapping[tuple[Cause, str], Stage], cause: Cause) -> float:
        return sum(stage.ps for (own, _), stage in stages.items() if own == cause)

    cause = max(sorted(causes), key=lambda one: abs(of(after, one) - of(before, one)))
    names = {name for own, name in (*before, *after) if own == cause}

    def ps(stages: Mapping[tuple[Cause, str], Stage], name: str) -> float:
        stage = stages.get((cause, name))
        return 0.0 if stage is None else stage.ps

    name = max(sorted(names), key=lambda one: abs(ps(after, one) - ps(before, one)))
    stage = after.get((cause, name)) or before[cause, name]
    return stage, of(before, cause), of(after, cause)
