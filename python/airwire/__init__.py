"""Airwire: the test bench for microcontroller network links.

The functions here are the whole Python interface; each returns plain dataclasses (:mod:`airwire.model`) and
polars frames. Nothing heavy is imported until it is used.

>>> import airwire
>>> airwire.parse_time("102.4 ms")
102400000000
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airwire._core import AirwireError
    from airwire.bench import run, simulate
    from airwire.board import Board, board_header, board_names, board_schema, describe_board
    from airwire.captures import (
        analyze,
        compare,
        convert,
        ecdf,
        load_run,
        parse_size,
        parse_time,
        read_edges,
    )
    from airwire.catalogue import link_budget, links, suite_schema
    from airwire.explain.link.run import explain_capture, explain_run
    from airwire.link_model import (
        CaptureExplanation,
        Choice,
        Ledger,
        Link,
        LinkBudget,
        LinkRow,
        PublishedMedian,
        RowExplanation,
        Waterfall,
    )
    from airwire.model import Analysis, Capture, CaptureFailure, Comparison, Edges, Finding, Interval
    from airwire.report import write_figures, write_html
    from airwire.selection import choose
    from airwire.spi_controller import SpiController
    from airwire.stage import Stage
    from airwire.validation import validate

_HOMES = {
    "AirwireError": "airwire._core",
    **dict.fromkeys(
        ("analyze", "compare", "convert", "ecdf", "load_run", "parse_size", "parse_time", "read_edges"),
        "airwire.captures",
    ),
    **dict.fromkeys(
        ("Analysis", "Capture", "CaptureFailure", "Comparison", "Edges", "Finding", "Interval"),
        "airwire.model",
    ),
    **dict.fromkeys(("run", "simulate"), "airwire.bench"),
    **dict.fromkeys(("Board", "board_header", "board_names", "board_schema", "describe_board"), "airwire.board"),
    **dict.fromkeys(("link_budget", "links", "suite_schema"), "airwire.catalogue"),
    **dict.fromkeys(("explain_capture", "explain_run"), "airwire.explain.link.run"),
    **dict.fromkeys(
        (
            "CaptureExplanation",
            "Choice",
            "Ledger",
            "Link",
            "LinkBudget",
            "LinkRow",
            "PublishedMedian",
            "RowExplanation",
            "Waterfall",
        ),
        "airwire.link_model",
    ),
    **dict.fromkeys(("write_figures", "write_html"), "airwire.report"),
    "Stage": "airwire.stage",
    "choose": "airwire.selection",
    "SpiController": "airwire.spi_controller",
    "validate": "airwire.validation",
}

__all__ = [
    "AirwireError",
    "Analysis",
    "Board",
    "Capture",
    "CaptureExplanation",
    "CaptureFailure",
    "Choice",
    "Comparison",
    "Edges",
    "Finding",
    "Interval",
    "Ledger",
    "Link",
    "LinkBudget",
    "LinkRow",
    "PublishedMedian",
    "RowExplanation",
    "SpiController",
    "Stage",
    "Waterfall",
    "analyze",
    "board_header",
    "board_names",
    "board_schema",
    "choose",
    "compare",
    "convert",
    "describe_board",
    "ecdf",
    "explain_capture",
    "explain_run",
    "link_budget",
    "links",
    "load_run",
    "parse_size",
    "parse_time",
    "read_edges",
    "run",
    "simulate",
    "suite_schema",
    "validate",
    "write_figures",
    "write_html",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("airwire._core").__version__
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'airwire' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
