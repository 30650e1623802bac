"""The HTML page: what it says, that it loads nothing, that it escapes, and that it is the same every time."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest
from report_analysis import (
    MS,
    constant,
    every_finding,
    finding,
    gated,
    jittered,
    make_capture,
    small_analysis,
)
from report_page_reader import read

from airwire.model import Analysis, Capture, CaptureFailure
from airwire.report import write_html

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "a<b>&\"quoted\" 'single' </script><script>alert(1)</script><!--"


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(small_analysis(), path, title="Bench")
    return path


def test_the_page_loads_nothing_from_anywhere(page_path: Path) -> None:
    page = read(page_path)
    assert page.links
    assert all(link.startswith("#") for link in page.links)
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    assert "default-src 'none'" in page_path.read_text(encoding="utf-8")


def test_every_link_inside_the_page_has_a_target(page_path: Path) -> None:
    page = read(page_path)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_findings_follow_the_picture_with_the_most_confident_first(page_path: Path) -> None:
    text = read(page_path).text
    text = text[text.index("Sorted by upper quartile".lower()) :]
    places = [text.index(part) for part in ("This is a gate.", "Act on the gate.", "This is a drift.", "Percentiles")]
    first_table = text.index("Not analysed (1)")
    assert places[0] < places[1] < places[2] < first_table < text.index("Percentiles interpolate")
    assert text.index("97 %") < text.index("90 %") < text.index("75 %")


def test_the_header_says_what_was_analysed(page_path: Path) -> None:
    text = read(page_path).text
    for fact in ("6 captures in 4 groups", "pairing rule strict", "seed 7", "1 file not analysed"):
        assert fact in text


def test_an_interrupted_analysis_says_so(tmp_path: Path) -> None:
    write_html(Analysis([], [], "strict", 1, interrupted=True), tmp_path / "page.html")
    assert "interrupted before all captures were analysed" in read(tmp_path / "page.html").text


def test_a_failed_file_is_named_with_its_reason(page_path: Path) -> None:
    assert "no member metadata was found; export it again." in read(page_path).text


def test_the_same_analysis_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from airwire.report import write_html\n"
        "from report_analysis import *\n"
        "first = make_capture('a/x.csv', gated, findings=every_finding())\n"
        "second = make_capture('a/y.csv', jittered)\n"
        "write_html(Analysis([first, second], [], 'fifo', 3), Path(sys.argv[1]))\n"
    )
    pages = []
    for hash_seed in ("1", "2"):
        target = tmp_path / f"{hash_seed}.html"
        paths = os.pathsep.join((str(ROOT / "python"), str(Path(__file__).parent)))
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": paths}
        subprocess.run([sys.executable, "-c", program, str(target)], check=True, env=environment)
        pages.append(target.read_bytes())
    assert pages[0] == pages[1]


def test_hostile_names_are_text_and_never_markup(tmp_path: Path) -> None:
    captures = [
        make_capture(f"dir/{HOSTILE}.csv", gated, group=HOSTILE, findings=[finding("gate", 0.9, period_ps=HOSTILE)])
    ]
    plain = [make_capture("dir/plain.csv", gated, group="plain", findings=[finding("gate", 0.9)])]
    failure = [CaptureFailure(HOSTILE, HOSTILE)]
    write_html(Analysis(captures, failure, "strict", 1), tmp_path / "hostile.html", title=HOSTILE)
    write_html(Analysis(plain, failure[:0], "strict", 1), tmp_path / "plain.html", title="t")
    hostile, simple = read(tmp_path / "hostile.html"), read(tmp_path / "plain.html")
    assert HOSTILE in hostile.text
    assert list(hostile.scripts) == list(simple.scripts)
    assert hostile.figures["c1"][0]["data"]["s"]["y"]
    assert "<script>alert(1)</script><!--.csv" in hostile.figures["ecdf"][0]["data"]["e"]["name"][0]


def test_an_analysis_of_errors_alone_shows_the_errors(tmp_path: Path) -> None:
    failures = [CaptureFailure(f"f{number}.sr", f"f{number}.sr: empty.") for number in range(3)]
    write_html(Analysis([], failures, "strict", 1), tmp_path / "errors.html")
    page = read(tmp_path / "errors.html")
    assert "Not analysed (3)" in page.text
    assert "f2.sr: empty." in page.text
    assert not page.figures


def test_an_empty_analysis_still_makes_a_page(tmp_path: Path) -> None:
    write_html(Analysis([], [], "strict", 1), tmp_path / "empty.html")
    assert "0 captures" in read(tmp_path / "empty.html").text


def test_a_capture_without_a_pair_says_so_instead_of_drawing(page_path: Path) -> None:
    page = read(page_path)
    nothing = next(number for number in range(1, 7) if f"c{number}" not in page.figures)
    assert f"c{nothing}" in page.ids
    assert "No trigger was paired" in page.text
    assert "Nothing at all was paired in dead/nothing.csv" in page.text


def test_a_batch_in_which_all_was_paired_says_so_in_a_sentence(tmp_path: Path) -> None:
    write_html(Analysis([make_capture("a/b.csv", jittered)], [], "strict", 1), tmp_path / "p.html")
    page = read(tmp_path / "p.html")
    assert "All 120 triggers were paired." in page.text
    assert "outcomes" not in page.figures


def test_hundreds_of_findings_are_condensed_but_all_there(tmp_path: Path) -> None:
    captures = [make_capture(f"a/{n}.csv", constant, count=5, findings=every_finding()) for n in range(30)]
    write_html(Analysis(captures, [], "strict", 1), tmp_path / "many.html")
    page = read(tmp_path / "many.html")
    top = page.text[page.text.index("Findings Gates") : page.text.index("Percentiles Capture")]
    assert top.count("This is a gate.") == 30
    assert "27 more, 30 in all" in top


def test_every_chart_has_a_description(page_path: Path) -> None:
    labels = read(page_path).chart_labels
    assert labels
    assert all(len(label) > 15 for label in labels)


def summary_of(*captures: Capture, directory: Path) -> str:
    write_html(Analysis(captures, [], "strict", 1), directory / "summary.html")
    text = read(directory / "summary.html").text
    return text[text.index("Percentiles Capture") : text.index("Percentiles interpolate")]


def test_the_summary_names_each_group_once_and_its_captures_without_it(tmp_path: Path) -> None:
    paths = ("in/radio/logs/a.csv", "in/radio/logs/b.csv", "in/wire/a.csv")
    groups = ("radio/logs", "radio/logs", "wire")
    captures = [make_capture(p, jittered, group=g) for p, g in zip(paths, groups, strict=True)]
    words = summary_of(*captures, directory=tmp_path)
    assert words.count("radio/logs") == 1
    assert "radio/logs 2 captures a.csv 12 B 120" in words
    assert "wire 1 capture a.csv" in words


def test_a_summary_of_one_group_needs_no_heading_for_it(tmp_path: Path) -> None:
    words = summary_of(make_capture("in/radio/a.csv", jittered), directory=tmp_path)
    assert "radio/a.csv 12 B" in words
    assert "1 capture" not in words


def test_the_summary_tells_what_was_not_paired_in_words_and_nothing_where_all_was(tmp_path: Path) -> None:
    lossy = make_capture("in/radio/a.csv", jittered, missed_every=10)
    lossy = dataclasses.replace(lossy, outcomes={**lossy.outcomes, "duplicate": 3})
    words = summary_of(lossy, make_capture("in/wire/b.csv", jittered, group="wire"), directory=tmp_path)
    assert "108 of 120 12\xa0missed, 3\xa0duplicate ms" in words
    assert "b.csv 12 B 120 ms" in words


def test_numbers_take_the_unit_of_their_row(tmp_path: Path) -> None:
    fast = make_capture("a/fast.csv", lambda trigger, random: MS // 4, group="g")
    slow = make_capture("a/slow.csv", lambda trigger, random: 1500 * MS, group="g")
    write_html(Analysis([fast, slow], [], "strict", 1), tmp_path / "units.html")
    text = read(tmp_path / "units.html").text
    assert "us 250.0 250.0" in text
    assert "s 1.500 1.500" in text


def test_importing_the_report_loads_neither_data_frames_nor_the_renderer() -> None:
    program = "import sys, airwire.report; print(sorted({'polars', 'vl_convert'} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", program], check=True, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
