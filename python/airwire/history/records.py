"""What is kept of a run: where and when it was made, and of each row its figures, image and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from airwire import _core
from airwire.inputs import read_file, read_text
from airwire.model import Capture
from airwire.runs.manifest import BoardEntry, Entry, Environment, LinkEntry, read_manifest
from airwire.runs.numbers import Whole, is_within_reach
from airwire.runs.stored import load_run
from airwire.values import setting_texts

EXPORT = "airwire.history/1"
FIGURE = "figure"
"""The metric that every row has: the median of latencies, or its rate."""
LATENCY = "ps"
_LATENCIES = ("p50", "p75", "p95", "p99", "mean", "max")
METRICS = (FIGURE, *_LATENCIES, "loss")
_RUN_JSON = "airwire.run/1"
_ENDS_OF_LINES = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


class FigureRecord(msgspec.Struct, frozen=True):
    """A figure of a row."""

    row: str
    metric: str
    value: float | None
    low: float | None
    """Both ends of the 95 % interval, where it is known."""
    high: float | None
    unit: str
    n: Whole | None
    target: str
    """``capture``, ``link``, ``board`` or ``address``."""
    firmware: str | None = None
    firmware_sha256: str | None = None
    settings: Mapping[str, str] = {}


class RunRecord(msgspec.Struct, frozen=True):
    """A run."""

    id: str
    suite: str | None
    seed: Whole | None
    started: str | None
    """When it was begun, where that is known."""
    host: str | None
    system: str | None
    airwire: str | None
    commit: str | None
    label: str | None
    source: str
    """The folder or file that it was read from."""
    figures: Sequence[FigureRecord] = ()


class _FigureJson(msgspec.Struct):
    """Of a board; a number beyond the reach of JSON's readers is refused as it is read."""

    unit: str
    value: float | None = None
    interval: tuple[float, float] | None = None
    n: Whole | None = None


class _BoardJson(msgspec.Struct):
    row: str
    figure: _FigureJson | None
    firmware: str | None
    firmware_sha256: str | None
    settings: dict[str, str]


class _RowJson(msgspec.Struct):
    suite: str | None
    row: str
    metric: str
    unit: str | None
    value: float | None


class _RunJson(msgspec.Struct):
    """What is read of ``airwire run --json``."""

    seed: Whole
    rows: list[_RowJson]
    boards: list[_BoardJson]


class Export(msgspec.Struct, frozen=True, tag_field="schema", tag=EXPORT):
    """A history as JSON."""

    runs: Sequence[RunRecord]


def read_runs(path: str | Path, *, commit: str | None = None, label: str | None = None) -> list[RunRecord]:
    """The runs that a run folder, the output of ``airwire run --json`` or an exported history holds.

    Raises ``AirwireError`` for anything else.
    """
    for name, text in (("commit", commit), ("label", label)):
        if text is not None and any(one in _ENDS_OF_LINES for one in text):
            raise _core.AirwireError(f"the {name} is {text!r:.80}, but it takes one line; leave line feeds out")
    path = Path(path)
    if path.is_dir():
        return [_of_folder(path, commit, label)]
    try:
        content = read_file(path)
    except OSError as error:
        raise _core.AirwireError(
            f"{path}: {error.strerror}; name a run folder, or a file of airwire run --json or history export"
        ) from None
    try:
        schema = msgspec.json.decode(content, type=dict[str, Any]).get("schema")
    except msgspec.MsgspecError:
        schema = None
    if schema == EXPORT:
        return _checked(path, _of_export(path, content, commit, label))
    if schema == _RUN_JSON:
        return _checked(path, [_of_json(path, content, commit, label)])
    raise _core.AirwireError(
        f"{path}: is no run: name a run folder, what airwire run --json printed, or what airwire history export wrote"
    )


def _checked(path: Path, runs: list[RunRecord]) -> list[RunRecord]:
    """The runs that a file holds, after a check that their figures can be: a loss of before may be below 0."""
    for figure in (figure for run in runs for figure in run.figures):
        numbers = [number for number in (figure.value, figure.low, figure.high) if number is not None]
        is_below = figure.metric != "loss" and figure.value is not None and figure.value < 0
        if is_below or not all(map(is_within_reach, numbers)):
            told = ", ".join(f"{number:g}" for number in numbers)
            raise _core.AirwireError(
                f"{path}: row {figure.row}: {figure.metric} is {told}, but no run has such a figure; print it anew"
            )
    return runs


