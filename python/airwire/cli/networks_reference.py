"""The reference page of networks: the fields of network files, impairments, and every kind of client and server.

``python -m airwire.cli.networks_reference`` prints ``docs/reference/networks.md``; a test fails when it is stale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airwire.board.network import NetworkEntry, TrafficKind

HEADER = """\
# Networks

<!-- Made by `python -m airwire.cli.networks_reference > docs/reference/networks.md`; do not edit by hand. -->

A board with an Ethernet chip is on a cable to a switch, at which a PC is. The PC runs every server below under the name
of its kind, and whatever clients a user asks for. A network file (TOML) says how all of that is; `airwire board run
--network FILE` takes one. `--traffic "ping to=board count=10"` adds a client or a server without a file, and
`--impair "loss=1%"` impairs the cable. In Python these are the arguments `network`, `traffic` and `impair` of
`airwire.board.Board`. `airwire schema network` prints the JSON Schema for editors.

```toml
[cable]
impair = "loss=1%,delay=2ms"

[traffic.ping]
to = "board"
count = 10

[traffic.page]
kind = "http"
to = "board:8080"
requests = 100
start = "2s"

[traffic.dhcp]
lease_s = 60
```

## Fields

| field | takes | default | meaning |
|---|---|---|---|
"""

WIFI = """\
## Wi-Fi

The table `[wifi]` puts the board behind a Wi-Fi access point, as if its chip spoke Ethernet over Wi-Fi: each frame
waits for the air, for the beacon where the station sleeps, and for whoever else is on the channel. The table alone
takes every default. The access point's own beacons take the channel too.
"""

PC_WIFI = """\
## The PC on Wi-Fi

The table `[pc.wifi]` makes the PC a station of the same access point, on the same channel: a frame between board and PC
then takes two hops, for which both contend. The table alone takes every default. It goes with a board on a cable too.

```toml
[wifi]
medium_load = 30

[pc.wifi]
aggregate_frames = 16
```
"""

AIR = """\
## Access points

A station with a radio of its own, such as the CYW43439 of a Pico W, joins the network that its firmware asks for. Each
table `[access_points.NAME]` is one that it finds. Where a file has none, there is one that takes whatever is asked for,
and that no scan shows. What `[wifi]` says of air and access point holds for such a station too. Its driver sets how it
saves power and how many frames it sends at once: of `[wifi]` these fields do not count for it then (`power_save`,
`awake_time`, `listen_interval`, `delivery`, `aggregate_frames`).

```toml
[access_points.lab]
security = "wpa2"
passphrase = "correct horse"
```
"""

PC_STATION = """\
## The PC in the board's own network

A radio may make a network of its own, such as MicroPython's `network.WLAN(network.AP_IF)`. The table `[pc.station]`
makes the PC a station of it, which joins with its passphrase as soon as the network is there. The PC then asks the
board's DHCP server for an address. Its clients begin when it has one. Without this table the PC keeps its own address,
and whoever sends to such a network has joined it.

```toml
[pc.station]
ssid = "board"
passphrase = "correct horse"
```
"""

TRAFFIC = """\
## Clients and servers

`[traffic.NAME]` is a client or a server on the PC. It is of the kind that it is named after, or of the one that `kind`
says. Where an option takes an address, `board` stands for the board's, and `board:80` for a port of the board. `board6`
and `board6:80` stand for its link-local address of IPv6. A client of `board` or `board6` begins once the board has had
that address and a link for 100 ms. Where the board's own stack does not say its address within five seconds, the PC
asks for every address of its network, one each millisecond.

An address of IPv6 stands in brackets before a port: `[fe80::1]:80`. A server with the name of one that runs anyway
takes its place. On the command line the same stands in one line, the name first:
`--traffic "page kind=http to=board requests=100"`.
"""


def networks_page() -> str:
    """The page in Markdown."""
    from airwire.board import network

    known = network.network_reference()
    lines = [HEADER.rstrip()]
    lines += [_row(f"{entry.table}.{entry.name}" if entry.table else entry.name, entry) for entry in known.fields]
    lines += ["", WIFI, *_table("field", known.wifi)]
    lines += ["", PC_WIFI, *_table("field", known.pc_wifi)]
    lines += ["", AIR, *_table("field", known.access_points)]
    lines += ["", PC_STATION, *_table("field", known.pc_station)]
    lines += ["", "## Impairments", "", "Joined by commas: `loss=1%,delay=5ms`.", ""]
    lines += _table("impairment", known.impairments)
    lines += ["", TRAFFIC, *_table("option", known.common)]
    for title, serves in (("Clients", False), ("Servers", True)):
        lines += ["", f"## {title}"]
        for kind in known.kinds:
            if kind.serves == serves:
                lines += _kind(kind)
    return "\n".join(lines).rstrip() + "\n"


def _kind(kind: TrafficKind) -> Iterator[str]:
    yield from ["", f"### {kind.name}", "", f"{kind.title[0].upper()}{kind.title[1:]}.", ""]
    yield from _table("option", kind.options)
    # `time` and `send` exclude each other.
    others = [entry for entry in kind.options if entry.default is not None and entry.name != "time"]
    shown = [entry for entry in kind.options if entry.default is None] + others[:2]
    # A literal string where escapes are Airwire's own.
    quotes = ["'" if "\\" in entry.example else '"' for entry in shown]
    lines = [f"{entry.name} = {quote}{entry.example}{quote}" for entry, quote in zip(shown, quotes, strict=True)]
    yield from ["", "```toml", f"[traffic.{kind.name}]", *lines, "```"]


def _table(what: str, entries: Sequence[NetworkEntry]) -> list[str]:
    return [
        f"| {what} | takes | default | meaning |",
        "|---|---|---|---|",
        *(_row(entry.name, entry) for entry in entries),
    ]


def _row(name: str, entry: NetworkEntry) -> str:
    default = "required" if entry.default is None else f"`{entry.default}`" if entry.default else ""
    meaning = entry.help[0].upper() + entry.help[1:].rstrip(".")
    return f"| `{name}` | {entry.takes} | {default} | {meaning} |".replace("|  |", "| |")


if __name__ == "__main__":
    print(networks_page(), end="")
