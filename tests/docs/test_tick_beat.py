"""``docs/explanation/tick-beat.md`` is what its script makes of the captures today, and its arithmetic holds."""

from __future__ import annotations

import importlib
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from docs_console import REPOSITORY

from kept import kept_result

DOCS = REPOSITORY / "docs"
SCRIPTS = REPOSITORY / "tools" / "documents"
TEXT = (DOCS / "explanation" / "tick-beat.md").read_text(encoding="utf-8")
BEATS = re.findall(
    r"^\| (.+) \| ([\d.]+) ms \| (.+) \| ([\d.]+) ms \| (\d+) \| (?:([\d.]+) ms|-) \|$", TEXT, flags=re.MULTILINE
)
TICK_MS = Fraction(10)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module; it finds its parts beside it."""
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("tick_beat")


def openings_missed(interval_ms: Fraction, gate_ms: Fraction, triggers: int) -> Iterator[Fraction]:
    """How long before each trigger the gate opened last, counted trigger by trigger."""
    trigger = opening = Fraction(0)
    for _ in range(triggers):
        while opening + gate_ms <= trigger:
            opening += gate_ms
        yield trigger - opening
        trigger += interval_ms


@pytest.mark.slow
def test_the_page_is_what_the_script_writes_today(script: Any, real_captures: Path) -> None:
    refresh = "`make docs` writes the page and its pictures anew"

    def make(folder: Path) -> None:
        (folder / "page.md").write_text(script.page(script.tell(real_captures)), encoding="utf-8")

    parts = SCRIPTS.glob("tick_beat*.py")
    page = kept_result("tick-beat", [real_captures, *parts], make) / "page.md"
    assert page.read_text(encoding="utf-8") == TEXT, refresh


def test_every_beat_of_the_page_is_met_by_counting(script: Any) -> None:
    assert len(BEATS) == len(importlib.import_module("tick_beat_data").BEATS)
    for link, interval, gate, period, phases, apart in BEATS:
        met = sorted(set(openings_missed(Fraction(interval), Fraction(period), 2 * int(phases) + 1)))
        assert len(met) == int(phases), f"{link} against its {gate}"
        distances = {after - before for before, after in itertools.pairwise(met)}
        assert distances == ({Fraction(apart)} if apart else set()), f"{link} against its {gate}"


def test_the_tcp_run_comes_round_after_as_many_triggers_as_the_page_says() -> None:
    words = " ".join(TEXT.split())
    figures = re.search(
        r"every (\d+) ms and board and generator differ by ([\d.]+) ppm: the wait grows by ([\d.]+) us .*? "
        r"would need (\d+) triggers \((\d+) minutes\)",
        words,
    )
    assert figures is not None
    interval, ppm, creep_us, triggers, minutes = map(Fraction, figures.groups())
    # The board's crystal is slow: its tick of 10 ms is a little longer for the generator.
    tick_ms = TICK_MS * (1 + ppm / 10**6)
    waits = [-missed % tick_ms for missed in openings_missed(interval, tick_ms, int(triggers) + 20)]
    assert abs((waits[1] - waits[0]) * 1000 - creep_us) < Fraction(1, 100)
    come_round = next(n for n in range(1, len(waits)) if waits[n] < waits[n - 1])
    assert abs(come_round - triggers) <= 3
    assert round(come_round * interval / 60_000) == minutes


def test_the_interval_recommended_to_those_who_cannot_dither_spreads_over_the_tick() -> None:
    found = re.search(r"([\d.]+) ms meets (\d+) phases of a 10 ms tick where 200 ms meets one", " ".join(TEXT.split()))
    assert found is not None
    assert len(set(openings_missed(Fraction(found[1]), TICK_MS, 1000))) == int(found[2])
    assert len(set(openings_missed(Fraction(200), TICK_MS, 100))) == 1


def test_the_page_shows_every_picture_and_no_other(script: Any) -> None:
    names = importlib.import_module("tick_beat_figures").PICTURES
    assert re.findall(r"\]\(\.\./pictures/([\w-]+)\.png\)", TEXT) == list(names)
    assert {path.stem for path in script.PICTURES.glob("tick-beat-*.png")} == set(names)


def test_a_picture_is_the_same_after_compression(script: Any) -> None:
    import vl_convert

    mark = {"mark": "point", "data": {"values": [{"a": 1}]}, "encoding": {"x": {"field": "a", "type": "quantitative"}}}
    png = vl_convert.vegalite_to_png(mark)
    small = script.compressed(png)
    assert len(small) < len(png)
    assert script.compressed(small) == small


def test_without_captures_the_script_says_so_in_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / "tick_beat.py"), "--captures", str(tmp_path / "absent")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "there is no such folder of captures" in done.stderr
