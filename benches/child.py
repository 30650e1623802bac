"""Scripts in a process of their own, so that nothing of one measurement is left for the next."""

from __future__ import annotations

import json
import subprocess
import sys


def told_by(script: str, *arguments: str) -> dict[str, float]:
    """The JSON object that a script prints."""
    command = [sys.executable, "-c", script, *arguments]
    told: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told
