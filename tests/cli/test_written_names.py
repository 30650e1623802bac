"""Names of files that were written are told as they are."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Airwire = Callable[..., subprocess.CompletedProcess[str]]


def test_the_name_of_a_written_file_shows_its_control_characters(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("Time [s],0,1\n0.0,0,0\n0.1,1,0\n0.2,1,1\n0.3,0,0\n", encoding="ascii")
    name = "a\x1b[31mb"
    converted = airwire("convert", "good.csv", f"{name}.csv")
    assert (tmp_path / f"{name}.csv").exists(), converted.stderr
    assert converted.stdout == "Written: a\\e[31mb.csv\n"
    drawn = airwire("waveform", "good.csv", "--out", f"{name}.svg")
    assert drawn.stdout.endswith("Written: a\\e[31mb.svg\n"), drawn.stderr
    assert airwire("analyze", "good.csv", "--out", "run").returncode == 0
    reported = airwire("report", "run", "--out", f"{name}.html")
    assert reported.stdout == "Report: a\\e[31mb.html\n", reported.stderr
