"""All real captures at once, as far as they are on this machine, and the start of the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benches.timing import Timing, interleave

REAL = Path(__file__).resolve().parents[2] / "shared" / "captures"


def run() -> list[str]:
    """Rows of Markdown."""
    rows = ["| what | seconds |", "|---|---|"]
    if REAL.is_dir():
        import airwire

        paths = sorted(REAL.rglob("*.csv"))
        pairing = interleave({"pair": lambda: airwire.analyze(paths, intervals=False, findings=False)}, rounds=9)
        rows.append(f"| pairing and percentiles of {len(paths)} CSV files, Python API | {pairing['pair']} |")
        command = [sys.executable, "-m", "airwire.cli", "analyze", str(REAL)]
        rows.append(f"| `airwire analyze` on all of it, whole process | {_whole_process(command)} |")
    else:
        rows.append("| the real captures are not on this machine | - |")
    rows.append(
        f"| `airwire --help`, whole process | {_whole_process([sys.executable, '-m', 'airwire.cli', '--help'])} |"
    )
    return rows


def _whole_process(command: list[str]) -> Timing:
    def run_once() -> None:
        subprocess.run(command, capture_output=True, check=False)

    return interleave({"run": run_once}, rounds=7)["run"]
