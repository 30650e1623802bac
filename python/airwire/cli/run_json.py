"""The JSON of ``run``: one row per figure, and each row of a board as its manifest has it, with verdict and causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from airwire.address.row import AddressRow
from airwire.board.energy import BoardEnergy
from airwire.board.row import BoardRow, Bulk, Figure, LatencyFigures, Peer, SameBut
from airwire.bounds import Bound
from airwire.cli.address_json import AddressObject, address_object
from airwire.cli.json_object import Number, Output
from airwire.cli.output import whole
from airwire.cli.verdict_json import VerdictObject, verdict_objects
from airwire.explain.board.floor import floor_of
from airwire.explain.board.run import board_causes, board_verdict, board_verdicts
from airwire.explain.bounds import bound_text, bounds_of, broken_sentence
from airwire.explain.link.published import ratio
from airwire.explain.link.run import link_verdict, overload_sentence
from airwire.explain.verdicts import verdict_of
from airwire.kinds import Measure, Relation
from airwire.link.model import LinkRow
from airwire.model import (
    Analysis,
    Capture,
    CaptureFailure,
    rows_of_addresses,
    rows_of_boards,
    rows_of_links,
    rows_with_figures,
)
from airwire.runs.manifest import PublishedEntry

_LATENCIES = ("p50", "p75", "p95", "p99", "mean")
_PUBLISHED_METRIC = "latency_p50"


class FigureObject(msgspec.Struct):
    """A figure of a row, beside what was published of it."""

    suite: str | None
    row: str
    metric: str
    unit: str | None
    value: Number | None
    published: Number | None = None
    published_source: str | None = None
    published_note: str | None = None
    ratio: float | None = None
    verdict: str | None = None


class PeerObject(msgspec.Struct):
    """The board in the place of the PC."""

    board: str
    firmware: str
    firmware_sha256: str
    flash_bytes: int | None
    ram_bytes: int | None
    settings: Mapping[str, str]
    ended: str
    counts: Mapping[str, Number]


class CauseObject(msgspec.Struct):
    """What messages near the median spend their time on."""

    cause: str
    name: str
    ps: Number
    change: str


class FloorObject(msgspec.Struct):
    """What a message takes however good the firmware is."""

    bus_ps: Number
    chip_ps: Number
    wire_ps: Number
    pc_ps: Number
    message_ps: Number
    share: float


class BoardObject(msgspec.Struct):
    """A row that ran on a board."""

    row: str
    title: str
    board: str
    firmware: str
    firmware_sha256: str
    flash_bytes: int | None
    ram_bytes: int | None
    settings: Mapping[str, str]
    peer: PeerObject | None
    trigger: str | None
    measure: Measure
    figure: Figure | None
    latency: LatencyFigures | None
    published: PublishedEntry | None
    same_but: SameBut | None
    end_ps: int
    ended: str
    problem: str | None
    counts: Mapping[str, Number]
    notes: Sequence[str]
    verdict: str
    verdicts: Sequence[VerdictObject]
    causes: Sequence[CauseObject]
    floor: FloorObject | None
    bulk: Bulk | None
    energy: BoardEnergy | None


class WarningObject(msgspec.Struct):
    """That the messages of a row come faster than its link carries them."""

    row: str
    message: str


class BoundObject(msgspec.Struct):
    """What a figure of a row is to keep, and whether it does."""

    row: str
    quantity: str
    relation: Relation
    limit: Number
    unit: str
    measured: Number | None
    holds: bool
    sentence: str


class RunOutput(Output, tag="airwire.run/1"):
    """A suite, run."""

    command: ClassVar[str] = "run"
    run: str | None
    seed: int
    interrupted: bool
    rows: Sequence[FigureObject]
    boards: Sequence[BoardObject]
    addresses: Sequence[AddressObject]
    bounds: Sequence[BoundObject]
    warnings: Sequence[WarningObject]
    errors: Sequence[CaptureFailure]


def run_output(analysis: Analysis) -> RunOutput:
    """The object of ``airwire run``."""
    links, boards = rows_of_links(analysis), rows_of_boards(analysis)
    overloaded = [(row.path, overload_sentence(row)) for row in links]
    return RunOutput(
        run=analysis.run_folder,
        seed=analysis.seed,
        interrupted=analysis.interrupted,
        rows=[
            *(figure for row in links for figure in _figures(analysis.suite, row)),
            *(_board_figure(analysis.suite, row) for row in rows_with_figures(analysis)),
            *(_energy(analysis.suite, row) for row in boards if row.target.energy_j is not None),
        ],
        boards=[board_object(row) for row in boards],
        addresses=[address_object(row) for row in rows_of_addresses(analysis)],
        bounds=[_bound(row, bound) for row, bound in bounds_of(analysis)],
        warnings=[WarningObject(row, message) for row, message in overloaded if message],
        errors=analysis.errors,
    )


def _bound(row: Capture, bound: Bound) -> BoundObject:
    return BoundObject(
        row=row.path,
        quantity=bound.quantity,
        relation=bound.relation,
        limit=whole(bound.limit),
        unit=bound.unit,
        measured=None if bound.measured is None else whole(bound.measured),
        holds=bound.holds,
        sentence=f"{row.path}: {bound_text(bound)} holds" if bound.holds else broken_sentence(row, bound),
    )


def _figures(suite: str | None, row: Capture[LinkRow]) -> list[FigureObject]:
    """The figures of a row of a link; the median stands beside what others published."""
    latency = row.latency_ps
    found = [
        FigureObject(suite, row.path, f"latency_{name}", "ps", None if latency is None else whole(latency[name]))
        for name in _LATENCIES
    ]
    published = row.target.published
    for figure in found:
        if published is not None and figure.metric == _PUBLISHED_METRIC:
            figure.published = published.median_ps
            figure.published_source = published.source
            figure.published_note = published.note
            figure.ratio = ratio(row)
            figure.verdict = link_verdict(row).text
    lost = row.loss if row.messages else None
    found.append(FigureObject(suite, row.path, "loss", "1", lost))
    if row.target.energy_j is not None:
        found.append(FigureObject(suite, row.path, "energy", "J", row.target.energy_j))
    return found


def _energy(suite: str | None, row: Capture[BoardRow]) -> FigureObject:
    """What a message of a board takes of its supply."""
    return FigureObject(suite, row.path, "energy", "J", row.target.energy_j)


def _board_figure(suite: str | None, row: Capture[BoardRow | AddressRow]) -> FigureObject:
    """The figure of a row of a board, with what was published of it."""
    board = row.target
    figure, published = board.figure, board.published
    verdict = verdict_of(row)
    shown = FigureObject(suite, row.path, board.measure, None, None, verdict=verdict.text if verdict else None)
    if figure is not None:
        shown.unit, shown.value = figure.unit, whole(figure.value)
    if published is not None:
        shown.published_source, shown.published_note = published.source, published.note
        if published.compare == "absolute":
            shown.published = None if published.in_unit is None else whole(published.in_unit)
            shown.ratio = published.measured_share
    return shown


def board_object(row: Capture[BoardRow]) -> BoardObject:
    """A row of a board as JSON has it."""
    board, verdict = row.target, board_verdict(row)
    return BoardObject(
        row=row.path,
        title=board.title,
        board=board.board,
        firmware=board.firmware,
        firmware_sha256=board.firmware_sha256,
        flash_bytes=board.flash_bytes,
        ram_bytes=board.ram_bytes,
        settings=board.settings,
        peer=None if board.peer is None else _peer(board.peer),
        trigger=board.trigger,
        measure=board.measure,
        figure=board.figure,
        latency=board.latency,
        published=None if board.published is None else PublishedEntry.of(board.published),
        same_but=board.same_but,
        end_ps=board.end_ps,
        ended=board.ended,
        problem=board.problem,
        counts={name: whole(value) for name, value in board.counts.items()},
        notes=board.notes,
        verdict=verdict.text,
        verdicts=verdict_objects(verdict, board_verdicts(row)),
        causes=[CauseObject(cause.kind, cause.name, whole(cause.ps), cause.change) for cause in board_causes(row)],
        floor=_floor(row),
        bulk=board.bulk,
        energy=board.energy,
    )


def _peer(peer: Peer) -> PeerObject:
    return PeerObject(
        board=peer.board,
        firmware=peer.firmware,
        firmware_sha256=peer.firmware_sha256,
        flash_bytes=peer.flash_bytes,
        ram_bytes=peer.ram_bytes,
        settings=peer.settings,
        ended=peer.ended,
        counts={name: whole(value) for name, value in peer.counts.items()},
    )


def _floor(row: Capture[BoardRow]) -> FloorObject | None:
    found = floor_of(row)
    if found is None:
        return None
    return FloorObject(
        bus_ps=whole(found.bus_ps),
        chip_ps=whole(found.chip_ps),
        wire_ps=whole(found.wire_ps),
        pc_ps=whole(found.pc_ps),
        message_ps=whole(found.message_ps),
        share=round(found.share, 4),
    )
