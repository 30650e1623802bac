"""Causes that a recording of the packets proves: what ended each silence of a connection, in words.

The recording is made at this computer, so that a silence holds the way to the board and back as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from airwire.address.row import AddressRow
from airwire.explain.address.gain import gain_without
from airwire.explain.address.timing import CONNECTION, NAGLE, PIECES, RETRANSMISSION
from airwire.explain.quantities import count, percent, rough_time
from airwire.explain.verdict import Gain, Verdict
from airwire.model import Capture

if TYPE_CHECKING:
    from airwire._core import RawPackets, RawWaits
    from airwire.kinds import PacketCause, PacketSide

DELAYED = "delayed_acknowledgement"
WINDOW = "window"
ONE_AT_A_TIME = "one_at_a_time"

DECIDED = frozenset({NAGLE, PIECES, RETRANSMISSION, CONNECTION})
"""Kinds that packets decide: where there are packets, the samples' word for them does not count."""

_LEAST_SHARE = 0.1
# A connection that carried less was hardly a transfer.
_TRANSFER_BYTES = 20_000
_BLOCKED = 0.3
# One time-out is this many times the one before it.
_DOUBLED = (1.6, 2.4)
_END: Mapping[PacketSide, str] = {"client": "this computer", "peer": "the board"}
_OTHER: Mapping[PacketSide, PacketSide] = {"client": "peer", "peer": "client"}
_PLACE: Mapping[PacketSide, int] = {"client": 0, "peer": 1}


def packet_verdicts(packets: RawPackets, row: Capture[AddressRow]) -> list[Verdict]:
    """A verdict for each cause that takes a tenth of the time in which connections were busy, the largest first."""
    found = [verdict for waits in packets["waits"] for verdict in _of_waits(waits, packets, row)]
    if not any(verdict.kind == WINDOW for verdict in found):
        found.extend(_blocked(packets))
    return sorted(found, key=lambda verdict: -verdict.share)


def packet_facts(packets: RawPackets) -> Iterator[str]:
    """Sentences on what was recorded, and on the time that is the board's own."""
    connections = count(packets["connections"], "connection")
    yield f"The recording has {count(packets['segments'], 'TCP segment')} of {connections}."
    for waits in packets["waits"]:
        if waits["cause"] == "answer" and waits["share"] >= _LEAST_SHARE:
            typical = rough_time(median(waits["lengths_ps"]))
            yield (
                f"In {percent(waits['share'])} of the time the board had the whole request and had not answered, "
                f"{typical} each: that is its own, and no fault of TCP."
            )


def _of_waits(waits: RawWaits, packets: RawPackets, row: Capture[AddressRow]) -> Iterator[Verdict]:
    said = _WORDS.get(waits["cause"])
    if said is not None and waits["share"] >= _LEAST_SHARE:
        yield said(waits, packets, row)


def _nagle(waits: RawWaits, packets: RawPackets, row: Capture[AddressRow]) -> Verdict:
    sender, receiver = _END[waits["side"]], _END[_OTHER[waits["side"]]]
    delay = _without_way(waits, packets)
    details = [
        f"{_times(waits)} {sender} had less than a segment to send, and sent it when {receiver} acknowledged what "
        f"was under way, {delay} later."
    ]
    gain = gain_without(row, waits["share"], of_all=True)
    if waits["side"] == "peer":
        cause = (
            f"waits for a delayed acknowledgement of {delay}, since the board holds its rest back (Nagle's algorithm)"
        )
        change = "write the answer at once, or set TCP_NODELAY on the board"
        return Verdict(waits["share"], cause, NAGLE, change, gain, details)
    cause = f"waits for the board's delayed acknowledgement of {delay}, since this computer holds its rest back"
    return Verdict(waits["share"], cause, DELAYED, "set TCP_NODELAY here (no_delay=true)", gain, details)


def _one_at_a_time(waits: RawWaits, packets: RawPackets, row: Capture[AddressRow]) -> Verdict:
    sender, receiver = _END[waits["side"]], _END[_OTHER[waits["side"]]]
    delay = _without_way(waits, packets)
    details = [
        f"{_times(waits)} {sender} sent on as soon as {receiver} acknowledged, {delay} later, although "
        "there was room for more."
    ]
    cause = f"waits for {receiver}'s delayed acknowledgement of {delay}, since {sender} sends so little at a time"
    change = f"give {sender} room to send two segments and more"
    return Verdict(
        waits["share"], cause, ONE_AT_A_TIME, change, gain_without(row, waits["share"], of_all=True), details
    )


