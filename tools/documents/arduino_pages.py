"""The table and the picture of ``docs/explanation/arduino-core.md``: ``python tools/documents/arduino_pages.py``.

It needs the firmware (``make firmware``), and in AIRWIRE_IMAGES the builds that ``tests/parity/README.md`` tells of.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import airwire
from airwire.board import Board
from airwire.explain.waterfall import board_waterfalls
from airwire.report.theme import LIGHT, config, resolve
from airwire.stage import Stage
from tick_beat import compressed

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "explanation" / "arduino-core.md"
PICTURE = REPOSITORY / "docs" / "pictures" / "arduino-core.png"
OWN = REPOSITORY / "build" / "firmware" / "w5500-evb-pico"
_TABLE = re.compile(r"(<!-- servers -->\n)(.*?)(<!-- end of servers -->)", re.DOTALL)
_HEAD = """\
| server | clk_sys, SCK, MHz | page, ms | pages/s | ping, ms |
|---|---|--:|--:|--:|
"""
POLL, SPI, PROCESSOR, SLEEP, WIRE = "waits for a poll", "SPI", "processor", "sleeps", "wire, PC, chip"
PARTS = (POLL, SPI, PROCESSOR, SLEEP, WIRE)
COLORS = ("var(--series2)", "var(--series1)", "var(--series3)", "var(--series5)", "var(--unknown)")
SCALE = 1.4
PS_PER_MS = 1e9


@dataclass(frozen=True)
class Server:
    """An image that serves the page."""

    title: str
    image: str
    clocks: str
    polled: bool = False

    @property
    def path(self) -> Path:
        """Where it is: a build of our own, or one of somebody's."""
        own = OWN / self.image
        return own if own.is_file() else Path(os.environ["AIRWIRE_IMAGES"]) / self.image

    @property
    def settings(self) -> dict[str, str]:
        """Of our own image in a loop that asks the chip all the time."""
        return {"wiznet_int": "off", "wiznet_poll_us": "0"} if self.polled else {}


SERVERS = (
    Server("Arduino, lwIP, as it comes", "arduino_pico_page.elf", "200, 4"),
    Server("Arduino, lwIP, INT pin", "arduino_pico_page_int.elf", "200, 4"),
    Server("Arduino, lwIP, INT, faster SCK", "arduino_pico_page_int_sck.elf", "200, 24"),
    Server("Pico SDK, lwIP's httpd", "pico_sdk_lwip_httpd.elf", "133, 4.75"),
    Server("Arduino, the chip's TCP", "arduino_pico_sockets.elf", "200, 12"),
    Server("Pico SDK, the chip's TCP", "pico_sdk_sockets.elf", "200, 10"),
    Server("Airwire, lwIP, INT pin", "http_server-lwip_raw.elf", "133, 33"),
    Server("Airwire, lwIP, asks always", "http_server-lwip_raw.elf", "133, 33", polled=True),
    Server("Airwire, the chip's TCP", "http_server-hardware.elf", "133, 33"),
)


def samples_ms(server: Server, client: str) -> list[float]:
    """What a client measured of a server, in the order of time."""
    device = Board("w5500-evb-pico", server.path, traffic=(client,), settings=server.settings)
    device.run("30 s", until_done=True)
    name = client.split()[0]
    answered = (one for one in device.traffic.samples(name) if one["done_ps"] is not None)
    return [(one["done_ps"] - one["trigger_ps"]) / PS_PER_MS for one in answered]


def table() -> Iterator[str]:
    """A line for each server: medians of 50 pages and of 50 pings."""
    for server in SERVERS:
        pages = samples_ms(server, "http to=board path=/static.html requests=50")
        pings = samples_ms(server, "ping to=board count=50 interval=37ms")
        page, ping = median(pages), median(pings)
        yield f"| {server.title} | {server.clocks} | {page:.2f} | {1000 / page:.0f} | {ping:.3f} |\n"


def part(stage: Stage) -> str:
    """The part of a page that a stage belongs to."""
    if stage.cause == "gate":
        return POLL if stage.subject == "timed_look" else SLEEP
    if stage.cause == "sleep":
        return SLEEP
    if stage.cause == "bus" or stage.subject == "spi_pause":
        return SPI
    return PROCESSOR if stage.cause in ("cpu", "empirical") else WIRE


def suite(folder: Path) -> Path:
    """A suite with a row for each server."""
    rows = []
    for number, server in enumerate(SERVERS):
        client = "http to=board path=/static.html requests=50"
        lines = [f"[boards.row-{number}]", f"title = {json.dumps(server.title)}", 'board = "w5500-evb-pico"']
        lines += [f"firmware = {json.dumps(str(server.path))}", f"traffic = [{json.dumps(client)}]"]
        lines += [f"settings.{name} = {json.dumps(value)}" for name, value in server.settings.items()]
        rows.append("\n".join([*lines, 'measure = "latency"', "skip = 1", 'limit = "30 s"', ""]))
    path = folder / "servers.toml"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def bars(folder: Path) -> list[dict[str, Any]]:
    """A bar for each server, part by part, of a page near the median."""
    run = airwire.run(suite(folder), out=folder / "run")
    drawn: list[dict[str, Any]] = []
    for row in airwire.rows_of_boards(run):
        waterfall = board_waterfalls(row, percentiles=(50,))[0]
        parts = dict.fromkeys(PARTS, 0.0)
        for stage in waterfall.stages:
            parts[part(stage)] += stage.ps / PS_PER_MS
        drawn += [
            {"server": row.target.title, "part": name, "ms": ms, "order": PARTS.index(name)}
            for name, ms in parts.items()
        ]
        print(row.target.title, {name: round(ms, 3) for name, ms in parts.items()})
    return drawn


def specification(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The bars as Vega-Lite."""
    drawn: dict[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "config": config(for_page=False),
        "padding": 12,
        "data": {"values": list(values)},
        "width": 430,
        "height": {"step": 24},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {
                "field": "server",
                "type": "nominal",
                "sort": [one.title for one in SERVERS],
                "axis": {"title": None},
            },
            "x": {"field": "ms", "aggregate": "sum", "type": "quantitative", "axis": {"title": "a page, ms"}},
            "order": {"field": "order", "type": "quantitative"},
            "color": {
                "field": "part",
                "scale": {"domain": list(PARTS), "range": list(COLORS)},
                "legend": {"title": None, "orient": "top"},
            },
        },
    }
    themed: dict[str, Any] = resolve(drawn, LIGHT)
    return themed


def main() -> int:
    """Measure, and write the table and the picture."""
    import vl_convert

    if "AIRWIRE_IMAGES" not in os.environ:
        sys.exit("AIRWIRE_IMAGES does not name the folder with the builds of tests/parity/README.md.")
    with tempfile.TemporaryDirectory() as name:
        values = bars(Path(name))
    PICTURE.write_bytes(compressed(vl_convert.vegalite_to_png(specification(values), scale=SCALE)))
    lines = _HEAD + "".join(table())
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda match: match[1] + lines + match[3], text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
