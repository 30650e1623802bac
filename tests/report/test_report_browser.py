"""The page in a real browser without a network: charts are drawn and the console stays silent."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from report_analysis import small_analysis

from airwire.report import write_html

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))),
    None,
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=15000", "--window-size=1400,9000",
)  # fmt: skip
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: nothing can open the page")


def browse(path: Path, profile: Path, fragment: str, *flags: str) -> tuple[str, str]:
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *flags, f"{path.as_uri()}{fragment}"]
    done = subprocess.run(command, check=True, capture_output=True, timeout=120)
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "report.html"
    write_html(small_analysis(), path)
    return path


def drawn(document: str, key: str) -> list[bool]:
    places = re.findall(rf'<div class="chart[^"]*"[^>]*data-figure="{key}"[^>]*>(.{{0,200}})', document)
    return ["<svg" in place for place in places]


def test_overview_charts_are_drawn_offline_without_a_word_on_the_console(page_path: Path, tmp_path: Path) -> None:
    document, log = browse(page_path, tmp_path, "", "--dump-dom")
    assert "CONSOLE" not in log
    for key in ("ranking", "boxes", "densities", "ecdf", "outcomes"):
        places = drawn(document, key)
        assert places, key
        assert all(places), key
    assert not any(drawn(document, "c1"))


def test_a_link_to_a_capture_opens_its_section_and_draws_its_charts(page_path: Path, tmp_path: Path) -> None:
    document, log = browse(page_path, tmp_path, "#c1", "--dump-dom")
    assert "CONSOLE" not in log
    places = drawn(document, "c1")
    assert len(places) == 4
    assert all(places)


def test_printing_draws_what_was_never_on_screen(page_path: Path, tmp_path: Path) -> None:
    pdf = tmp_path / "report.pdf"
    browse(page_path, tmp_path / "profile", "", f"--print-to-pdf={pdf}")
    text_tool = shutil.which("pdftotext")
    if text_tool is None:
        pytest.skip("pdftotext is not installed: the printed page cannot be read")
    text = subprocess.run([text_tool, str(pdf), "-"], check=True, capture_output=True).stdout.decode("utf-8")
    assert text.count("time since the first trigger (s)") == 5