def _window(waits: RawWaits, packets: RawPackets, row: Capture[AddressRow]) -> Verdict:
    typical = rough_time(median(waits["lengths_ps"]))
    detail = f"{_times(waits)} {_END[waits['side']]} waited for room, {typical} each."
    gain = gain_without(row, waits["share"], of_all=True)
    return _window_verdict(waits["share"], waits["side"], packets, [detail], gain=gain)


def _blocked(packets: RawPackets) -> Iterator[Verdict]:
    sides: tuple[PacketSide, ...] = ("client", "peer")
    for side in sides:
        share, sent = packets["blocked_share"][_PLACE[side]], packets["sent_bytes"][_PLACE[side]]
        if share >= _BLOCKED and sent >= _TRANSFER_BYTES:
            detail = f"{_END[side].capitalize()} could send no whole segment in that time, round trip after round trip."
            yield _window_verdict(share, side, packets, [detail])


def _window_verdict(
    share: float, side: PacketSide, packets: RawPackets, details: list[str], *, gain: Gain | None = None
) -> Verdict:
    receiver = _END[_OTHER[side]]
    least, most = packets["window"][_PLACE[_OTHER[side]]]
    offered = f"{most} bytes at most" if least == most else f"{least} to {most} bytes"
    cause = f"waits for {receiver}'s window, {offered}"
    change = f"give {receiver} a larger receive buffer, or let it read sooner"
    return Verdict(share, cause, WINDOW, change, gain, details)


def _retransmission(waits: RawWaits, _packets: RawPackets, row: Capture[AddressRow]) -> Verdict:
    lengths = waits["lengths_ps"]
    ratios = [after / before for before, after in pairwise(lengths)]
    doubled = sum(_DOUBLED[0] <= ratio <= _DOUBLED[1] for ratio in ratios)
    details = [f"{_times(waits)} {_END[waits['side']]} sent the same bytes again, after {rough_time(median(lengths))}."]
    if doubled:
        details.append(f"{count(doubled, 'time')} a time-out was twice the one before it.")
    shortest = rough_time(min(lengths))
    cause = f"waits for {_END[waits['side']]}'s retransmission time-outs, {shortest} and more"
    change = "look for what loses packets: signal, cable, receive buffers"
    gain = gain_without(row, waits["share"], of_all=True)
    return Verdict(waits["share"], cause, RETRANSMISSION, change, gain, details)


def _pause(waits: RawWaits, _packets: RawPackets, row: Capture[AddressRow]) -> Verdict:
    typical = rough_time(median(waits["lengths_ps"]))
    details = [
        f"{_times(waits)} the board sent the rest of an answer {typical} after what came before, and waited for nobody."
    ]
    gain = gain_without(row, waits["share"], of_all=True)
    cause = f"waits for the rest of the answer, {typical} after its beginning"
    return Verdict(waits["share"], cause, PIECES, "write the answer in one piece", gain, details)


def _opening(waits: RawWaits, _packets: RawPackets, row: Capture[AddressRow]) -> Verdict:
    typical = rough_time(median(waits["lengths_ps"]))
    details = [f"{count(len(waits['lengths_ps']), 'connection')} took {typical} each to open."]
    change = "keep the connection open (HTTP/1.1 keep-alive)"
    gain = gain_without(row, waits["share"], of_all=True)
    return Verdict(waits["share"], f"opens a connection for each message, {typical}", CONNECTION, change, gain, details)


def _times(waits: RawWaits) -> str:
    return f"{count(len(waits['lengths_ps']), 'time')}"


def _without_way(waits: RawWaits, packets: RawPackets) -> str:
    return rough_time(max(0.0, median(waits["lengths_ps"]) - (packets["way_ps"] or 0)))


_WORDS: Mapping[PacketCause, Callable[[RawWaits, RawPackets, Capture[AddressRow]], Verdict]] = {
    "nagle": _nagle,
    "one_at_a_time": _one_at_a_time,
    "window": _window,
    "retransmission": _retransmission,
    "pause": _pause,
    "opening": _opening,
}
