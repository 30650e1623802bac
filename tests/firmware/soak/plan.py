"""What happens in a cycle: which clients begin when, what they carry, when the cable is pulled. A cycle is one minute
of traffic and then quiet; its plan follows from the seed and its number alone.

The minute has slots. In the first ones every transfer must succeed. The last one is rough: the cable is pulled there,
or clients reset their connections in the middle, and only clients of that slot may fail.
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
PAGES = ("/static.html", "/style.css", "/live.js")


@dataclass(frozen=True)
class Load:
    """How much a minute holds."""

    most_bytes: int
    """Of a transfer; a source always gives so many."""
    most_pages: int
    """Of a client."""


FULL = Load(most_bytes=600_000, most_pages=400)
SHORT = Load(most_bytes=120_000, most_pages=80)


@dataclass(frozen=True)
class Breadth:
    """How much goes on at a time: hardware sockets are few, and take one connection each."""

    streams: int
    """Echoes, sinks and sources side by side."""
    pages: int
    """Requests under way at a time."""
    most_connections: int
    """One after the other: a chip whose sockets all wait for lost segments refuses the next one."""


BREADTHS = {
    "hardware": Breadth(1, 2, 4),
    "lwip_raw": Breadth(2, 3, 1000),
    "lwip_sockets": Breadth(2, 3, 1000),
}


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


def plan_of(seed: int, number: int, transport: str, load: Load) -> Plan:
    """The plan of a cycle."""
    random = Random(f"{seed}/{transport}/{number}")
    breadth = BREADTHS[transport]
    clients: list[Client] = []
    for slot in range(SLOTS):
        begin = SETTLE_S + slot * SLOT_S
        is_rough = slot == SLOTS - 1
        clients += _slot(random, slot, begin, (load, breadth), is_rough, resets=is_rough and number % 2 == 1)
    rough_s = SETTLE_S + (SLOTS - 1) * SLOT_S
    if number % 2 == 1:
        return Plan(number, tuple(clients), None, None)
    pull_s = rough_s + round(random.uniform(0.05, 0.6), 3)
    plug_s = pull_s + round(random.uniform(0.2, PULL_AFTER_S), 3)
    again = _page(
        random, "again", plug_s + SETTLED_AFTER_PULL_S, (load, Breadth(1, 1, breadth.most_connections)), False
    )
    return Plan(number, (*clients, again), pull_s, plug_s)


def _slot(
    random: Random, slot: int, begin_s: float, amount: tuple[Load, Breadth], is_rough: bool, resets: bool
) -> list[Client]:
    """Everything at once. Resets leave pages and pings alone."""

    def start() -> float:
        return begin_s + round(random.uniform(0, 0.5), 3)

    load, breadth = amount
    clients = []
    for number in range(breadth.streams):
        name = f"{slot}-{number}"
        for service in ("echo", "sink", "source"):
            clients.append(_transfer(random, f"{service}{name}", start(), load.most_bytes, is_rough, resets))
    clients.append(_page(random, f"pages{slot}", start(), amount, is_rough))
    count = random.randrange(10, 30)
    size = random.randrange(0, 1473)
    words = f"to={ADDRESS} count={count} size={size}B interval=200ms identifier={100 + slot}"
    clients.append(Client(f"ping{slot}", "ping", words, start(), count, is_rough))
    return clients


def service_of(name: str) -> str:
    """Echo, sink or source, by a client's name."""
    return name.rstrip("0123456789-")


def _transfer(random: Random, name: str, start_s: float, most_bytes: int, is_rough: bool, resets: bool) -> Client:
    service = service_of(name)
    size = most_bytes if service == "source" else random.randrange(1, most_bytes)
    port = {"echo": ECHO, "sink": SINK, "source": SOURCE}[service]
    send = 0 if service == "source" else size
    words = f"to={ADDRESS}:{port} send={send} interval=0s"
    if resets:
        words += f" reset_after={random.randrange(1, size + 1)}B"
    return Client(name, "bulk", words, start_s, size, is_rough, resets)


def _page(random: Random, name: str, start_s: float, amount: tuple[Load, Breadth], is_rough: bool) -> Client:
    load, breadth = amount
    path = random.choice(PAGES)
    crc = zlib.crc32((SITE / path.removeprefix("/")).read_bytes())
    count = random.randrange(1, load.most_pages)
    is_kept = random.random() < 0.5
    count = count if is_kept else min(count, breadth.most_connections)
    words = f"to={ADDRESS} path={path} requests={count} concurrency={breadth.pages} body_crc32={crc:08x}"
    words += f" keep_alive={str(is_kept).lower()}"
    return Client(name, "http", words, start_s, count, is_rough)
