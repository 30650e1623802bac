"""Scripts in a process of their own, so that nothing of one measurement is left for the next."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PART_OF_RUN = """
import json, sys, time
from airwire.board import Board
board, image, before, length, *traffic = sys.argv[1:]
board = Board(board, image, record=False, traffic=traffic)
board.run(before)
began_s, began_ps = time.process_time(), board.time_ps
board.run(length)
print(json.dumps({"cpu_s": time.process_time() - began_s, "virtual_s": (board.time_ps - began_ps) / 1e12}))
"""


def told_by(script: str, *arguments: str) -> dict[str, float]:
    """The JSON object that a script prints."""
    command = [sys.executable, "-c", script, *arguments]
    told: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told


def rates_of_part(board: str, image: Path, before: str, length: str, *traffic: str, rounds: int) -> list[float]:
    """Virtual time by processor time in a part of an image's run, ``before`` from its start, in so many rounds."""
    told = [told_by(PART_OF_RUN, board, str(image), before, length, *traffic) for _ in range(rounds)]
    return [one["virtual_s"] / one["cpu_s"] for one in told]


def rates_shown(rates: Sequence[float]) -> str:
    """The median of such rates, with their range."""
    return f"{statistics.median(rates):.2f} x [{min(rates):.2f}-{max(rates):.2f}]"
