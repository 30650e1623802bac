"""Fixtures that tests of every folder share."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from airwire import validate
from airwire.link.model import Ledger
from artefacts import NO_COMPILER, built_images, session_folder
from command_server import CommandServer
from kept import command_run, kept_result
from order import place_in_line

REPOSITORY = Path(__file__).resolve().parents[1]
CAPTURES = REPOSITORY.parent / "shared" / "captures"
REFERENCE = REPOSITORY.parent / "shared" / "reference"
MAY_BE_LEFT_OUT = re.compile(
    r"takes minutes|real captures|published figures|AIRWIRE_IMAGES|root reads everything|page was written with another"
    r"|page has the sizes of GCC|recorded sizes are those of GCC|CPython 3\.11"
)
"""Why a test may be left out anywhere: no machine of ours must have what it needs."""

# `make properties` takes the second one. A case has no time limit, as the machine may be busy.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile(
    "random", deadline=None, max_examples=int(os.environ.get("AIRWIRE_PROPERTY_CASES", "100"))
)
hypothesis.settings.load_profile("same")

# Below nohup a process ignores that its terminal is closed, and so would the commands that tests close a terminal for.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


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


SOME_LINKS = ("nrf24", "hc-05", "espnow", "rfm95")
"""The folders of links whose captures stand for all of them: these are done in seconds."""


@pytest.fixture(scope="session")
def ledger(real_captures: Path) -> Ledger:
    """Every model against every real capture, which takes a minute and more."""
    return ledger_of(real_captures)


@pytest.fixture(scope="session", params=["some links", pytest.param("all links", marks=pytest.mark.slow)])
def some_ledger(request: pytest.FixtureRequest, real_captures: Path) -> Ledger:
    """That of a few links, and in `make test-slow` that of all: no row depends on the captures of another link."""
    return ledger_of(real_captures, SOME_LINKS if request.param == "some links" else ())


def ledger_of(captures: Path, only: tuple[str, ...] = ()) -> Ledger:
    """The models against captures, kept for sessions that follow."""

    def make(folder: Path) -> None:
        (folder / "ledger").write_bytes(pickle.dumps(validate(captures, only=[f"{name}/" for name in only])))

    kept = kept_result("ledger", [captures], make, key=",".join(only))
    found: Ledger = pickle.loads((kept / "ledger").read_bytes())
    return found


@pytest.fixture(scope="session")
def images() -> Path:
    """The folder of our own firmware images (tests/images), each as .elf, .bin and .uf2."""
    folder = built_images()
    if folder is None:
        pytest.skip(NO_COMPILER)
    return folder


@pytest.fixture(scope="session")
def firmware() -> Path:
    """The folder of the product's firmware, with a folder for each board; `make test` builds it."""
    folder = REPOSITORY / "build" / "firmware"
    if not (folder / "w5500-evb-pico" / "pingpong_client-hardware.elf").is_file():
        pytest.skip("the firmware is not built: make firmware (needs arm-none-eabi-gcc)")
    return folder


@pytest.fixture(scope="session")
def firmware_of_avrs(firmware: Path) -> Path:
    """The same where the boards with an AVR are in it, which suites/published.toml has rows of."""
    if not (firmware / "goldilocks-1284p-w5200").is_dir():
        pytest.skip("the images for AVRs are not built: make firmware (needs avr-gcc)")
    return firmware


@pytest.fixture(scope="session")
def whole_run() -> Callable[[str], Path]:
    """Run a document's command for a whole suite or the demo, unless it ran already; gives its folder."""
    return command_run


@pytest.fixture(scope="session")
def command_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandServer]:
    """What runs the commands of this process's tests."""
    server = CommandServer(command_environment(), session_folder(tmp_path_factory))
    yield server
    server.close()


def command_environment() -> dict[str, str]:
    """The environment of commands: a wide terminal without colours."""
    return {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}


@pytest.fixture
def airwire(
    request: pytest.FixtureRequest, tmp_path: Path, command_server: CommandServer
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command ``airwire`` in an empty folder."""
    # What takes minutes takes several where the machine is busy.
    timeout_s = 120 if request.node.get_closest_marker("slow") is None else 1800

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return command_server.run([*map(str, arguments)], tmp_path, command_environment(), timeout_s=timeout_s)

    return run


def pytest_configure() -> None:
    """Programs that tests start end when they are interrupted, although a shell has what it starts in the background
    ignore that."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Slow tests run only when they are asked for (``make test-slow``)."""
    parser.addoption("--slow", action="store_true", help="run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the longest files, and leave out slow tests unless they are asked for."""
    items.sort(key=lambda item: place_in_line(item.path))
    if config.getoption("--slow"):
        return
    left_out = pytest.mark.skip(reason="takes minutes; run with make test-slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(left_out)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Where every tool must be there (``AIRWIRE_REQUIRE``, as in CI), a test that is left out for want of one fails."""
    report = yield
    if report.skipped and os.environ.get("AIRWIRE_REQUIRE") and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not MAY_BE_LEFT_OUT.search(reason):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: left out though AIRWIRE_REQUIRE is set: {reason}"
    return report
