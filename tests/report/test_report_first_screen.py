"""The head of a report: when, with which version and by which command, and the result in a few sentences."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from report_analysis import small_analysis
from report_links import link_run, published_run
from report_page_reader import read

from airwire.report import write_html
from airwire.report.agreement_figure import FEWEST, agreement_figure
from airwire.report.dot_plot import Dot, domain_of, dot_plot
from airwire.report.environment import run_facts
from airwire.report.samples import views_of


def test_the_head_says_when_and_how_a_run_was_made(tmp_path: Path) -> None:
    known = {"started": "2026-01-02T03:04:05.6+00:00", "airwire": "1.2.3", "command": "airwire run x --seed 1"}
    (tmp_path / "environment.json").write_text(json.dumps(known))
    write_html(dataclasses.replace(link_run(), run_folder=str(tmp_path)), tmp_path / "page.html")
    head = read(tmp_path / "page.html").text
    assert "2026-01-02 03:04 UTC · Airwire 1.2.3 · $ airwire run x --seed 1 · 4 rows" in head


@pytest.mark.parametrize("content", ["{}", "[]", "{", '{"started": 1, "airwire": null}'])
def test_what_is_not_known_of_a_run_is_left_out(tmp_path: Path, content: str) -> None:
    (tmp_path / "environment.json").write_text(content)
    assert run_facts(str(tmp_path)) == []
    assert run_facts(str(tmp_path / "nowhere")) == []
    assert run_facts(None) == []


def test_the_result_of_captures_is_told_in_three_sentences(tmp_path: Path) -> None:
    write_html(small_analysis(), tmp_path / "page.html")
    text = read(tmp_path / "page.html").text
    assert "Medians from 500 us ( nrf/32B-comb.csv ) to 8.072 ms ( ble/12B-slot.csv ). 32 of 501 messages" in text
    assert "The surest of 9 findings, in ble/12B-slot.csv : This is a gate." in text


def test_few_published_figures_make_no_picture_of_their_own() -> None:
    run = published_run()
    assert agreement_figure(views_of(run)) is None
    rows = [dataclasses.replace(run.captures[2], path=f"quick/{n}") for n in range(FEWEST)]
    figure = agreement_figure(views_of(dataclasses.replace(run, captures=rows)))
    assert figure is not None
    (panel,) = figure.panels
    assert panel.data["d"]["x"] == [6] * FEWEST
    assert panel.data["d"]["y"] == [pytest.approx(run.captures[2].statistic("p50") / 1e9, rel=1e-5)] * FEWEST


def test_dots_lie_on_an_axis_that_ends_at_the_data() -> None:
    dots = [Dot("a <b>", "c1", 1, 1, 1, "1 ms"), Dot("c", "c2", 10, 10, 100, "10 ms")]
    plot = dot_plot(dots, "two", domain_of(dots))
    assert "a &lt;b&gt;" in plot
    places = [float(part.partition("%")[0]) for part in plot.split("class='dot' style='left:")[1:]]
    assert places == [pytest.approx(1.92, abs=0.1), pytest.approx(50, abs=0.1)]
    assert "10 s" not in plot
