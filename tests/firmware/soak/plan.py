"""What happens in a cycle: which clients begin when, what they carry, when the cable is pulled. A cycle is one minute of traffic
and then quiet; its plan follows from the seed and its number alone.

The minute has slots. In the first ones every transfer must succeed. The last one is rough: the cable is pulled there, or
clients reset their connections in the middle, and only clients of that slot may fail.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from random import Random

REPOSITORY = Path(__file__).resolve().parents[3]
SITE = REPOSITORY / "firmware" / "sites" / "demo"
ADDRESS = "192.168.1.50"
ECHO, SINK, SOURCE = 7, 9, 19
SLOTS = 5
SLOT_S = 12
SETTLE_S = 6
"""From the beginning of a cycle to the first slot: the link comes up, and pools are asked for."""
TRAFFIC_S = SLOTS * SLOT_S
PULL_AFTER_S = 2.5
SETTLED_AFTER_PULL_S = 5.0
SOURCE_BYTES = 60_000
PAGES = ("/static.html", "/style.css", "/live.js")


@dataclass(frozen=True)
class Load:
    """How much at a time: hardware sockets are few, and take one connection each."""

    streams: int
    """Echoes, sinks and sources side by side."""
    pages: int
    """Requests under way at a time."""


LOADS = {"hardware": Load(1, 2), "lwip_raw": Load(2, 3), "lwip_sockets": Load(2, 3)}


@dataclass(frozen=True)
class Client:
    """A client of the PC, and what it must have done in the end."""

    name: str
    kind: str
    words: str
    start_s: float
    expect: int
    """Bytes each way, or messages."""
    is_rough: bool
    resets: bool = False

    @property
    def line(self) -> str:
        """As traffic of a board."""
        return f"{self.name} kind={self.kind} {self.words} start={round(self.start_s * 1000)}ms"


@dataclass(frozen=True)
class Plan:
    """A cycle."""

    number: int
    clients: tuple[Client, ...]
    pull_s: float | None
    """When the cable is pulled, from the beginning of the cycle."""
    plug_s: float | None

    @property
    def traffic(self) -> list[str]:
        """As the traffic of a board."""
        return [client.line for client in self.clients]


def plan_of(seed: int, number: int, transport: str) -> Plan:
    """The plan of a cycle."""
    random = Random(f"{seed}/{transport}/{number}")
    load = LOADS[transport]
    clients: list[Client] = []
    for slot in range(SLOTS):
        begin = SETTLE_S + slot * SLOT_S
        is_rough = slot == SLOTS - 1
        clients += _slot(random, slot, begin, load, is_rough, resets=is_rough and number % 2 == 1)
    rough_s = SETTLE_S + (SLOTS - 1) * SLOT_S
    if number % 2 == 1:
        return Plan(number, tuple(clients), None, None)
    pull_s = rough_s + round(random.uniform(0.05, 0.6), 3)
    plug_s = pull_s + round(random.uniform(0.2, PULL_AFTER_S), 3)
    again = _page(random, "again", plug_s + SETTLED_AFTER_PULL_S, 1, is_rough=False)
    return Plan(number, (*clients, again), pull_s, plug_s)


def _slot(random: Random, slot: int, begin_s: float, load: Load, is_rough: bool, resets: bool) -> list[Client]:
    """Everything at once. Resets leave pages and pings alone."""

    def start() -> float:
        return begin_s + round(random.uniform(0, 0.5), 3)

    clients = []
    for number in range(load.streams):
        name = f"{slot}-{number}"
        for service in ("echo", "sink", "source"):
            clients.append(_transfer(random, service, f"{service}{name}", start(), is_rough, resets))
    clients.append(_page(random, f"pages{slot}", start(), load.pages, is_rough))
    count = random.randrange(10, 30)
    size = random.randrange(0, 1473)
    words = f"to={ADDRESS} count={count} size={size}B interval=200ms identifier={100 + slot}"
    clients.append(Client(f"ping{slot}", "ping", words, start(), count, is_rough))
    return clients


def _transfer(random: Random, service: str, name: str, start_s: float, is_rough: bool, resets: bool) -> Client:
    size = SOURCE_BYTES if service == "source" else random.randrange(1, 80_000)
    port = {"echo": ECHO, "sink": SINK, "source": SOURCE}[service]
    send = 0 if service == "source" else size
    words = f"to={ADDRESS}:{port} send={send} interval=0s"
    if resets:
        words += f" reset_after={random.randrange(1, size + 1)}B"
    return Client(name, "bulk", words, start_s, size, is_rough, resets)


def _page(random: Random, name: str, start_s: float, at_a_time: int, is_rough: bool) -> Client:
    path = random.choice(PAGES)
    crc = zlib.crc32((SITE / path.removeprefix("/")).read_bytes())
    count = random.randrange(10, 60)
    kept = random.choice(("true", "false"))
    words = f"to={ADDRESS} path={path} requests={count} concurrency={at_a_time} keep_alive={kept} body_crc32={crc:08x}"
    return Client(name, "http", words, start_s, count, is_rough)
