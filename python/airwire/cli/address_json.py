"""Rows of boards at addresses in JSON: in that of ``run``, and by themselves in that of ``probe`` and ``serve``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import msgspec

from airwire.address.row import AddressRow, OwnFloor
from airwire.board.row import Figure, LatencyFigures, SameBut
from airwire.bounds import Bound
from airwire.cli.json_object import Number, Output
from airwire.cli.output import whole
from airwire.cli.verdict_json import VerdictObject, verdict_objects
from airwire.explain.address.run import address_verdict, address_verdicts, own_packets
from airwire.kinds import ArrivalClock, Measure
from airwire.model import Analysis, Capture, CaptureFailure, rows_of_addresses
from airwire.runs.manifest import PublishedEntry

if TYPE_CHECKING:
    from airwire._core import RawPackets


class AddressObject(msgspec.Struct):
    """A row that measured a board at an address."""

    row: str
    title: str
    address: str
    resolved: str | None
    traffic: str
    measure: Measure
    figure: Figure | None
    latency: LatencyFigures | None
    latency_ps: Mapping[str, Number] | None
    outcomes: Mapping[str, int]
    published: PublishedEntry | None
    same_but: SameBut | None
    end_ps: int
    ended: str
    problem: str | None
    counts: Mapping[str, int]
    arrival_clock: ArrivalClock
    floor: OwnFloor | None
    verdict: str
    verdicts: Sequence[VerdictObject]


class ProbeOutput(Output, tag="airwire.probe/1"):
    """A board at an address, measured."""

    command: ClassVar[str] = "probe"
    run: str | None
    interrupted: bool
    target: AddressObject | None
    """``None`` where nothing was begun."""
    bounds: Sequence[Bound]
    errors: Sequence[CaptureFailure]


class ServeOutput(ProbeOutput, tag="airwire.serve/1"):
    """A board that called this computer, measured."""

    command: ClassVar[str] = "serve"


def address_output(analysis: Analysis, kind: type[ProbeOutput]) -> ProbeOutput:
    """The output of ``probe`` or ``serve``."""
    rows = rows_of_addresses(analysis)
    return kind(
        run=analysis.run_folder,
        interrupted=analysis.interrupted,
        target=address_object(rows[0], own_packets(analysis, rows[0])) if rows else None,
        bounds=rows[0].bounds if rows else (),
        errors=analysis.errors,
    )


def address_object(row: Capture[AddressRow], packets: RawPackets | None = None) -> AddressObject:
    """A row of a board at an address as JSON has it."""
    target, verdict = row.target, address_verdict(row, packets)
    latency = row.latency_ps
    return AddressObject(
        row=row.path,
        title=target.title,
        address=target.address,
        resolved=target.resolved,
        traffic=target.traffic,
        measure=target.measure,
        figure=target.figure,
        latency=target.latency,
        latency_ps=None if latency is None else {name: whole(value) for name, value in latency.items()},
        outcomes=row.outcomes,
        published=None if target.published is None else PublishedEntry.of(target.published),
        same_but=target.same_but,
        end_ps=target.end_ps,
        ended=target.ended,
        problem=target.problem,
        counts=target.counts,
        arrival_clock=target.arrival_clock,
        floor=target.floor,
        verdict=verdict.text,
        verdicts=verdict_objects(verdict, address_verdicts(row, packets)),
    )
