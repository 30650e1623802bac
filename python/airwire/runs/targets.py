"""Entries of a manifest as what was measured: a capture file, a link, a virtual board, or one at an address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airwire.address.row import AddressRow
from airwire.board.row import BoardRow, Peer
from airwire.link.catalogue import links
from airwire.link.model import LinkRow
from airwire.model import CaptureFile
from airwire.runs.manifest import AddressEntry, BoardEntry, Entry, LinkEntry, PeerEntry
from airwire.values import setting_texts

if TYPE_CHECKING:
    import polars as pl


def target_of(entry: Entry, load_spans: Callable[[], pl.DataFrame]) -> CaptureFile | LinkRow | BoardRow | AddressRow:
    """What an entry is about; ``load_spans`` gives its spans when they are first asked for."""
    match entry:
        case LinkEntry():
            return _link(entry, load_spans)
        case BoardEntry() | AddressEntry():
            return figure_of(entry, load_spans)
        case _:
            return CaptureFile()


def _link(entry: LinkEntry, load_spans: Callable[[], pl.DataFrame]) -> LinkRow:
    titles = {link.name: link.title for link in links()}
    return LinkRow(
        name=entry.link,
        title=titles.get(entry.link, entry.link),
        settings=setting_texts(entry.settings),
        trigger=entry.trigger,
        longest_queue=entry.longest_queue,
        budget=[one.stage for one in entry.budget],
        load_spans=load_spans,
        published=entry.published,
        energy=None if entry.energy is None else entry.energy.energy,
        every_ps=None if entry.energy is None else entry.energy.every_ps,
    )


def figure_of(entry: BoardEntry | AddressEntry, load_spans: Callable[[], pl.DataFrame]) -> BoardRow | AddressRow:
    """A row that has a figure: of a virtual board, or of one at an address."""
    return _board(entry, load_spans) if isinstance(entry, BoardEntry) else _address(entry, load_spans)


def _address(entry: AddressEntry, load_spans: Callable[[], pl.DataFrame]) -> AddressRow:
    return AddressRow(
        title=entry.title,
        address=entry.address,
        resolved=entry.resolved,
        traffic=entry.traffic,
        measure=entry.measure,
        figure=entry.figure,
        published=None if entry.published is None else entry.published.published,
        same_but=entry.same_but,
        skip=entry.skip,
        end_ps=entry.end_ps,
        ended=entry.ended,
        problem=entry.problem,
        arrival_clock=entry.arrival_clock,
        floor=entry.floor,
        counts=entry.counts,
        load_spans=load_spans,
        latency=entry.latency,
    )


def _board(entry: BoardEntry, load_spans: Callable[[], pl.DataFrame]) -> BoardRow:
    return BoardRow(
        title=entry.title,
        board=entry.board,
        firmware=entry.firmware.name,
        firmware_sha256=entry.firmware.sha256,
        flash_bytes=entry.firmware.flash_bytes,
        ram_bytes=entry.firmware.ram_bytes,
        settings=entry.settings,
        network=entry.network,
        traffic=entry.traffic,
        of=entry.of,
        measure=entry.measure,
        figure=entry.figure,
        published=None if entry.published is None else entry.published.published,
        same_but=entry.same_but,
        skip=entry.skip,
        end_ps=entry.end_ps,
        ended=entry.ended,
        problem=entry.problem,
        counts=entry.counts,
        evidence=entry.evidence or {},
        notes=entry.notes,
        load_spans=load_spans,
        latency=entry.latency,
        bulk=entry.bulk,
        peer=None if entry.peer is None else _peer(entry.peer),
        lines=entry.lines,
        trigger=entry.trigger,
        energy=entry.energy,
    )


def _peer(entry: PeerEntry) -> Peer:
    return Peer(
        board=entry.board,
        firmware=entry.firmware.name,
        firmware_sha256=entry.firmware.sha256,
        flash_bytes=entry.firmware.flash_bytes,
        ram_bytes=entry.firmware.ram_bytes,
        settings=entry.settings,
        ended=entry.ended,
        counts=entry.counts,
        evidence=entry.evidence or {},
    )
