"""rp2040js as a peer: installs tests/images/oracle into a cache folder and runs images under it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

HARNESS = Path(__file__).resolve().parents[1] / "tests" / "images" / "oracle"
LOCK = "package-lock.json"


class NoOracle(Exception):  # noqa: N818 -- a reason to skip, not a fault
    """The oracle cannot be had here; the text says why."""


def install(cache: Path, harness: Path = HARNESS) -> Path:
    """A harness with its npm package in ``cache``, installed anew when the lock file has changed."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise NoOracle(f"{program} is not on this machine (Debian: nodejs npm)")
    ready = cache / "node_modules" / LOCK
    lock = (harness / LOCK).read_bytes()
    cache.mkdir(parents=True, exist_ok=True)
    for source in (*harness.glob("*.mjs"), *harness.glob("*.json")):
        shutil.copyfile(source, cache / source.name)
    if ready.is_file() and ready.read_bytes() == lock:
        return cache
    command = ["npm", "ci", "--silent", "--no-audit", "--no-fund"]
    try:
        installed = subprocess.run(command, cwd=cache, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired as late:
        raise NoOracle("npm ci did not end in 120 s") from late
    if installed.returncode:
        raise NoOracle(f"npm ci failed: {(installed.stderr or installed.stdout).strip()[:200]}")
    ready.write_bytes(lock)
    return cache


def run(oracle: Path, image: Path, *options: str) -> dict[str, Any]:
    """Run an image and give the harness's report."""
    command = ["node", str(oracle / "run.mjs"), str(image), "--json", *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)}: {ended.stderr.strip()[:400]}")
    report: dict[str, Any] = json.loads(ended.stdout)
    return report
