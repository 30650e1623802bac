"""One board at an address, asked once: a suite of one row, written from what a caller says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.address.place import host_and_port
from airwire.model import Analysis
from airwire.runs.suite import of_no_suite, run_text
from airwire.values import Time, check_numbers, picoseconds_or_none

if TYPE_CHECKING:
    import polars as pl

PROBES: Mapping[str, str] = {
    "pingpong": "pingpong",
    "http": "http",
    "ping": "ping",
    "throughput": "iperf",
    "iperf3": "iperf3",
    "udp": "udp",
    "ws": "ws",
}
"""What a board is asked, and the client that asks it."""
SERVERS: Mapping[str, str] = {
    "pingpong": "pingpong-server",
    "tcp": "echo",
    "udp": "udp-server",
    "ws": "ws-server",
    "http": "http-server",
    "iperf": "iperf-server",
    "iperf3": "iperf3-server",
}
"""What a board may call, and the server that answers it."""
WITHOUT_MESSAGES = ("throughput", "iperf", "iperf3")
"""What passes bytes and counts no messages."""
LONGEST_SERVICE = "86400 s"
"""A server ends when somebody ends it."""


def probe(
    kind: str,
    address: str,
    *,
    options: Mapping[str, str] | None = None,
    samples: int | None = None,
    limit: Time = "10 s",
    bounds: Mapping[str, str] | None = None,
    out: str | Path | None = None,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
    samples_seen: Callable[[str, str, pl.DataFrame], Any] | None = None,
) -> Analysis:
    """Measure a board on the network of this computer, and keep the result in a run folder.

    ``kind`` is one of :data:`PROBES`, and ``address`` the board's address or name, with a port where it is not the
    usual one. ``options`` are those of the client (docs/reference/networks.md). The measurement ends after ``samples``
    messages, when the client is done, or at ``limit``. ``bounds`` are what figures are to keep: ``{"p95": "<= 5 ms"}``.

    Raises ``AirwireError`` for a kind, an address or an option that there is not.
    """
    client = _named(kind, PROBES, "probe")
    _check_samples(kind, samples)
    host, port = host_and_port(address)
    given = _options(options, "options")
    if port and client == "ping":
        raise _core.AirwireError(f"{address}: a ping goes to no port; leave :{port} out")
    if "to" in given:
        # It would be asked elsewhere, and what was measured would stand under this address.
        raise _core.AirwireError(f"{address}: to is {given['to']} as well; leave it out: the address says who is asked")
    if samples is not None and "count" in given:
        raise _core.AirwireError(f"samples is {samples}, and count is {given['count']} as well; leave one of them out")
    if port:
        given["to"] = f"board:{port}"
    return _one_row(
        f"probe-{kind}", client, host, given, samples, limit, bounds,
        out=out, environment=environment, progress=progress, samples_seen=samples_seen,
    )  # fmt: skip


def serve(
    kind: str,
    *,
    options: Mapping[str, str] | None = None,
    samples: int | None = None,
    limit: Time = LONGEST_SERVICE,
    bounds: Mapping[str, str] | None = None,
    out: str | Path | None = None,
    environment: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], Any] | None = None,
    samples_seen: Callable[[str, str, pl.DataFrame], Any] | None = None,
    ready: Callable[[], Any] | None = None,
) -> Analysis:
    """Serve boards that call this computer, and measure them; as :func:`probe`, with one of :data:`SERVERS`.

    ``ready()`` is called once the port is had. It ends after ``samples`` messages, at ``limit``, or by Ctrl-C.
    """
    server = server_of(kind)
    _check_samples(kind, samples)
    return _one_row(
        f"serve-{kind}", server, "0.0.0.0", _options(options, "options"), samples, limit, bounds,
        out=out, environment=environment, progress=progress, samples_seen=samples_seen, ready=ready,
    )  # fmt: skip


def server_of(kind: str) -> str:
    """The server that a word of :data:`SERVERS` stands for. Raises ``AirwireError`` for another word."""
    return _named(kind, SERVERS, "server")


def _options(given: Mapping[str, str] | None, what: str) -> dict[str, str]:
    """What maps names to texts, as a caller gave it."""
    if given is not None and not isinstance(given, Mapping):
        raise _core.AirwireError(f"{what} are {given!r:.60}, but they map names to texts")
    return {str(name): str(value) for name, value in (given or {}).items()}


def _check_samples(kind: str, samples: int | None) -> None:
    if samples is not None and kind in WITHOUT_MESSAGES:
        raise _core.AirwireError(
            f"samples is {samples}, but {kind} has no messages that could be counted; say how long it lasts instead "
            "(limit, or --for on the command line)"
        )


def _named(kind: str, known: Mapping[str, str], what: str) -> str:
    if kind in known:
        return known[kind]
    raise _core.AirwireError(f"there is no {what} {kind!r}; {_core.name_hint(kind, list(known))}")


def _one_row(
    name: str,
    client: str,
    address: str,
    options: Mapping[str, str],
    samples: int | None,
    limit: Time,
    bounds: Mapping[str, str] | None,
    *,
    out: str | Path | None,
    environment: Mapping[str, Any] | None,
    progress: Callable[[int, int], Any] | None,
    samples_seen: Callable[[str, str, pl.DataFrame], Any] | None,
    ready: Callable[[], Any] | None = None,
) -> Analysis:
    check_numbers(samples=samples)
    traffic = {"kind": client, **options}
    lines = [
        f"name = {_text(name)}",
        f"[targets.{name}]",
        f"address = {_text(address)}",
        f"traffic = {_table(traffic)}",
        f"limit = {_text(f'{picoseconds_or_none(limit)} ps')}",
        *([] if samples is None else [f"samples = {samples}"]),
        *([f"bounds = {_table(_options(bounds, 'bounds'))}"] if bounds else []),
    ]
    with of_no_suite(name, name):
        return run_text(
            Path(name), "\n".join(lines) + "\n",
            out=out, environment=environment, progress=progress, samples_seen=samples_seen, ready=ready,
        )  # fmt: skip


def _table(fields: Mapping[str, str]) -> str:
    return f"{{ {', '.join(f'{_text(name)} = {_text(value)}' for name, value in fields.items())} }}"


def _text(text: str) -> str:
    """As a basic string of TOML, whose escapes JSON's are."""
    return json.dumps(text, ensure_ascii=False)
