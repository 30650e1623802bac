"""What bounds a bulk transfer, and the change to make.

Something is under way all the time in one, so that the share of the time with a frame on the wire is no cause. The
stages of such a row are what the board does, and while it waits what for; the figures behind them say how much a window
or the bus can carry at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airwire.board.row import BoardRow, Bulk
from airwire.explain.board.cause import NamedCause, sum_ps
from airwire.explain.board.causes import Evidence, causes, is_moved, is_slow, limit_of_sck, megahertz
from airwire.explain.board.figures import number, quantity
from airwire.explain.quantities import count, percent, rough_time
from airwire.explain.words import under_way_of
from airwire.kinds import Cause, Subject
from airwire.stage import Stage

# Of these it is said what bounds them, apart from what is said of messages.
_OWN: tuple[Cause, ...] = ("window", "wire", "pc")
_PS_PER_S = 1e12
_BITS_PER_BYTE = 8
# What fits a frame of Ethernet (RFC 879: 1500 bytes without 20 of IPv4 and 20 of TCP).
_FULL_SEGMENT_BYTES = 1460
_FULL_CABLE = 0.9
# Below this share of payload the rest of what SPI moves is worth a word.
_MOSTLY_PAYLOAD = 0.9
_SHARES_OF_THE_PC = {
    "congestion_window": "the PC's congestion window",
    "send_buffer": "the PC's send buffer",
    "application": "the PC's program",
}


def bulk_causes(stages: Sequence[Stage], evidence: Evidence, bulk: Bulk) -> list[NamedCause]:
    """Every cause that the stages of a bulk transfer show, the largest first."""
    total = sum_ps(stages)
    others = [stage for stage in stages if stage.cause not in _OWN and not is_moved(stage)]
    found = [
        *_window(stages, bulk),
        *_awaited(stages, bulk),
        *_bus(stages, evidence, bulk),
        *_wire(stages, evidence, bulk),
        *_pc(stages, bulk),
        # Between polls the board works, so that the time between two of them is no period.
        *causes(others, {**evidence, "poll_period_ps": None}, amount=lambda ps: f"{percent(ps / total)} of the time"),
    ]
    return sorted((cause for cause in found if cause.ps > 0), key=lambda cause: -cause.ps)


def ceiling_sentence(board: BoardRow) -> str | None:
    """``SPI ceiling 25.4 Mbit/s (SCK 33.3 MHz, 1.31 bytes over SPI for each of payload).``, behind a chip on SPI."""
    bulk, sck = board.bulk, board.evidence.get("sck_hz")
    if bulk is None or sck is None or bulk.bus_ceiling_bits_per_second is None:
        return None
    ceiling, each = bulk.bus_ceiling_bits_per_second, bulk.bus_bytes_per_payload_byte or 0
    return (
        f"SPI ceiling {quantity(ceiling, 'bit/s')} (SCK {number(sck / 1e6, 3)} MHz, {number(each, 3)} bytes over SPI "
        "for each of payload)."
    )


def _window(stages: Sequence[Stage], bulk: Bulk) -> list[NamedCause]:
    full = _waits(stages, "window")
    if not full:
        return []
    whose = "the PC" if bulk.sender == "board" else "the board"
    size = "" if bulk.window_bytes is None else f" of {bulk.window_bytes} B"
    change, more = _larger_window(bulk)
    sentences = [*_bound(bulk.window_bytes, bulk), *more]
    found = _wait(f"{whose}'s window{size}", full, change, "receive_window", sentences)
    return [replace(found, helps_beyond=bulk.sender == "pc" and _has_short_segments(bulk))]


def _larger_window(bulk: Bulk) -> tuple[str, list[str]]:
    """What makes the window larger, in the imperative and in detail."""
    if bulk.sender == "board":
        return "raise the PC's receive buffer", []
    if bulk.stack == "chip":
        return "give the socket more receive memory", ["Sn_RXBUF_SIZE, or RMSR, divides the chip's memory."]
    if _has_short_segments(bulk):
        return f"raise TCP_WND, and TCP_MSS from {bulk.segment_bytes}", [
            "Where TCP_WND counts segments, a longer TCP_MSS makes it larger; it also takes less time for each byte."
        ]
    return "raise TCP_WND", []


def _has_short_segments(bulk: Bulk) -> bool:
    """Whether segments are the firmware's to make longer."""
    return bulk.stack != "chip" and bulk.segment_bytes is not None and bulk.segment_bytes < _FULL_SEGMENT_BYTES


def _awaited(stages: Sequence[Stage], bulk: Bulk) -> list[NamedCause]:
    awaited = _waits(stages, "acknowledgement")
    if not awaited:
        return []
    size = "" if bulk.under_way_bytes is None else f" with {bulk.under_way_bytes} B under way"
    change, more = (
        ("give the socket more send memory", "Sn_TXBUF_SIZE, or TMSR, divides the chip's memory.")
        if bulk.stack == "chip"
        else ("raise TCP_SND_BUF", "The segments go with it: TCP_SND_QUEUELEN and MEMP_NUM_TCP_SEG.")
    )
    sentences = [*_bound(bulk.under_way_bytes, bulk), more]
    return [_wait(f"acknowledgements{size}", awaited, change, "send_buffer", sentences)]


