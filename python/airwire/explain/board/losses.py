"""Messages that a client lost and peers that a server turned away, in sentences; and what a client still waits for."""

from __future__ import annotations

from collections.abc import Iterable

from airwire.board.network import Loss, LossMark, TrafficResult
from airwire.kinds import Awaited, LossCause
from airwire.values import format_time

_LOST: dict[LossCause, str] = {
    "timed_out": "not answered in time",
    "late": "answered too late",
    "wrong": "answered wrongly",
    "reset": "ended by the connection",
    "no_room": "dropped, as too many waited already",
    "unacknowledged": "never acknowledged",
    "missing": "sent and not received",
}
_TURNED_AWAY: dict[LossCause, str] = {
    "too_many_connections": "there were as many connections as it takes",
    "busy": "it was at work for another client",
    "protocol_version": "it does not speak that version of the protocol",
    "identifier": "the client has no name under which it could be remembered",
    "too_many_sessions": "there were as many sessions as it keeps",
    "credentials": "user or password is another than its own",
    "malformed": "what came is not the protocol",
    "silent": "nothing came for too long",
    "stalled": "the client did not take what it had asked for",
    "unsupported": "it does not answer requests of that kind",
    "no_file": "it has no file of that name",
    "no_address": "every address of its pool is taken",
    "tls": "TLS could not be agreed on, or broke",
}
_WAITS: dict[Awaited, str] = {
    "start": "its time has not come",
    "link": "the board has no link yet",
    "address": "the board has not said its address; name it in place of board",
    "ipv6-address": "the board has said nothing over IPv6; take an image that speaks it, or go to board over IPv4",
    "settling": "the board has had its address for less than 100 ms",
    "pc-address": "the PC has no address in the board's own network",
}


def losses(results: Iterable[TrafficResult]) -> list[str]:
    """A sentence for each cause for which a client lost messages, or a server turned somebody away."""
    return [_sentence(result, loss) for result in results for loss in result.losses]


def waiting(awaited: Awaited) -> str:
    """Why a client has not begun."""
    return f"has not begun: {_WAITS[awaited]}"


def _sentence(result: TrafficResult, loss: Loss) -> str:
    if loss.cause in _LOST:
        unit = next((counter.unit for counter in result.counters if counter.name == "lost"), "messages")
        what = f"{result.name}: {loss.count} {unit} {_LOST[loss.cause]}"
    else:
        times = "once" if loss.count == 1 else f"{loss.count} times"
        what = f"{result.name} turned a client away {times}: {_TURNED_AWAY[loss.cause]}"
    first, last = _mark(loss.first), _mark(loss.last)
    when = f"{first}" if first == last else f"from {first} to {last}"
    detail = "" if loss.first.detail is None else f": {loss.first.detail}"
    return f"{what} ({when}){detail}"


def _mark(mark: LossMark) -> str:
    which = [] if mark.index is None else [f"number {mark.index + 1}"]
    which += [] if mark.peer is None else [mark.peer]
    return " ".join([*which, f"at {format_time(mark.at_ps)}"])
