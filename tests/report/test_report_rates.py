"""Rows that transfer as much as they can: their charts are of Mbit/s, never of the intervals of 50 ms."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import polars as pl
import vl_convert
from report_analysis import MS
from report_links import link_run
from report_page_reader import read

from airwire.board.row import BoardRow, Figure
from airwire.model import Analysis, Capture
from airwire.report import write_figures, write_html
from airwire.report.figures import overview_figures
from airwire.report.rate_figure import rate_figure
from airwire.report.samples import views_of
from airwire.report.spec import vegalite_of

INTERVAL = 50 * MS
BYTES = (40_000, 41_000, 42_000, 41_000)


def bulk_row() -> Capture[BoardRow]:
    times = [place * INTERVAL for place in range(len(BYTES))]
    samples = pl.DataFrame(
        {
            "index": range(len(BYTES)),
            "trigger_ps": times,
            "done_ps": [time + INTERVAL for time in times],
            "latency_ps": [INTERVAL] * len(BYTES),
            "payload_bytes": BYTES,
            "outcome": ["paired"] * len(BYTES),
        }
    )
    board = BoardRow(
        title="TCP in", board="w5500-evb-pico", firmware="sink.elf", firmware_sha256="", settings={}, network="",
        traffic=[], of=None, measure="bulk", figure=Figure(6.56e6, None, "bit/s", 4), published=None, same_but=None,
        skip=0, end_ps=0, ended="", problem=None, counts={}, evidence={}, notes=[],
        load_spans=lambda: pl.DataFrame(),
    )  # fmt: skip
    latency = dict.fromkeys(("min", "p50", "p75", "p95", "p99", "max", "mean"), float(INTERVAL))
    outcomes = {"paired": len(BYTES), "missed": 0}
    return Capture("sink", "sink", None, len(BYTES), outcomes, latency, None, None, (), lambda: samples, board)


def run() -> Analysis:
    return dataclasses.replace(Analysis([bulk_row()], [], "known", 1), suite="bulk")


def test_the_charts_of_a_transfer_are_of_its_rate() -> None:
    figure = rate_figure(views_of(run())[0])
    over_time, histogram = figure.panels
    assert over_time.data["s"]["y"] == [6.4, 6.56, 6.72, 6.56]
    assert sum(histogram.data["h"]["n"]) == len(BYTES)
    assert over_time.caption == "Each point is an interval of 50 ms."
    assert vl_convert.vegalite_to_vega(vegalite_of(figure))["marks"]


def test_the_page_says_nothing_of_a_latency_of_50_ms(tmp_path: Path) -> None:
    write_html(run(), tmp_path / "page.html")
    page = read(tmp_path / "page.html")
    assert "The row: sink , 6.560 Mbit/s" in page.text
    assert [panel["spec"]["encoding"]["y"]["title"] for panel in page.figures["c1"]] == ["rate (Mbit/s)", "intervals"]
    assert page.text.count("50 ms") == 1, "only the caption that says how long an interval is"
    assert "summary" not in page.ids, "there is no latency to give percentiles of"
    names = [path.stem for path in write_figures(run(), tmp_path / "figures", ("svg",), captures=True)]
    assert names == ["published", "capture-1-sink"]


def test_a_suite_of_links_and_boards_ranks_its_links(tmp_path: Path) -> None:
    bulk = bulk_row()
    board = dataclasses.replace(
        bulk, path="ping", group="ping", target=dataclasses.replace(bulk.target, measure="latency", figure=None)
    )
    mixed = dataclasses.replace(link_run(), captures=[*link_run().captures, board, bulk])
    ranking = next(figure for figure in overview_figures(views_of(mixed)) if figure.name == "ranking")
    assert [panel.title for panel in ranking.panels] == ["12 B payload", "128 B payload"]
    write_html(mixed, tmp_path / "page.html")
    page = read(tmp_path / "page.html")
    assert "6 rows" in page.text
    assert page.text.count("Ranking by median") == 1, "the first picture is the ranking, so that it is not folded again"


def test_a_transfer_of_nothing_is_told_in_a_sentence(tmp_path: Path) -> None:
    row = bulk_row()
    nothing = row.samples.with_columns(pl.lit(0).alias("payload_bytes"))
    empty = dataclasses.replace(run(), captures=[dataclasses.replace(row, load_samples=lambda: nothing)])
    write_html(empty, tmp_path / "page.html")
    assert "Nothing was transferred." in read(tmp_path / "page.html").text
