"""Fixtures that tests of every folder share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
CAPTURES = REPOSITORY.parent / "shared" / "captures"
REFERENCE = REPOSITORY.parent / "shared" / "reference"


@pytest.fixture(scope="session")
def real_captures() -> Path:
    """The folder of real captures, which only some machines have."""
    if not CAPTURES.is_dir():
        pytest.skip("the real captures (../shared/captures) are not on this machine")
    return CAPTURES


@pytest.fixture(scope="session")
def published_latency() -> Path:
    """Percentiles that were published of the real captures."""
    table = REFERENCE / "published-latency.csv"
    if not table.is_file():
        pytest.skip("the published figures (../shared/reference) are not on this machine")
    return table


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of our own firmware images (tests/images), each as .elf, .bin and .uf2; built once per session."""
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not on this machine (Debian: gcc-arm-none-eabi)")
    folder = tmp_path_factory.mktemp("images")
    built = subprocess.run(
        ["make", "-j2", "-C", str(REPOSITORY / "tests" / "images"), f"OUT={folder}", f"PYTHON={sys.executable}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="session")
def firmware() -> Path:
    """The folder of the product's firmware, with a folder for each board; `make test` builds it."""
    folder = REPOSITORY / "build" / "firmware"
    if not (folder / "w5500-evb-pico" / "pingpong_client-hardware.elf").is_file():
        pytest.skip("the firmware is not built: make firmware (needs arm-none-eabi-gcc)")
    return folder


@pytest.fixture(scope="session")
def published_runs() -> list[Path]:
    """Run folders of the whole of ``suites/published.toml`` that tests of this session have left: it takes a while."""
    return []


@pytest.fixture
def airwire(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command ``airwire`` in an empty folder."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "airwire.cli", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def pytest_addoption(parser: pytest.Parser) -> None:
    """Slow tests run only when they are asked for (``make test-slow``)."""
    parser.addoption("--slow", action="store_true", help="run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests unless they are asked for."""
    if config.getoption("--slow"):
        return
    left_out = pytest.mark.skip(reason="takes minutes; run with make test-slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(left_out)
