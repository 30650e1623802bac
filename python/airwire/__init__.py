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
    from airwire.board import Board, board_header, board_names, board_schema, describe_board
    from airwire.board.spi_controller import SpiController
    from airwire.capture.analysis import analyze, read_edges
    from airwire.capture.conversion import convert
    from airwire.explain.link_run import explain_capture, explain_run
    from airwire.link.catalogue import link_budget, links, suite_schema
    from airwire.link.model import (
        CaptureExplanation,
        Choice,
        Ledger,
        Link,
        LinkBudget,
        LinkRow,
        PublishedMedian,
        RowExplanation,
        Stage,
        Waterfall,
    )
    from airwire.model import Analysis, Capture, CaptureFailure, Comparison, Edges, Finding, Interval
    from airwire.report import write_figures, write_html
    from airwire.runs.comparison import compare, ecdf
    from airwire.runs.selection import choose
    from airwire.runs.simulation import simulate
    from airwire.runs.stored import load_run
    from airwire.runs.suite import run
    from airwire.runs.validation import validate
    from airwire.values import format_time, parse_size, parse_time

_HOMES = {
    **dict.fromkeys(("AirwireError",), "airwire._core"),
    **dict.fromkeys(("Board", "board_header", "board_names", "board_schema", "describe_board"), "airwire.board"),
    **dict.fromkeys(("SpiController",), "airwire.board.spi_controller"),
    **dict.fromkeys(("analyze", "read_edges"), "airwire.capture.analysis"),
    **dict.fromkeys(("convert",), "airwire.capture.conversion"),
    **dict.fromkeys(("explain_capture", "explain_run"), "airwire.explain.link_run"),
    **dict.fromkeys(("link_budget", "links", "suite_schema"), "airwire.link.catalogue"),
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
            "Stage",
            "Waterfall",
        ),
        "airwire.link.model",
    ),
    **dict.fromkeys(
        ("Analysis", "Capture", "CaptureFailure", "Comparison", "Edges", "Finding", "Interval"), "airwire.model"
    ),
    **dict.fromkeys(("write_figures", "write_html"), "airwire.report"),
    **dict.fromkeys(("compare", "ecdf"), "airwire.runs.comparison"),
    **dict.fromkeys(("choose",), "airwire.runs.selection"),
    **dict.fromkeys(("simulate",), "airwire.runs.simulation"),
    **dict.fromkeys(("load_run",), "airwire.runs.stored"),
    **dict.fromkeys(("run",), "airwire.runs.suite"),
    **dict.fromkeys(("validate",), "airwire.runs.validation"),
    **dict.fromkeys(("format_time", "parse_size", "parse_time"), "airwire.values"),
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
    "format_time",
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
