"""Rows of boards through the Python interface, and settings of images."""

from __future__ import annotations

from pathlib import Path

import pytest

import airwire
from airwire.board import Board, image_settings

SUITE = """
[boards.pp]
firmware = "wiznet_settings.elf"
settings = { interrupts = true, rounds = 60 }
skip = 1
limit = "3 s"
"""


def test_a_run_gives_rows_of_boards_and_can_be_loaded_again(images: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_text(SUITE)
    analysis = airwire.run(suite, firmware=images, out=tmp_path / "run")
    row = analysis.captures[0]
    assert row.board is not None and row.board.figure is not None and row.link is None
    assert row.outcomes["paired"] == 59 == row.samples.height == row.board.figure.n
    loaded = airwire.load_run(tmp_path / "run").captures[0]
    assert loaded.board is not None
    assert (loaded.board.figure, loaded.board.settings) == (row.board.figure, row.board.settings)
    assert loaded.latency_ps == row.latency_ps
    assert loaded.board.spans.equals(row.board.spans)


def test_explanations_of_boards_come_with_those_of_links(images: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_text(f"samples = 50\npayloads = [12]\n[links.uart]\n{SUITE}")
    analysis = airwire.run(suite, firmware=images, out=tmp_path / "run")
    link, board = airwire.explain_run(analysis, samples=50)
    assert (link.board, board.board) == (None, "w5500-evb-pico")
    total = sum(stage.ps for stage in board.waterfalls[0].stages)
    assert total == pytest.approx(board.waterfalls[0].latency_ps, rel=0.05)


def test_settings_are_words_in_the_image_that_a_board_starts_with(images: Path) -> None:
    image = images / "wiznet_settings.elf"
    known = {one.name: one for one in image_settings(image)}
    assert (known["rounds"].value, known["server_address"].text) == (1000, "192.168.1.1")
    board = Board("w5500-evb-pico", image, record=False, settings={"rounds": 7, "server_address": "192.168.1.9"})
    assert board.memory.word(known["rounds"].address) == 7
    assert board.memory[known["server_address"].address : known["server_address"].address + 4] == bytes(
        [192, 168, 1, 9]
    )


def test_an_image_without_settings_says_what_one_is(images: Path) -> None:
    assert image_settings(images / "wiznet_http.elf") == []
    with pytest.raises(airwire.AirwireError, match="it has none at all: a setting is a word in flash"):
        Board("w5500-evb-pico", images / "wiznet_http.elf", settings={"spi_hz": "33 MHz"})
