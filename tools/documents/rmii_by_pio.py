"""The picture of ``docs/explanation/rmii-by-pio.md``: ``python tools/documents/rmii_by_pio.py [RUN FOLDER]...``.

It draws runs of ``suites/rmii-by-pio.toml``, each row of the first one that has it. Without a folder it runs the suite,
which needs the firmware.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import airwire
from airwire.report.theme import LIGHT, config, resolve
from tick_beat import compressed

REPOSITORY = Path(__file__).resolve().parents[2]
SUITE = REPOSITORY / "suites" / "rmii-by-pio.toml"
PICTURE = REPOSITORY / "docs" / "pictures" / "rmii-by-pio.png"
WIRE_MBIT_PER_S = 100 * 1460 / 1538
COLUMNS = {
    "cpu-sram": "processor, SRAM",
    "cpu-flash": "processor, flash",
    "dma-sram": "sniffer, SRAM",
    "dma-flash": "sniffer, flash",
}
KINDS = ("published", "simulated", "simulated, a PC of 100 us", "simulated, rings of 8 KiB")
VARIANTS = {"-100us": KINDS[2], "-8k": KINDS[3]}
SCALE = 1.6


def bars(run: airwire.Analysis) -> list[dict[str, Any]]:
    """A bar for each figure of the table: published, simulated, and simulated with another PC or with larger rings."""
    drawn: list[dict[str, Any]] = []
    for row in run.captures:
        column = next((name for name in COLUMNS if row.name.startswith(name)), None)
        target = row.target
        if column is None or not isinstance(target, airwire.BoardRow) or target.figure is None:
            continue
        if row.name.endswith("-fast"):
            continue
        variant = next((end for end in VARIANTS if row.name.endswith(end)), "")
        clock = row.name.removeprefix(f"{column}-").removesuffix(variant)
        one = {"column": COLUMNS[column], "clock": clock}
        drawn.append({**one, "kind": VARIANTS.get(variant, KINDS[1]), "rate": target.figure.value / 1e6})
        if target.published is not None:
            drawn.append({**one, "kind": KINDS[0], "rate": target.published.value})
    return drawn


def specification(values: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars as Vega-Lite, a column of the table beside the other."""
    quiet = {"title": None}
    drawn: dict[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "config": config(for_page=False),
        "padding": 12,
        "data": {"values": values},
        "facet": {"column": {"field": "column", "sort": list(COLUMNS.values()), "header": quiet}},
        "spec": {
            "width": 190,
            "height": 170,
            "layer": [
                {
                    "mark": {"type": "bar"},
                    "encoding": {
                        "x": {"field": "clock", "type": "nominal", "axis": {"title": "clk_sys, MHz", "labelAngle": 0}},
                        "xOffset": {"field": "kind", "sort": list(KINDS)},
                        "y": {"field": "rate", "type": "quantitative", "axis": {"title": "TCP in, Mbit/s"}},
                        "color": {
                            "field": "kind",
                            "scale": {
                                "domain": list(KINDS),
                                "range": ["var(--unknown)", "var(--series1)", "var(--series3)", "var(--series5)"],
                            },
                            "legend": {"title": None},
                        },
                    },
                },
                {
                    "mark": {"type": "rule", "strokeDash": [4, 3], "color": "var(--ink)"},
                    "encoding": {"y": {"datum": WIRE_MBIT_PER_S}},
                },
            ],
        },
    }
    themed: dict[str, Any] = resolve(drawn, LIGHT)
    return themed


def draw(runs: Sequence[airwire.Analysis]) -> None:
    """Draw the picture of runs of the suite, each row of the first one that has it."""
    import vl_convert

    seen = {(bar["column"], bar["clock"], bar["kind"]): bar for run in reversed(runs) for bar in bars(run)}
    png = vl_convert.vegalite_to_png(specification(list(seen.values())), scale=SCALE)
    PICTURE.write_bytes(compressed(png))


def main() -> None:
    """Draw the picture of the run folders that are named, or of a run of its own."""
    if len(sys.argv) > 1:
        draw([airwire.load_run(folder) for folder in sys.argv[1:]])
        return
    with tempfile.TemporaryDirectory() as name:
        draw([airwire.run(SUITE, out=Path(name) / "run")])


if __name__ == "__main__":
    main()
