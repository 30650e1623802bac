"""The pytest plug-in: the fixture ``bench`` measures links, suites and firmware, and failed bounds show the waterfall.

Nothing of the bench is loaded until a test asks for the fixture, so that the plug-in costs other projects nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from airwire.pytest_plugin.virtual_bench import Bench as Bench

_REPORT = "airwire_report"
_MEASURED = "airwire.pytest_plugin.measured"


def __getattr__(name: str) -> Any:
    """``Bench``, for the type hints of tests, once somebody asks for it."""
    if name == "Bench":
        from airwire.pytest_plugin.virtual_bench import Bench

        return Bench
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--airwire-report DIR``."""
    parser.getgroup("airwire").addoption(
        "--airwire-report",
        metavar="DIR",
        type=Path,
        help="write an HTML report of what each test measured on the bench of Airwire into this folder",
    )


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """The virtual bench: links, suites, and firmware on boards. Files are looked for beside the test's own."""
    from airwire.pytest_plugin.virtual_bench import Bench

    own = Bench(request.path.parent, tmp_path / "airwire")
    yield own
    folder: Path | None = request.config.getoption("--airwire-report")
    if folder is not None:
        name = re.sub(r"[^\w.=-]+", "-", request.node.nodeid).strip("-")
        for report in own.write_reports(folder, name):
            # With these the names of reports reach the summary from other processes too, and JUnit files.
            request.node.user_properties.append((_REPORT, str(report)))


def pytest_assertrepr_compare(op: str, left: Any, right: Any) -> list[str] | None:
    """Where a figure of the bench fails a comparison: the figure, its limit, and where the time goes."""
    module = sys.modules.get(_MEASURED)
    if module is None:
        return None
    if isinstance(left, module.Measured):
        lines: list[str] = left.explanation(op, right)
        return lines
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the reports that were written."""
    every = [report for reports in terminalreporter.stats.values() for report in reports]
    named = [pair for report in every for pair in getattr(report, "user_properties", ())]
    reports = dict.fromkeys(path for name, path in named if name == _REPORT)
    if reports:
        terminalreporter.section("reports of Airwire")
        for path in reports:
            terminalreporter.line(path)