def _of_folder(path: Path, commit: str | None, label: str | None) -> RunRecord:
    analysis = load_run(path, intervals=True, findings=False)
    entries = {entry.run: entry for entry in read_manifest(path)[1]}
    made = _environment(path)
    manifest = sha256(read_file(path / "manifest.json")).hexdigest()
    return RunRecord(
        id=manifest if made is None else made.run_id,
        suite=analysis.suite,
        seed=analysis.seed,
        started=None if made is None else made.started,
        host=None if made is None else made.host,
        system=None if made is None else f"{made.system} {made.machine}",
        airwire=None if made is None else made.airwire,
        commit=commit,
        label=label,
        source=str(path),
        figures=[figure for capture in analysis.captures for figure in _of_capture(capture, entries.get(capture.path))],
    )


def _environment(folder: Path) -> Environment | None:
    """What made a run; nothing where its folder does not say it."""
    try:
        return msgspec.json.decode(read_text(folder / "environment.json"), type=Environment)
    except (OSError, ValueError):
        return None


def _of_capture(capture: Capture, entry: Entry | None) -> Iterator[FigureRecord]:
    """All figures of a row; its manifest's entry knows its image and its settings."""
    firmware, settings = None, {}
    if isinstance(entry, BoardEntry):
        firmware, settings = entry.firmware, dict(entry.settings)
    elif isinstance(entry, LinkEntry):
        settings = setting_texts(entry.settings)

    def record(
        metric: str, value: float | None, unit: str, interval: tuple[float, float] | None = None
    ) -> FigureRecord:
        return FigureRecord(
            row=capture.path,
            metric=metric,
            value=value,
            low=interval[0] if interval else None,
            high=interval[1] if interval else None,
            unit=unit,
            n=capture.outcomes["paired"],
            target=capture.target.kind,
            firmware=None if firmware is None else firmware.name,
            firmware_sha256=None if firmware is None else firmware.sha256,
            settings=settings,
        )

    figure, latency = capture.target.figure, capture.latency_ps
    if figure is not None:
        yield record(FIGURE, figure.value, figure.unit, figure.interval)
    else:
        median = capture.median_interval
        interval = None if median is None else (median.low_ps, median.high_ps)
        yield record(FIGURE, latency["p50"] if latency else None, capture.target.unit, interval)
    for name in _LATENCIES if latency is not None else ():
        yield record(name, latency[name] if latency else None, LATENCY)
    if capture.messages:
        yield record("loss", capture.loss, "1")


def _of_json(path: Path, content: bytes, commit: str | None, label: str | None) -> RunRecord:
    """A run as ``airwire run --json`` prints it: it says neither host nor time."""
    try:
        told = msgspec.json.decode(content, type=_RunJson)
    except msgspec.MsgspecError as error:
        raise _core.AirwireError(
            f"{path}: says {_RUN_JSON} and is none ({error}); print it anew with airwire run --json"
        ) from None
    boards = {board.row: board for board in told.boards}
    figures = [_figure_of_json(row, boards.get(row.row)) for row in told.rows]
    suite = next((row.suite for row in told.rows), None)
    digest = sha256(content).hexdigest()
    return RunRecord(digest, suite, told.seed, None, None, None, None, commit, label, str(path), figures)


def _figure_of_json(row: _RowJson, board: _BoardJson | None) -> FigureRecord:
    metric, unit = row.metric.removeprefix("latency_"), row.unit or "1"
    if board is None:
        own = FIGURE if metric == "p50" else metric
        return FigureRecord(row.row, own, row.value, None, None, unit, None, "link")
    figure = board.figure or _FigureJson(unit)
    low, high = figure.interval or (None, None)
    return FigureRecord(
        row.row, FIGURE, figure.value, low, high, figure.unit, figure.n,
        "board", board.firmware, board.firmware_sha256, board.settings,
    )  # fmt: skip


def _of_export(path: Path, content: bytes, commit: str | None, label: str | None) -> list[RunRecord]:
    try:
        runs = msgspec.json.decode(content, type=Export).runs
    except msgspec.MsgspecError as error:
        raise _core.AirwireError(f"{path}: is no history as airwire history export writes it ({error})") from None
    return [msgspec.structs.replace(run, commit=commit or run.commit, label=label or run.label) for run in runs]
