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


def opened(path: Path, directory: Path) -> Path:
    """A copy of the page that opens its distributions once it is ready."""
    copy = directory / "opened.html"
    click = "for (const one of document.querySelectorAll('#overview details')) one.open = true;"
    copy.write_text(f"{path.read_text(encoding='utf-8')}<script>setTimeout(() => {{{click}}}, 500);</script>")
    return copy


def test_charts_are_drawn_offline_when_they_are_opened_without_a_word_on_the_console(
    page_path: Path, tmp_path: Path
) -> None:
    document, log = browse(opened(page_path, tmp_path), tmp_path / "profile", "", "--dump-dom")
    assert "CONSOLE" not in log
    for key in ("boxes", "densities", "ecdf", "outcomes"):
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


def summary_after(clicks: int, page_path: Path, directory: Path) -> tuple[list[str], list[str]]:
    """The summary's captures and groups in the order shown after clicks on the heading of the maxima."""
    presses = "for (const head of document.querySelectorAll('.summary thead button'))"
    presses += f" if (head.textContent === 'max') for (let n = 0; n < {clicks}; n++) head.click();"
    copy = directory / "clicked.html"
    page = page_path.read_text(encoding="utf-8")
    copy.write_text(f"{page}<script>setTimeout(() => {{{presses}}});</script>", encoding="utf-8")
    document, log = browse(copy, directory / "profile", "", "--dump-dom")
    assert "CONSOLE" not in log
    table = document[document.index('<table class="summary') :].partition("</table>")[0]
    shown = [] if "flat" in table[: table.index(">")] else re.findall(r'scope="rowgroup"[^>]*>([^ <]+)', table)
    return re.findall(r'scope="row"[^>]*><a href="#(c\d)"', table), shown


def test_sorting_flattens_the_groups_and_the_third_click_brings_them_back(page_path: Path, tmp_path: Path) -> None:
    slowest = {f"c{place}": capture.latency_ps for place, capture in enumerate(small_analysis().captures, 1)}
    maxima = {anchor: latency["max"] for anchor, latency in slowest.items() if latency}
    ascending, groups = summary_after(1, page_path, tmp_path)
    assert groups == []
    assert [maxima[anchor] for anchor in ascending[:-1]] == sorted(maxima.values())
    restored, groups = summary_after(3, page_path, tmp_path)
    assert groups == ["ble", "nrf", "wire", "dead"]
    assert restored == sorted(restored)
