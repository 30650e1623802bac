"""Rows that the core has measured, as captures, so that all that reads captures reads runs as well.

What the run folder holds is read from there, when it is first asked for.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from airwire import _core
from airwire.address.row import AddressRow
from airwire.board.row import BoardRow
from airwire.link.energy import Energy
from airwire.link.model import LinkRow, PublishedMedian
from airwire.model import Capture
from airwire.runs.findings import KNOWN, findings_of, intervals_of
from airwire.runs.folder import read_samples, read_spans
from airwire.runs.manifest import bounds_of, figure_entry
from airwire.runs.targets import figure_of
from airwire.stage import link_stage

if TYPE_CHECKING:
    import polars as pl

_Row = TypeVar("_Row", bound=LinkRow | BoardRow | AddressRow)


def link_row(raw: _core.RowResult, folder: Path | None) -> Capture[LinkRow]:
    """A row of a link."""
    energy, every_ps = _energy(raw.energy)
    link = LinkRow(
        name=raw.link,
        title=raw.title,
        settings=raw.settings,
        trigger=raw.trigger,
        longest_queue=raw.longest_queue,
        budget=[link_stage(stage) for stage in raw.budget],
        load_spans=partial(_spans, raw, folder),
        published=None if raw.published is None else PublishedMedian(**raw.published),
        energy=energy,
        every_ps=every_ps,
    )
    return _measured(raw, folder, raw.entry, link, payload_bytes=raw.payload_bytes)


def _energy(raw: _core.RowEnergy | None) -> tuple[Energy | None, int | None]:
    """The energy of a row, and how far apart its messages were."""
    if raw is None:
        return None, None
    return Energy(raw["chip"], raw["message_j"], raw["between_a"], raw["supply_volts"]), raw["every_ps"]


def figure_row(raw: _core.FigureRowResult, folder: Path | None) -> Capture[BoardRow | AddressRow]:
    """A row of a board, virtual or real."""
    entry = figure_entry(raw.entry())
    return _measured(raw, folder, entry.variant, figure_of(entry, partial(_spans, raw, folder)))


def _measured(
    raw: _core.RawRow, folder: Path | None, group: str, target: _Row, *, payload_bytes: int | None = None
) -> Capture[_Row]:
    findings = findings_of(raw.findings, KNOWN, target, raw.latency["p50"] if raw.latency else None)
    median, upper_quartile = intervals_of(raw.intervals, findings)
    outcomes = raw.outcomes
    return Capture(
        path=raw.run,
        group=group,
        payload_bytes=payload_bytes,
        triggers=sum(outcomes[name] for name in ("paired", "missed", "glitch", "overlapped")),
        outcomes=outcomes,
        latency_ps=raw.latency,
        median_interval=median,
        upper_quartile_interval=upper_quartile,
        findings=findings,
        load_samples=partial(_samples, raw, folder),
        target=target,
        unfinished=raw.unfinished,
        bounds=bounds_of(raw.bounds),
    )


def _samples(raw: _core.RawRow, folder: Path | None) -> pl.DataFrame:
    if folder is not None:
        return read_samples(folder, raw.run)
    import polars as pl

    return pl.DataFrame(raw.samples())


def _spans(raw: _core.RawRow, folder: Path | None) -> pl.DataFrame:
    if folder is not None:
        return read_spans(folder, raw.run)
    import polars as pl

    return pl.DataFrame(raw.spans())
