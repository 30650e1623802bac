"""The tables of ``docs/explanation/pairing.md`` hold what Airwire computes."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_console import REPOSITORY, workspace
from docs_tables import TABLES, computed, files_of, tables_in

import airwire

PAGE = REPOSITORY / "docs" / "explanation" / "pairing.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in files_of(PAGE).items():
        (tmp_path / name).write_text(content, encoding="ascii")
    return workspace(tmp_path)


@pytest.mark.parametrize("name", ["late", "lone", "pipelined"])
def test_a_table_over_captures_in_the_page_is_true(name: str, folder: Path) -> None:
    assert tables_in(PAGE)[name] == computed(name, folder)


def test_the_table_over_real_captures_is_true(folder: Path, real_captures: Path) -> None:
    assert real_captures.is_dir()
    assert tables_in(PAGE)["real"] == computed("real", folder)


def test_every_table_is_in_the_page() -> None:
    assert set(tables_in(PAGE)) == set(TABLES)


def test_fifo_with_a_longest_latency_agrees_with_strict_on_a_lossy_link(real_captures: Path) -> None:
    path = real_captures / "rfm95" / "250k-SF128-1024B.csv"
    creeping = airwire.analyze(path, pairing="fifo").captures[0].latency_ps
    bounded = airwire.analyze(path, pairing="fifo", max_latency="1s").captures[0].latency_ps
    strict = airwire.analyze(path).captures[0].latency_ps
    assert creeping is not None
    assert round(creeping["max"] / 1e12, 1) == 30.8
    assert bounded == strict


def test_the_edges_at_the_ends_of_the_recordings_are_as_the_page_says(real_captures: Path) -> None:
    nrf24 = airwire.read_edges(real_captures / "nrf24" / "256kbps-1024B.csv")
    last_trigger_ps = nrf24.frame.filter(nrf24.frame["Channel 0"])["time_ps"][-1]
    assert round((nrf24.end_ps - last_trigger_ps) / 1e9) == 29
    espnow = airwire.read_edges(real_captures / "espnow" / "1024B.csv").frame
    first_done_ps = espnow.filter(espnow["Channel 1"])["time_ps"][0]
    first_trigger_ps = espnow.filter(espnow["Channel 0"])["time_ps"][0]
    assert round((first_trigger_ps - first_done_ps) / 1e9) == 75
