"""The chart of measured beside published figures of boards."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import vl_convert

from airwire.board.row import BoardRow, Figure, Published, SameBut
from airwire.model import CaptureFile
from airwire.report.published_figure import published_figure
from airwire.report.spec import vegalite_of

if TYPE_CHECKING:
    from airwire.report.samples import CaptureView

ABSOLUTE = Published(500, "messages/s", 500, "a report", None, "absolute", 2.0)
RATIO = Published(4, "x", 4, "a report", None, "ratio", 0.5)
RANGE = Published(None, "Mbit/s", None, "a report", None, "mechanism", None, 1, 3, (1e6, 3e6))
MECHANISM = Published(50, "messages/s", 50, "a report", None, "mechanism", None)


def view(
    row: str, title: str, value: float, unit: str, published: Published | None, same: float | None = None
) -> object:
    board = BoardRow(
        title=title, board="", firmware="", firmware_sha256="", settings={}, network="", traffic=[], of=None,
        measure="messages", figure=Figure(value, (0.9 * value, 1.1 * value), unit, 40), published=published,
        same_but=None if same is None else SameBut("other", "spi_hz", "1", "2", Figure(same, None, unit, 40)),
        skip=0, end_ps=0, ended="", problem=None, counts={}, evidence={}, notes=[],
        load_spans=lambda: pytest.fail("not needed"),
    )  # fmt: skip
    return SimpleNamespace(capture=SimpleNamespace(path=row, target=board))


def test_each_row_has_a_line_of_its_own_and_each_unit_a_panel() -> None:
    views = [
        view("fast", "fast", 1000, "messages/s", ABSOLUTE),
        view("slow", "the same, slow", 10, "messages/s", MECHANISM),
        view("slower", "the same, slow", 5, "messages/s", None),
        view("tuned", "tuned", 4e6, "bit/s", RATIO, same=2e6),
        view("far", "far", 2e6, "bit/s", RANGE),
    ]
    figure = published_figure([cast("CaptureView", one) for one in views])
    assert figure is not None
    rates, bits = figure.panels
    assert rates.data["m"]["name"] == ["fast", "the same, slow (slow)", "the same, slow (slower)"]
    assert list(zip(rates.data["p"]["name"], rates.data["p"]["value"], rates.data["p"]["solid"], strict=True)) == [
        ("fast", 500, True),
        ("the same, slow (slow)", 50, False),
    ]
    # Four times the other row's 2 Mbit/s.
    assert (bits.data["m"]["value"], bits.data["p"]["value"]) == ([4, 2], [8, 3])
    assert bits.data["p"]["from"] == [8, 1], "of a range there is a line from its least"
    assert vl_convert.vegalite_to_vega(vegalite_of(figure))["marks"]


def test_where_nothing_was_published_nothing_is_said_of_it() -> None:
    figure = published_figure([cast("CaptureView", view("fast", "fast", 1000, "messages/s", None))])
    assert figure is not None and figure.title == "Simulated"
    assert [entry.label for entry in figure.legend] == ["simulated"] and "ublished" not in figure.caption


def test_without_boards_there_is_no_chart() -> None:
    link = SimpleNamespace(capture=SimpleNamespace(path="lora/12B", target=CaptureFile()))
    assert published_figure([cast("CaptureView", link)]) is None
