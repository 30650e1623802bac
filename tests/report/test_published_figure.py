"""Measured beside published: which rows the figure has, and where its marks stand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import vl_convert
from report_analysis import constant, make_capture

from airwire.board_row import board_row_of
from airwire.model import Analysis, Capture
from airwire.report.published_figure import published_figure
from airwire.report.samples import views_of
from airwire.report.spec import Figure, vegalite_of


def row(name: str, title: str, rate: float, published: float) -> Capture:
    entry: dict[str, Any] = {
        "title": title,
        "board": "pico",
        "firmware": {"name": "a.elf", "sha256": "00"},
        "settings": {},
        "network": "default",
        "traffic": [],
        "of": None,
        "measure": "messages",
        "figure": {"value": rate, "interval": [rate * 0.9, rate * 1.1], "unit": "messages/s", "n": 40},
        "published": {
            "value": published,
            "unit": "messages/s",
            "in_unit": published,
            "source": "a table",
            "note": None,
            "compare": "absolute",
            "measured_share": rate / published,
        },
        "same_but": None,
        "skip": 0,
        "end_ps": 1,
        "ended": "",
        "problem": None,
        "counts": {},
        "evidence": None,
        "notes": [],
    }
    return replace(make_capture(name, constant, count=3), board=board_row_of(entry, pl.DataFrame))


def figure_of(*rows: Capture) -> Figure:
    figure = published_figure(views_of(Analysis(list(rows), [], "known", 1)))
    assert figure is not None
    return figure


def test_rows_that_share_a_title_have_a_line_each() -> None:
    figure = figure_of(
        row("fast", "ping-pong", 1000, 500), row("a", "the same", 10, 20), row("b", "the same", 100, 200)
    )
    (panel,) = figure.panels
    assert panel.data["m"]["name"] == panel.data["p"]["name"] == ["ping-pong", "the same (a)", "the same (b)"]
    assert panel.data["m"]["value"] == [1000, 10, 100] and panel.data["p"]["value"] == [500, 20, 200]
    assert vl_convert.vegalite_to_svg(vegalite_of(figure)).startswith("<svg")
