"""Report pages on wide screens and on phones, light and dark: nothing is cut off, wider than the window, or overlaps.

Pictures of what was seen are in ``build/screens``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import CHROMIUM, Tab, browser
from report_analysis import small_analysis
from report_links import link_run, published_run

import airwire
from airwire.model import Analysis
from airwire.report import write_html

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "build" / "screens"
FAULTS = Path(__file__).with_name("page_faults.js").read_text(encoding="utf-8")
CAPTURES = ROOT.parent / "shared" / "captures" / "espnow"
IMAGES = ROOT / "build" / "firmware"
BOARDS = """
name = "boards and links"
samples = 60
payloads = [12]
[links.lora]
[links.espnow]
[boards.pingpong]
title = "ping-pong, chip's sockets, with a title that is too long for one line of a telephone"
firmware = "w5500-evb-pico/pingpong_client-hardware.elf"
published = { value = 9000, unit = "messages/s", source = "a table", compare = "absolute" }
[boards.pingpong-prints]
same_but = "pingpong"
settings = { print_each = "on" }
[boards.pingpong-polled]
same_but = "pingpong"
settings = { wiznet_int = "off" }
[boards.bulk]
firmware = "w5500-evb-pico/streams-lwip_raw.elf"
traffic = [{ kind = "bulk", to = "board:9", time = "1s", interval = "50ms" }]
measure = "bulk"
samples = 8
[boards.pages]
firmware = "w5500-evb-pico/http_server-lwip_raw.elf"
traffic = ["http to=board path=/nowhere requests=30"]
measure = "requests"
samples = 20
"""
WIDTHS = (1400, 400)
MOST_PIXELS_A_ROW = 60
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: nothing can open the page")


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def of_demo(folder: Path) -> Analysis:
    return airwire.run("demo", out=folder / "run")


def of_boards(folder: Path) -> Analysis:
    """Rows of boards, each with a waterfall, transfers with other charts, and links beside them in one legend."""
    if not (IMAGES / "w5500-evb-pico" / "pingpong_client-hardware.elf").is_file():
        pytest.skip("the firmware is not built: make firmware (needs arm-none-eabi-gcc)")
    suite = folder / "boards.toml"
    suite.write_text(BOARDS)
    return airwire.run(suite, firmware=IMAGES, out=folder / "run")


def of_captures(_folder: Path) -> Analysis:
    if not CAPTURES.is_dir():
        pytest.skip("the real captures (../shared/captures) are not on this machine")
    return airwire.analyze(sorted(CAPTURES.iterdir()))


PAGES = {
    "findings": lambda _: small_analysis(),
    "links": lambda _: link_run(),
    "published": lambda _: published_run(),
    "demo": of_demo,
    "boards": of_boards,
    "captures": of_captures,
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("page")
    path = folder / "page.html"
    write_html(PAGES[request.param](folder), path)
    return request.param, path


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_or_lies_over_something_else(page: tuple[str, Path], tab: Tab, width: int) -> None:
    name, path = page
    PICTURES.mkdir(parents=True, exist_ok=True)
    tab.complaints.clear()
    tab.open(path, width=width, dark=True)
    tab.photograph(PICTURES / f"{name}-{width}-dark.png")
    tab.open(path, width=width)
    tab.photograph(PICTURES / f"{name}-{width}.png")
    assert tab.ask(FAULTS) == []
    # Everything is opened and drawn, as far as a window of a reasonable height goes.
    tab.ask("for (const one of document.querySelectorAll('details')) one.open = true")
    tab.resize(width, 12_000)
    tab.wait(
        "[...document.querySelectorAll('.chart')].every((one) => one.querySelector('svg') "
        "|| one.getBoundingClientRect().top > 12000)"
    )
    assert tab.ask(FAULTS) == []
    tab.photograph(PICTURES / f"{name}-{width}-open.png")
    assert tab.complaints == []


def test_the_picture_is_on_the_first_screen(page: tuple[str, Path], tab: Tab) -> None:
    _, path = page
    tab.open(path, width=1400)
    top = tab.ask("document.getElementById('picture').getBoundingClientRect().top")
    assert top < 400
    rows = tab.ask("document.querySelectorAll('details.capture').length")
    height = tab.ask("document.documentElement.scrollHeight")
    assert height < 2500 + MOST_PIXELS_A_ROW * rows


def test_the_faults_that_are_looked_for_are_found(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_html(link_run(), path)
    tab.open(path, width=400)
    tab.ask("document.querySelector('h1').style.cssText = 'white-space:nowrap;width:900px'")
    tab.ask("document.querySelector('.rows h3').style.cssText = 'margin-right:-12rem;white-space:nowrap'")
    tab.ask("document.querySelector('.rows h3').textContent = 'a name that is far too long to stand here'")
    faults = " ".join(tab.ask(FAULTS))
    assert "the page is" in faults and "over each other" in faults