def _wait(name: str, waits: Sequence[Stage], change: str, kind: str, sentences: Sequence[str]) -> NamedCause:
    """A wait that a larger window or buffer saves, or a shorter way."""
    ps = sum_ps(waits)
    largest = max(waits, key=lambda stage: stage.ps)
    shorter = f"A shorter round trip helps too: {percent(largest.ps / ps)} of the wait is {under_way_of(largest)}."
    return NamedCause(name, ps, change, kind, "waits for", (*sentences, shorter), removable_ps=ps)


def _bound(size_bytes: int | None, bulk: Bulk) -> list[str]:
    """What a window carries at most: ``2144 B a round trip of 1.19 ms are at most 14.4 Mbit/s.``"""
    if size_bytes is None or not bulk.round_trip_ps:
        return []
    most = size_bytes * _BITS_PER_BYTE * _PS_PER_S / bulk.round_trip_ps
    return [f"{size_bytes} B a round trip of {rough_time(bulk.round_trip_ps)} are at most {quantity(most, 'bit/s')}."]


def _waits(stages: Sequence[Stage], subject: Subject) -> list[Stage]:
    return [stage for stage in stages if stage.cause == "window" and stage.subject == subject]


def _bus(stages: Sequence[Stage], evidence: Evidence, bulk: Bulk) -> list[NamedCause]:
    moved = [stage for stage in stages if is_moved(stage)]
    sck, highest, each = evidence.get("sck_hz"), evidence.get("highest_sck_hz"), bulk.bus_bytes_per_payload_byte
    if not moved or not sck or not each:
        return []
    ps, name = sum_ps(moved), f"SPI at {megahertz(sck)}"
    if highest and is_slow(sck, highest):
        ceiling = quantity(highest / each, "bit/s")
        sentence = (
            f"{limit_of_sck(evidence).capitalize()} {megahertz(highest)}, at which SPI carries at most {ceiling}."
        )
        change, saved = f"raise SCK to {megahertz(highest)}", ps * (1 - sck / highest)
        return [NamedCause(name, ps, change, "bus", evidence=(sentence,), removable_ps=saved)]
    sentences = [f"SCK is as fast as {limit_of_sck(evidence)}, and {percent(1 / each)} of what it moves is payload."]
    beside = [stage for stage in moved if stage.subject != "payload"]
    change = "SCK is at its highest"
    if 1 / each < _MOSTLY_PAYLOAD and beside:
        change = "move less beside the payload"
        sentences.append(f"The most beside it is {max(beside, key=lambda stage: stage.ps).name}.")
    return [NamedCause(name, ps, change, "bus", evidence=sentences)]


def _wire(stages: Sequence[Stage], evidence: Evidence, bulk: Bulk) -> list[NamedCause]:
    wire = sum_ps([stage for stage in stages if stage.cause == "wire"])
    if not wire:
        return []
    speed = evidence.get("cable_bits_per_second")
    if max(bulk.cable_share, wire / sum_ps(stages)) >= _FULL_CABLE:
        rate = f" of {quantity(speed, 'bit/s')}" if speed else ""
        pace = ("The network sets the pace.",)
        return [NamedCause(f"the full cable{rate}", wire, "use a faster one", "wire", evidence=pace)]
    used = f"Data is on the cable for {percent(bulk.cable_share)} of all time."
    change = "let the board prepare the next frame meanwhile" if bulk.sender == "board" else "let more be under way"
    sentences = (used,) if bulk.sender == "board" else (used, "More in the window gives the board work meanwhile.")
    return [NamedCause("frames on the wire while the board waits", wire, change, "wire", evidence=sentences)]


def _pc(stages: Sequence[Stage], bulk: Bulk) -> list[NamedCause]:
    thinking = sum_ps([stage for stage in stages if stage.cause == "pc"])
    if not thinking:
        return []
    shares = {name: (bulk.limits or {}).get(name, 0.0) for name in _SHARES_OF_THE_PC}
    largest = max(shares, key=lambda name: shares[name])
    if shares[largest] == 0:
        sentences = ("The board waits for its other end.",)
        return [NamedCause("the PC, which could send", thinking, "find out what the PC does", "pc", evidence=sentences)]
    change, sentence = {
        "congestion_window": (
            "find out why segments are lost",
            f"{count(bulk.repeated_segments, 'segment')} had to be sent again.",
        ),
        "send_buffer": ("raise it", "Then more can be under way."),
        "application": ("nothing at the board changes that", "It has nothing to send; the board would take more."),
    }[largest]
    kind = largest if largest == "congestion_window" else "pc"
    return [NamedCause(_SHARES_OF_THE_PC[largest], thinking, change, kind, evidence=(sentence,))]
