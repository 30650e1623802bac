"""Published timings of the RP2040 against the virtual board, and the page that shows them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = REPOSITORY / "tools" / "documents"
PAGE = REPOSITORY / "docs" / "explanation" / "fidelity-board.md"

sys.path.insert(0, str(SCRIPTS))
targets = importlib.import_module("board_timing_targets").TARGETS
runs: ModuleType = importlib.import_module("board_timing_runs")
sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Every timing that can be measured on this machine."""
    if runs.compiler_version() is None:
        pytest.skip("arm-none-eabi-gcc is not on this machine (Debian: gcc-arm-none-eabi)")
    folder = tmp_path_factory.mktemp("timing")
    runs.build(folder)
    found: dict[str, float] = runs.measure(folder)
    return found


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script that writes the page; it finds its parts beside it."""
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("board_timing")


@pytest.mark.parametrize("target", targets, ids=lambda target: target.key)
def test_the_virtual_board_takes_the_time_that_was_published(target: Any, measured: dict[str, float]) -> None:
    if target.key not in measured:
        pytest.skip("CoreMark's sources are not on this machine (pip install pythondata-cpu-ibex)")
    assert target.is_met(measured[target.key]), f"{measured[target.key]} for {target}"


def test_every_measurement_has_a_published_timing(measured: dict[str, float]) -> None:
    assert set(measured) <= {target.key for target in targets}


def test_the_page_shows_what_is_measured_today(measured: dict[str, float], script: ModuleType) -> None:
    page = PAGE.read_text(encoding="utf-8")
    version = runs.compiler_version()
    if f"{runs.COMPILER} {version}." not in page:
        pytest.skip(f"the page was written with another compiler than {version}")
    lines = [script.line(target, measured[target.key]) for target in targets if target.key in measured]
    differing = [line for line in lines if line not in page]
    assert differing == [], "`python tools/documents/board_timing.py` writes the table and its picture anew"
