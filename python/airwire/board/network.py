"""What is at the other end of a board's Ethernet: results of clients and servers, and what network files say."""

from __future__ import annotations

import json
from collections import Counter as Counts
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airwire import _core
from airwire.kinds import Awaited, LossCause, Speaks, Transport


@dataclass(frozen=True)
class Counter:
    """Something that a client or a server counted."""

    name: str
    value: int
    unit: str


@dataclass(frozen=True)
class Latency:
    """From trigger to done, of the messages that were answered rightly: percentiles of type 7."""

    min_ps: int
    p50_ps: int
    p75_ps: int
    p90_ps: int
    p95_ps: int
    p99_ps: int
    max_ps: int


@dataclass(frozen=True)
class Service:
    """An open port of a board, what it speaks, and the first line of text that it sent."""

    over: Transport
    port: int
    speaks: Speaks
    first_line: str | None


@dataclass(frozen=True)
class Call:
    """Somebody whom a board called.

    ``asked`` counts segments that ask for a connection, or datagrams; ``answers`` how often the other end accepted, or
    sent a datagram.
    """

    over: Transport
    address: str
    port: int
    asked: int
    payload_bytes: int
    answers: int


@dataclass(frozen=True)
class NetworkState:
    """What a board is on its network: its address once it has one, its link, and whom it called since it is watched.

    ``address`` is that of IPv4, ``link_local`` the one of IPv6 that it speaks from, or has probed for.
    ``free_address`` is one of the network that nobody has, such as ``"192.168.1.2/24"``; ``None`` where the network
    file says that there is no PC.
    """

    address: str | None
    link_local: str | None
    has_link: bool
    free_address: str | None
    calls: list[Call]


@dataclass(frozen=True)
class LossMark:
    """A message that was lost, or a peer that was turned away."""

    at_ps: int
    index: int | None
    """Which message, counted from 0."""
    peer: str | None
    detail: str | None
    """What the PC or a library said."""


@dataclass(frozen=True)
class Loss:
    """All messages that were lost, or peers that were turned away, for one cause."""

    cause: LossCause
    count: int
    first: LossMark
    last: LossMark


@dataclass(frozen=True)
class TrafficResult:
    """What a client or a server at the other end of the board's wire measured and counted."""

    name: str
    kind: str
    client: bool
    done: bool
    summary: str
    failure: str | None
    counters: list[Counter]
    latency: Latency | None
    services: list[Service] = field(default_factory=list)
    """The open ports that a scan found."""
    losses: list[Loss] = field(default_factory=list)
    """Messages that were lost and peers that were turned away, by cause."""
    received: str | None = None
    """What a client was sent, or the last file that was stored, where that is kept: text with escapes."""
    waits_for: Awaited | None = None
    """What it waits for, where it has not begun."""


@dataclass(frozen=True)
class NetworkEntry:
    """A field of network files, an impairment, or an option of traffic; the default of what must be given is None."""

    name: str
    takes: str
    default: str | None
    help: str
    example: str
    table: str = ""


@dataclass(frozen=True)
class TrafficKind:
    """A kind of client or server."""

    name: str
    title: str
    serves: bool
    options: list[NetworkEntry]


@dataclass(frozen=True)
class NetworkReference:
    """Everything that network files may hold; ``common`` is what every client and server takes beside its options."""

    fields: list[NetworkEntry]
    wifi: list[NetworkEntry]
    pc_wifi: list[NetworkEntry]
    pc_station: list[NetworkEntry]
    access_points: list[NetworkEntry]
    impairments: list[NetworkEntry]
    common: list[NetworkEntry]
    kinds: list[TrafficKind]


class Traffic(Mapping[str, TrafficResult]):
    """What clients measured so far, and what the servers that anybody spoke to counted, by name."""

    def __init__(self, core: _core.Board | _core.SpiController) -> None:
        self._core = core

    def _results(self) -> dict[str, TrafficResult]:
        return {result.name: result for result in map(traffic_of, json.loads(self._core.outcome())["traffic"])}

    def __getitem__(self, name: str) -> TrafficResult:
        return self._results()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results())

    def __len__(self) -> int:
        return len(self._results())

    def samples(self, name: str) -> list[dict[str, Any]]:
        """The messages of a client, one row each: ``polars.DataFrame(board.traffic.samples("ping"))``.

        The columns are those of samples in a run folder: ``index``, ``trigger_ps``, ``connect_ps``, ``first_byte_ps``,
        ``done_ps``, ``latency_ps``, ``payload_bytes``, ``request_bytes``, ``response_bytes``, ``connection``,
        ``outcome``, ``status`` and ``error``. Raises ``AirwireError`` where nothing has that name.
        """
        rows: list[dict[str, Any]] = json.loads(self._core.traffic_samples(name))
        return rows

    def statuses(self, name: str) -> dict[int, int]:
        """How many answers of each HTTP status a client got; raises as :meth:`samples` does."""
        given = (row["status"] for row in self.samples(name))
        return dict(sorted(Counts(status for status in given if status is not None).items()))


def network_state_of(content: str) -> NetworkState:
    """A board on its network, out of JSON of the core."""
    raw = json.loads(content)
    return NetworkState(**{**raw, "calls": [Call(**call) for call in raw["calls"]]})


def network_schema() -> dict[str, Any]:
    """The JSON Schema of network files."""
    schema: dict[str, Any] = json.loads(_core.network_schema())
    return schema


def network_reference() -> NetworkReference:
    """Everything that network files may hold."""

    def entries(of: list[dict[str, Any]]) -> list[NetworkEntry]:
        return [NetworkEntry(**entry) for entry in of]

    content = json.loads(_core.network_reference())
    kinds = [TrafficKind(**{**kind, "options": entries(kind["options"])}) for kind in content.pop("kinds")]
    return NetworkReference(**{name: entries(of) for name, of in content.items()}, kinds=kinds)


def traffic_of(content: dict[str, Any]) -> TrafficResult:
    """The result of a client or a server, out of a report in JSON."""
    latency = content["latency"]
    return TrafficResult(
        **{
            **content,
            "counters": [Counter(**counter) for counter in content["counters"]],
            "latency": None if latency is None else Latency(**latency),
            "services": [Service(**service) for service in content["services"]],
            "losses": [_loss(loss) for loss in content["losses"]],
        }
    )


def _loss(content: dict[str, Any]) -> Loss:
    marks = {name: LossMark(**content[name]) for name in ("first", "last")}
    return Loss(cause=content["cause"], count=content["count"], **marks)
