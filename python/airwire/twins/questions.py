"""The suites of a twin: the real board and the virtual one in one run, and the twin with other settings in another."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from airwire.address.place import host_and_port

TWIN, REAL = "twin", "real"
TWIN_PING, REAL_PING = "twin-ping", "real-ping"
_PING = "ping to=board count={count} interval={interval_ms}ms timeout=1s"
_PINGS = 100
_PING_INTERVAL_MS = 10
_LIMIT = "10 s"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is compared: an image with its settings on a board, and how it is asked."""

    image: Path
    board: str
    settings: Mapping[str, str]
    measure: str
    client: str
    """The client or server, as it would stand on a command line."""
    is_client: bool
    """Whether it asks the board; else the board calls it."""
    samples: int
    symbols: Path | None = None
    """An ELF of the same build, for an image without names."""


def both(subject: Subject, address: str, seed: int) -> str:
    """The real board and its twin, asked alike, and pinged alike. A port of the address stands for the image's own."""
    host, port = host_and_port(address)
    client = re.sub(r"\bto=board(:\d+)?", f"to=board:{port}", subject.client) if port else subject.client
    ping = _PING.format(count=_PINGS, interval_ms=_PING_INTERVAL_MS)
    return "\n".join(
        (
            'name = "twin"',
            f"seed = {seed}",
            *_board(TWIN, subject, [subject.client] if subject.is_client else []),
            *_board(TWIN_PING, subject, [ping], measure="latency", of="ping"),
            *_address(REAL, host, client, subject.measure, subject.samples),
            *_address(REAL_PING, host, ping, "latency", _PINGS),
        )
    )


def changed(subject: Subject, changes: Sequence[Mapping[str, str]], seed: int) -> str:
    """The twin with other settings, a row for each change, by their places: ``change-3``."""
    lines = ['name = "twin-changes"', f"seed = {seed}"]
    for place, change in enumerate(changes):
        other = replace(subject, settings={**subject.settings, **change})
        lines += _board(f"change-{place}", other, [subject.client] if subject.is_client else [])
    return "\n".join(lines)


def _board(
    name: str, subject: Subject, traffic: Sequence[str], *, measure: str | None = None, of: str | None = None
) -> list[str]:
    own: dict[str, Any] = {
        "board": subject.board,
        "firmware": str(subject.image.resolve()),
        "traffic": list(traffic),
        "measure": measure or subject.measure,
        "skip": 1,
        "samples": subject.samples,
        "limit": _LIMIT,
    }
    if of is None and not subject.is_client:
        of = subject.client.partition(" ")[0]
    if of is not None:
        own["of"] = of
    if subject.symbols is not None:
        own["symbols"] = str(subject.symbols.resolve())
    settings = ", ".join(f"{_text(key)} = {_text(value)}" for key, value in subject.settings.items())
    return [
        f"[boards.{name}]",
        *(f"{key} = {_text(value)}" for key, value in own.items()),
        f"settings = {{ {settings} }}",
    ]


def _address(name: str, address: str, client: str, measure: str, samples: int) -> list[str]:
    return [
        f"[targets.{name}]",
        f"address = {_text(address)}",
        f"traffic = {_text(client)}",
        f"measure = {_text(measure)}",
        "skip = 1",
        f"samples = {samples}",
        f"limit = {_text(_LIMIT)}",
    ]


def _text(value: Any) -> str:
    """A value of TOML, whose texts, numbers and lists of them are those of JSON."""
    return json.dumps(value, ensure_ascii=False)
