"""Entries of a manifest as what was measured: a capture file, a link or a board."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airwire.board.row import BoardRow, Peer
from airwire.link.catalogue import links
from airwire.link.model import LinkRow
from airwire.model import CaptureFile
from airwire.runs.manifest import BoardEntry, Entry, LinkEntry, PeerEntry
from airwire.values import setting_texts

if TYPE_CHECKING:
    import polars as pl


def target_of(entry: Entry, load_spans: Callable[[], pl.DataFrame]) -> CaptureFile | LinkRow | BoardRow:
    """What an entry is about; ``load_spans`` gives its spans when they are first asked for."""
    match entry:
        case LinkEntry():
            return _link(entry, load_spans)
        case BoardEntry():
            return board_of(entry, load_spans)
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
    )


def board_of(entry: BoardEntry, load_spans: Callable[[], pl.DataFrame]) -> BoardRow:
    """A row of a board."""
    return BoardRow(
        title=entry.title,
        board=entry.board,
        firmware=entry.firmware.name,
        firmware_sha256=entry.firmware.sha256,
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
    )


def _peer(entry: PeerEntry) -> Peer:
    return Peer(
        board=entry.board,
        firmware=entry.firmware.name,
        firmware_sha256=entry.firmware.sha256,
        settings=entry.settings,
        ended=entry.ended,
        counts=entry.counts,
        evidence=entry.evidence or {},
    )
