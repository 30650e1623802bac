"""What an image does on its network: it runs on a board beside a virtual PC, which notes whom it calls, knocks at its
TCP ports, sends a datagram to UDP ports, and pings it.

The PC runs every server there is and answers for every address, so that a client finds the other end that was built
into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from airwire import _core
from airwire.board.model import BoardRun
from airwire.board.network import Call, Service, TrafficResult
from airwire.board.virtual import Board
from airwire.diagnosis.going_on import run_past_faults
from airwire.values import Settings, Time

_SCAN = "scan kind=scan to={host}"
_PING = "ping kind=ping to={host} count=4 interval=20ms timeout=2s"
# Servers that every image may ask on its way; what they do is not what it is for.
_ON_THE_WAY = ("dhcp", "dns", "sntp")
READY_WITHIN: Time = "10 s"
"""How long an image may take until it is on its network, in virtual time."""
_LISTENED: Time = "3 s"
"""How long it is listened to once the PC's clients are done, where it has called nobody."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How many ports were looked at."""

    tcp: int
    udp: int


@dataclass(frozen=True, slots=True)
class Discovery:
    """What an image does on the network of a board."""

    board: str
    ready_ps: int | None
    """When the PC's clients began, 0.1 s after it had an address and a link; ``None`` where it had none."""
    host: Literal["board", "board6"]
    """The word for the address at which it was looked for, of IPv4 or of IPv6."""
    address: str | None
    """Its address of that kind."""
    free_address: str | None
    """One of the virtual PC's network, such as ``192.168.1.2/24``; ``None`` where there is no PC."""
    has_link: bool
    called: Sequence[TrafficResult]
    """The PC's servers that it spoke to, the one with most messages first; not those that serve on the way."""
    calls: Sequence[Call]
    """Whom it called, answered or not."""
    services: Sequence[Service]
    tried: Tried
    answers_ping: bool
    run: BoardRun
    console: str

    @property
    def progress(self) -> tuple[bool, bool, bool]:
        """How far it has come; more is greater."""
        return self.is_on_network, self.address is not None, self.has_link

    @property
    def is_on_network(self) -> bool:
        """Whether it has an address and a link."""
        return self.ready_ps is not None


def discover(
    image: str | Path,
    board: str | Path,
    *,
    symbols: str | Path | None,
    settings: Settings,
    network: str | Path | None,
    seed: int,
) -> Discovery:
    """Run an image on a board until it is known what it does there, or as long as an image may take.

    Some stacks have IPv6 alone: where the image has an address of that and none of IPv4, it is looked for there.
    """
    _check_network(board)

    def at(host: Literal["board", "board6"]) -> tuple[Discovery, str | None]:
        return _discovered(image, board, host, symbols=symbols, settings=settings, network=network, seed=seed)

    found, link_local = at("board")
    return found if found.address is not None or link_local is None else at("board6")[0]


def _discovered(
    image: str | Path,
    board: str | Path,
    host: Literal["board", "board6"],
    *,
    symbols: str | Path | None,
    settings: Settings,
    network: str | Path | None,
    seed: int,
) -> tuple[Discovery, str | None]:
    """What an image does at the address that a word stands for, and its link-local address."""
    device = Board(
        board,
        image,
        symbols=symbols,
        seed=seed,
        record=False,
        network=network,
        traffic=(_SCAN.format(host=host), _PING.format(host=host)),
        settings=settings,
    )
    device.watch_calls()
    run = run_past_faults(device, READY_WITHIN, until_done=True)
    scan, ping = device.traffic["scan"], device.traffic["ping"]
    # A radio that has joined late, and firmware that pauses behind that, are still on their way.
    if run.reason == "time" and (_has_begun(scan) or _has_link(device)):
        run = run_past_faults(device, READY_WITHIN, until_done=True)
        scan, ping = device.traffic["scan"], device.traffic["ping"]
    ready_ps = min((sample["trigger_ps"] for sample in device.traffic.samples("ping")), default=None)
    if not _called(device) and run.reason == "done":
        run = run_past_faults(device, _LISTENED)
    state = device.network
    link_local = None if state is None else state.link_local
    found = Discovery(
        board=device.name,
        ready_ps=ready_ps,
        host=host,
        address=link_local if host == "board6" else None if state is None else state.address,
        free_address=None if state is None else state.free_address,
        has_link=state is not None and state.has_link,
        called=_called(device),
        calls=[] if state is None else state.calls,
        services=scan.services,
        tried=_tried(scan),
        answers_ping=ping.latency is not None,
        run=run,
        console=device.console,
    )
    return found, link_local


def _check_network(board: str | Path) -> None:
    device = Board(board, record=False)
    if device.network is None:
        raise _core.AirwireError(
            f"board {device.name} has no chip with Ethernet; name one that has, such as w5500-evb-pico, or none"
        )


def _has_link(device: Board) -> bool:
    return device.network is not None and device.network.has_link


def _has_begun(result: TrafficResult) -> bool:
    return any(counter.value for counter in result.counters)


def _tried(scan: TrafficResult) -> Tried:
    counted = {counter.name: counter.value for counter in scan.counters}
    return Tried(counted.get("knocked", 0), counted.get("asked", 0))


def _called(device: Board) -> list[TrafficResult]:
    servers = [one for one in device.traffic.values() if not one.client and one.kind not in _ON_THE_WAY]
    return sorted(servers, key=lambda one: -max((counter.value for counter in one.counters), default=0))
