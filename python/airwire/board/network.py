"""What is at the other end of a board's Ethernet: results of clients and servers, and what network files say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from airwire import _core
from airwire.board.model import Counter, Latency, NetworkEntry, NetworkReference, TrafficKind, TrafficResult

__all__ = [
    "Counter",
    "Latency",
    "NetworkEntry",
    "NetworkReference",
    "Traffic",
    "TrafficKind",
    "TrafficResult",
    "network_reference",
    "network_schema",
]


class Traffic(Mapping[str, TrafficResult]):
    """What clients measured so far, and what the servers that anybody spoke to counted, by name."""

    def __init__(self, core: _core.Board) -> None:
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
        }
    )
