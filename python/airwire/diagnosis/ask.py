"""The traffic that measures what an image does: the answer to its own servers, or the question to its clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from airwire.board.network import Service, TrafficResult
from airwire.diagnosis.discover import Discovery
from airwire.kinds import Measure, Speaks

# The PC's servers that take or give as much as they can.
_TRANSFERS = ("discard", "chargen", "bulk-server", "iperf-server", "iperf-udp-server", "iperf3-server")
# The port of iperf 2 unless it is told another (its manual page, option -p).
_IPERF_PORT = 5001


@dataclass(frozen=True, slots=True)
class Question:
    """What is measured of an image, as a suite has it."""

    measure: Measure
    traffic: Sequence[str]
    """Clients of the PC; none where the image itself is the client."""
    of: str
    """The client or the server whose messages count."""
    skip: int = 1
    """Messages at the beginning that do not count: the first often waits for an address or a connection."""


_CLIENTS: Mapping[Speaks, tuple[str, Measure]] = {
    "http": ("http kind=http to={host}:{port} requests=1000000", "requests"),
    "counter": ("pingpong kind=pingpong to={host}:{port} rounds=1000000", "messages"),
    "counter_lines": ("pingpong kind=pingpong to={host}:{port} rounds=1000000 newline=true", "messages"),
    # Text, since many an echo prints what it gets as that.
    "echo": ("pingpong kind=pingpong to={host}:{port} rounds=1000000 payload=text", "messages"),
    "source": ("bulk kind=bulk to={host}:{port} send=0B time=60s interval=20ms", "bulk"),
    "sink": ("bulk kind=bulk to={host}:{port} send=100MB interval=20ms", "bulk"),
}
"""The client for what a port speaks, the likeliest purpose of a board first."""
_DATAGRAM_CLIENTS: Mapping[Speaks, str] = {
    "echo": "udp kind=udp to={host}:{port} rounds=1000000",
    "counter": "udp kind=udp to={host}:{port} rounds=1000000 payload=counter answer=any",
    "text": "udp kind=udp to={host}:{port} rounds=1000000 answer=any",
}
"""The same of what a UDP port speaks, which is asked where no TCP port is."""
_PING = "ping kind=ping to={host} count=1000000 interval=20ms"
_MEASURES: Mapping[str, Measure] = {
    "http": "requests",
    "ping": "latency",
    "bulk": "bulk",
    "iperf": "bulk",
    "iperf-udp": "bulk",
    "iperf3": "bulk",
    "http-server": "requests",
    **dict.fromkeys(_TRANSFERS, "bulk"),
}
"""What is measured of the traffic that a user asks for; messages of all else."""


def question_for(found: Discovery) -> Question | None:
    """What to measure of an image: what it does of itself before what it answers; ``None`` where there is nothing."""
    if found.called:
        return _of_client(found.called[0])
    service = best_service(found.services)
    if service is not None:
        return _of_service(service, found.host)
    return Question("latency", (_PING.format(host=found.host),), "ping") if found.answers_ping else None


def question_of(traffic: Sequence[str], kind_of: Callable[[str], tuple[str, str]]) -> Question:
    """What is measured with traffic of a user's: its first client, of which ``kind_of`` gives name and kind."""
    name, kind = kind_of(traffic[0])
    measure = _MEASURES.get(kind, "messages")
    return Question(measure, traffic, name, skip=_skip(measure))


def is_iperf(service: Service) -> bool:
    """Whether a port is that of iperf 2, whose server says nothing of itself."""
    return service.speaks == "sink" and service.port == _IPERF_PORT


def best_service(services: Sequence[Service]) -> Service | None:
    """The open port that says most of a board, of those that anything can be asked: one of TCP before those of UDP."""
    ranks = {"tcp": list(_CLIENTS), "udp": list(_DATAGRAM_CLIENTS)}
    known = [service for service in services if service.speaks in ranks[service.over]]

    def rank(service: Service) -> tuple[bool, int, int]:
        return service.over == "udp", ranks[service.over].index(service.speaks), service.port

    return min(known, key=rank, default=None)


def _of_client(server: TrafficResult) -> Question:
    measure = _MEASURES.get(server.kind, "messages")
    return Question(measure, (), server.name, skip=_skip(measure))


def _skip(measure: Measure) -> int:
    return 0 if measure == "bulk" else 1


def _of_service(service: Service, host: str) -> Question:
    if service.over == "udp":
        line = _DATAGRAM_CLIENTS[service.speaks].format(host=host, port=service.port)
        return Question("messages", (line,), "udp", skip=_skip("messages"))
    client, measure = _CLIENTS[service.speaks]
    if is_iperf(service):
        client = "iperf kind=iperf to={host}:{port} time=60s interval=20ms"
    line = client.format(host=host, port=service.port)
    return Question(measure, (line,), line.partition(" ")[0], skip=_skip(measure))
