"""The picture of a soak: what its pools held after each cycle, what moved, and what was done to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import vl_convert

from airwire.report.spec import Figure, Panel, Spec, vegalite_of
from soak.cycles import Kept

HOUR_S = 3600
TRANSPORT_NAMES = {"hardware": "the chip's sockets", "lwip_raw": "lwIP, raw", "lwip_sockets": "lwIP, sockets"}
COLOURS = ["var(--series1)", "var(--series2)", "var(--series3)"]
NOT_HELD = ("most ", "no room ", "least ", "clock ms")


def draw(soaks: Mapping[str, Kept], path: Path) -> None:
    """Draw soaks by transport, as SVG or PNG."""
    spec = vegalite_of(figure_of(soaks), panel_width=520)
    content: str | bytes = (
        vl_convert.vegalite_to_svg(spec) if path.suffix == ".svg" else vl_convert.vegalite_to_png(spec, scale=2.0)
    )
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def figure_of(soaks: Mapping[str, Kept]) -> Figure:
    """Four panels over virtual time, and a line for each transport."""
    rows = [row for transport, kept in soaks.items() for row in _rows(transport, kept)]
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}
    panels = [
        _panel("Held beyond the start, all pools together", "beyond", "objects", columns),
        _panel("Bytes moved in the minute of a cycle", "megabytes", "MB", columns),
        _panel("Pings without an answer, of those of a cycle", "pings_lost", "pings", columns),
        _panel("Cable pulled, or clients that reset: transfers broken off", "failed", "transfers", columns, "event"),
    ]
    caption = (
        "Each point is a cycle of 20 virtual minutes: one of mixed traffic under 1 % loss, then quiet. A pool that "
        "leaks would climb in the first panel. Even cycles pull the cable; odd ones have clients that reset midway."
    )
    return Figure("soak", "A day of virtual time", caption, panels)


def _rows(transport: str, kept: Kept) -> list[dict[str, Any]]:
    return [
        {
            "transport": TRANSPORT_NAMES.get(transport, transport),
            "hours": cycle.end_s / HOUR_S,
            "beyond": sum(
                value - kept.start_pools.get(name, 0)
                for name, value in cycle.pools.items()
                if not name.startswith(NOT_HELD)
            ),
            "megabytes": cycle.bytes_moved / 1e6,
            "pings_lost": cycle.pings_lost,
            "failed": cycle.failed_in_rough_slot,
            "event": "resets" if cycle.pull_s is None else "cable pulled",
        }
        for cycle in kept.cycles
    ]


def _panel(title: str, what: str, unit: str, columns: dict[str, list[Any]], shape: str | None = None) -> Panel:
    colour = {
        "field": "transport",
        "type": "nominal",
        "title": None,
        "scale": {"range": COLOURS},
        "legend": {"orient": "bottom"},
    }
    encoding: Spec = {
        "x": {"field": "hours", "type": "quantitative", "title": "virtual hours"},
        "y": {"field": what, "type": "quantitative", "title": unit},
        "color": colour,
    }
    mark: Spec = {"type": "line", "point": {"size": 14}, "strokeWidth": 1, "clip": True}
    if shape is not None:
        mark = {"type": "point", "size": 28}
        encoding["shape"] = {"field": shape, "type": "nominal", "title": None, "legend": {"orient": "bottom"}}
    spec: Spec = {"data": {"name": "cycles"}, "mark": mark, "encoding": encoding, "height": 190}
    return Panel(title, spec, {"cycles": columns}, title)
