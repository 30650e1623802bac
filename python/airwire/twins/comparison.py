"""The real board and its twin, run alike and subtracted: what board, chip and wire explain, what this computer and the
network add, and what nobody explains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from airwire import _core
from airwire.address.place import host_and_port
from airwire.address.row import AddressRow
from airwire.board.row import BoardRow
from airwire.diagnosis.answer import Answer, why
from airwire.explain.waterfall import board_waterfalls
from airwire.kinds import Adds, Cause
from airwire.model import Analysis, Capture
from airwire.runs.suite import default_folder, run_text
from airwire.twins.hypotheses import Suspect, is_of_pc, suspects
from airwire.twins.questions import REAL, REAL_PING, TWIN, TWIN_PING, Subject, both
from airwire.values import Settings, setting_texts

SAMPLES = 1000
TWIN_ERROR = 0.05
"""A twin is no nearer to a board than this share of what it says: what published figures were met within."""
_NOTHING_PS = 20e6
"""Less than this is not worth a search: a computer that is not in real time adds as much at any moment."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what the median message takes on the real board."""

    kind: Cause | Adds
    """What the twin spends it on, or who adds it."""
    ps: float


@dataclass(frozen=True, slots=True)
class Twin:
    """A real board beside its virtual twin."""

    image: str
    address: str
    analysis: Analysis
    """Both rows, and the pings of both."""
    virtual: Capture[BoardRow]
    real: Capture[AddressRow]
    parts: tuple[Part, ...]
    """What the median of the real board is made of: the twin's stages, this computer, the network."""
    open_ps: float
    """What is left of the real median: below 0 where the twin takes longer."""
    tolerance_ps: float
    """What may be left before the twin and the board disagree."""
    network_is_known: bool
    """Whether pings told how much the network adds; else what is left may be the network's."""
    suspects: tuple[Suspect, ...]
    """Settings with which the twin would take as long as the board does, the likeliest first."""

    @property
    def agrees(self) -> bool:
        """Whether the twin explains the board."""
        return abs(self.open_ps) <= self.tolerance_ps


def twin(
    image: str | Path,
    address: str,
    *,
    board: str | Path | None = None,
    symbols: str | Path | None = None,
    settings: Settings | None = None,
    samples: int = SAMPLES,
    seed: int = 1,
    out: str | Path | None = None,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[str], Any] = lambda _doing: None,
) -> Twin:
    """Run the same traffic against a board at an address and against its virtual twin, and subtract.

    ``address`` may have a port, which then stands for that of the image. Other arguments are those of
    :func:`airwire.why`. Where the two disagree, the twin is run with other settings, one at a time: those with which it
    behaves as the board does are :attr:`Twin.suspects`.

    Raises ``AirwireError`` where the image cannot be measured, or the board does not answer.
    """
    host_and_port(address)
    progress("Finding out what the image does")
    given = setting_texts(settings or {})
    answer = why(image, board=board, symbols=symbols, settings=given, seed=seed)
    subject = replace(_subject(image, answer, given, samples), symbols=None if symbols is None else Path(symbols))
    progress(f"Measuring {address} and its twin")
    text = both(subject, address, seed)
    analysis = run_text(Path("twin"), text, out=out or default_folder("twin"), environment=environment)
    rows: dict[str, Capture[Any]] = {row.path: row for row in analysis.captures}
    virtual, real = _rows(analysis, rows)
    network_ps = _network_ps(rows)
    parts, open_ps = _parts(virtual, real, network_ps)
    tolerance_ps = _tolerance_ps(virtual, real)
    found: tuple[Suspect, ...] = ()
    if abs(open_ps) > max(tolerance_ps, _NOTHING_PS):
        progress("The two disagree: trying other settings of the twin")
        found = suspects(subject, virtual, real, outside_ps=_outside_ps(real, network_ps), seed=seed)
    return Twin(
        str(image), address, analysis, virtual, real, parts, open_ps, tolerance_ps, network_ps is not None, found
    )


def _subject(image: str | Path, answer: Answer, settings: Mapping[str, str], samples: int) -> Subject:
    if answer.question is None or answer.board is None:
        raise _core.AirwireError(f"{image}: has no twin: {answer.reason}")
    question = answer.question
    if question.measure == "bulk":
        raise _core.AirwireError(f"{image}: moves as much as it can; a twin is of messages, so probe it for throughput")
    client = question.traffic[0] if question.traffic else question.of
    return Subject(Path(image), answer.board, settings, question.measure, client, bool(question.traffic), samples)


def _rows(analysis: Analysis, rows: Mapping[str, Capture[Any]]) -> tuple[Capture[BoardRow], Capture[AddressRow]]:
    if analysis.interrupted:
        raise KeyboardInterrupt
    if analysis.errors:
        raise _core.AirwireError(analysis.errors[0].message)
    for name in (TWIN, REAL):
        if rows[name].latency_ps is None:
            raise _core.AirwireError(f"{name}: nothing was measured: {rows[name].target.problem}")
    return rows[TWIN], rows[REAL]


def _network_ps(rows: Mapping[str, Capture[Any]]) -> float | None:
    """What the network adds: of a ping what neither the twin's board nor this computer takes."""
    virtual, real = rows.get(TWIN_PING), rows.get(REAL_PING)
    if virtual is None or real is None or virtual.latency_ps is None or real.latency_ps is None:
        return None
    return max(0.0, real.statistic("p50") - _floor_ps(real) - virtual.statistic("p50"))


def _floor_ps(real: Capture[AddressRow]) -> float:
    floor = real.target.floor
    return 0.0 if floor is None or floor.median_ps is None else floor.median_ps


def _outside_ps(real: Capture[AddressRow], network_ps: float | None) -> float:
    """What is not the board's of a message."""
    return _floor_ps(real) + (network_ps or 0.0)


def _parts(
    virtual: Capture[BoardRow], real: Capture[AddressRow], network_ps: float | None
) -> tuple[tuple[Part, ...], float]:
    """The twin's stages without those of its PC, this computer, and the network; and what is left."""
    stages = board_waterfalls(virtual, percentiles=(50,))[0].stages
    own: dict[Cause, float] = {}
    for stage in stages:
        if not is_of_pc(stage):
            own[stage.cause] = own.get(stage.cause, 0.0) + stage.ps
    found = [*(Part(cause, ps) for cause, ps in own.items()), Part("computer", _floor_ps(real))]
    if network_ps is not None:
        found.append(Part("network", network_ps))
    return tuple(found), real.statistic("p50") - sum(part.ps for part in found)


def _tolerance_ps(virtual: Capture[BoardRow], real: Capture[AddressRow]) -> float:
    """The twin's own error, and the uncertainty of the real median."""
    interval = real.median_interval
    spread = 0.0 if interval is None else (interval.high_ps - interval.low_ps) / 2
    floor = real.target.floor
    own = 0.0 if floor is None or floor.p99_ps is None else floor.p99_ps - _floor_ps(real)
    return TWIN_ERROR * virtual.statistic("p50") + spread + own
