"""What was wrong in a cycle, in sentences; none where everything was as it must be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from airwire.board import BoardRun
from airwire.board.network import TrafficResult
from soak.plan import Client, Plan, service_of

LEAST_STACK_WORDS = 32
LEAST_PINGS_ANSWERED = 0.5
"""Of one client. Each is lost with 2 %, and where a busy board has no memory left for a frame: of the thousand clients
of a day one may well lose three of ten, but none half of them."""
LEAST_OF_ALL_PINGS_ANSWERED = 0.875
"""Of all in the quiet slots of a cycle, 80 on average, of which two are lost: ten hardly ever."""
MOST_BUSY_WHEN_QUIET = 0.01
KNOWN_COMPLAINTS = re.compile(
    r"error: (a peer of the echo broke its connection off|the peer broke the connection off|"
    r"nothing came to the sink for too long|nobody took what the source has for too long|"
    r"nothing moved through the echo for too long)"
)
"""What the image says of connections that were cut or reset."""


def of_clients(plan: Plan, results: Mapping[str, TrafficResult]) -> Iterator[str]:
    """Clients that did not do what they must; those of the rough slot may fail, but not get wrong bytes."""
    for client in plan.clients:
        result = results.get(client.name)
        if result is None:
            yield f"{client.name} never began"
            continue
        yield from _wrong_content(client, result)
        if not client.is_rough:
            yield from _incomplete(client, result)
    yield from _too_few_answers([client for client in plan.clients if client.name in results], results)


def failed_clients(plan: Plan, results: Mapping[str, TrafficResult]) -> int:
    """How many clients of the rough slot failed or never ended."""
    rough = [results[client.name] for client in plan.clients if client.is_rough and client.name in results]
    return sum(1 for result in rough if result.failure is not None or not result.done)


def _too_few_answers(clients: Sequence[Client], results: Mapping[str, TrafficResult]) -> Iterator[str]:
    pings = [client for client in clients if client.kind == "ping" and not client.is_rough]
    sent = sum(client.expect for client in pings)
    counters = [counter for client in pings for counter in results[client.name].counters]
    answered = sum(counter.value for counter in counters if counter.name == "answered")
    if answered < LEAST_OF_ALL_PINGS_ANSWERED * sent:
        yield f"only {answered} of all {sent} pings were answered"


def _wrong_content(client: Client, result: TrafficResult) -> Iterator[str]:
    told = {counter.name: counter.value for counter in result.counters}
    if told.get("wrong"):
        yield f"{client.name} received wrong bytes: {result.summary}"
    if result.failure and ("CRC-32" in result.failure or "is wrong" in result.failure):
        yield f"{client.name}: {result.failure}"


def _incomplete(client: Client, result: TrafficResult) -> Iterator[str]:
    told = {counter.name: counter.value for counter in result.counters}
    if result.failure is not None or not result.done:
        yield f"{client.name} failed: {result.failure or 'it is not done'} ({result.summary})"
    elif client.kind == "bulk":
        sent, received = _expected(client)
        if (told["sent"], told["received"]) != (sent, received):
            yield f"{client.name} sent {told['sent']} of {sent} B and received {told['received']} of {received} B"
    elif client.kind == "http" and told["answered"] != client.expect:
        yield f"{client.name}: {told['answered']} of {client.expect} pages were served whole"
    elif client.kind == "ping" and told["answered"] < LEAST_PINGS_ANSWERED * client.expect:
        yield f"{client.name}: only {told['answered']} of {client.expect} pings were answered"


def _expected(client: Client) -> tuple[int, int]:
    return {"echo": (client.expect, client.expect), "sink": (client.expect, 0), "source": (0, client.expect)}[
        service_of(client.name)
    ]


def of_console(plan: Plan, said: str) -> Iterator[str]:
    """Complaints of the image that nothing explains, sinks that found wrong bytes, and starts."""
    for line in said.splitlines():
        if "error" in line and not KNOWN_COMPLAINTS.match(line):
            yield f"the image says: {line}"
    strict = [client for client in plan.clients if client.name.startswith("sink") and not client.is_rough]
    right = said.count("every byte was right\n")
    for client in strict:
        if f"sink {client.expect} bytes" not in said:
            yield f"the sink does not tell of the {client.expect} bytes of {client.name}"
    if right < len(strict):
        yield f"the sink checked {right} transfers of {len(strict)}"


def of_pools(start: Mapping[str, int], now: Mapping[str, int]) -> Iterator[str]:
    """Pools that are not back, and stacks that came to their end."""
    for name, value in now.items():
        if name.startswith("least stack"):
            if value < LEAST_STACK_WORDS:
                yield f"{name} is {value} words"
        elif name.startswith("no room"):
            pass
        elif not name.startswith("most") and name != "clock ms" and value != start.get(name):
            yield f"pool {name} holds {value} and not {start.get(name)} as at the start"
    for name in start.keys() - now.keys():
        yield f"the image does not tell of {name} any more"


def of_quiet(awake: BoardRun, quiet: BoardRun) -> Iterator[str]:
    """A processor that is busy although nothing happens."""
    busy = quiet.cores[0].busy_cycles - awake.cores[0].busy_cycles
    share = busy / (quiet.cycles - awake.cycles)
    if share > MOST_BUSY_WHEN_QUIET:
        yield f"the processor is busy for {share:.1%} of the time when nothing happens"


def of_board(run: BoardRun, starts: int) -> Iterator[str]:
    """Watchdog, faults, and starts of the image beyond the first."""
    if run.resets:
        yield f"the watchdog fired: {run.resets} resets"
    if starts:
        yield f"the image started {starts} times again"
    if run.fault is not None:
        yield f"the image faulted: {run.fault.what} at {run.fault.place}"
