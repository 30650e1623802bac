"""``docs/explanation/lwip-options.md``: its figures are those of the images, and its sentences follow from them."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
from docs_console import REPOSITORY

TEXT = (REPOSITORY / "docs" / "explanation" / "lwip-options.md").read_text(encoding="utf-8")
RAW, SOCKETS, FAR_RAW, FAR_SOCKETS, W5500_RAW, W5500_SOCKETS = range(6)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(REPOSITORY / "tools" / "documents")
    return importlib.import_module("lwip_options")


def row(name: str) -> list[float]:
    """A row's figures; the middle of a range."""
    (line,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", TEXT, re.MULTILINE)
    ends = [[float(end) for end in cell.split(" to ")] for cell in line.split(" | ")]
    return [sum(cell) / len(cell) for cell in ends]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [("defaults", "default"), ("published", "published")])
def test_the_figures_are_those_of_the_built_images(script: Any, firmware: Path, name: str, options: str) -> None:
    for column in (RAW, SOCKETS):
        setup = script.SETUPS[column]
        rate = script.rate(firmware / setup.board, setup, options, time="4s")
        assert rate == pytest.approx(row(name)[column], rel=0.05)


def test_the_page_has_a_line_for_each_row_of_the_script(script: Any) -> None:
    assert len(script.SETUPS) == 6
    assert all(len(row(name)) == 6 for name in script.ROWS)


def test_what_the_tuning_is_worth_is_as_the_page_says() -> None:
    worth = [tuned / default for tuned, default in zip(row("published"), row("defaults"), strict=True)]
    told = " ".join(TEXT.split())
    assert f"the tuning makes it {worth[FAR_RAW]:.1f} times as fast" in told
    assert f"gives {worth[RAW]:.1f} times the rate on the raw interface" in told
    assert f"With sockets, which need longer to open the window again, it gives {worth[SOCKETS]:.1f} times" in told
    assert "worth a third to a half more" in told
    assert 1.25 < worth[W5500_RAW] < worth[W5500_SOCKETS] < 1.6
    # 33 Mbit/s of SPI, and 1460 of 1538 bytes on the wire at 100 Mbit/s.
    assert max(row("published")[W5500_RAW:]) < 33
    assert max(row("published")[:W5500_RAW]) < 100 * 1460 / 1538
