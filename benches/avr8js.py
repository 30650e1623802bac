"""avr8js as a peer: installs tests/parity/avr8js into a cache folder and runs programs for an ATmega328P under it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benches.rp2040js import install as install_harness

HARNESS = Path(__file__).resolve().parents[1] / "tests" / "parity" / "avr8js"


def install(cache: Path) -> Path:
    """The harness with its npm package in ``cache``."""
    return install_harness(cache, HARNESS)


def ask(oracle: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """What the harness answers to a request (``run.mjs`` says what it takes)."""
    command = ["node", str(oracle / "run.mjs")]
    ended = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, timeout=300, check=False)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)}: {ended.stderr.strip()[:400]}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer
