"""Suites of boards that tests run: short ones over our own images."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CAUSES = """
name = "causes"
[boards.fast]
title = "INTn"
firmware = "wiznet_settings.elf"
settings = { interrupts = true, rounds = 200 }
skip = 1
published = { value = 14000, unit = "messages/s", source = "a table" }
[boards.slow]
same_but = "fast"
settings = { spi_hz = "200 kHz" }
published = { value = 0.02, unit = "x", source = "a table", compare = "ratio" }
[boards.busy]
same_but = "fast"
settings = { interrupts = false }
[boards.poll]
same_but = "busy"
settings = { poll_ms = 20 }
published = { value = 37.5, unit = "messages/s", source = "a table", note = "another board", compare = "mechanism" }
[boards.after]
same_but = "busy"
settings = { after_send_ms = 5 }
[boards.print]
same_but = "fast"
settings = { print = true }
"""

CLIENTS = """
[boards.ping]
firmware = "wiznet_http.elf"
traffic = ["ping to=board count=20 interval=10ms"]
measure = "latency"
[boards.http]
firmware = "wiznet_http.elf"
traffic = [{ kind = "http", to = "board", requests = 20 }]
measure = "requests"
"""

MEANS = """
[boards.mean]
firmware = "wiznet_http.elf"
traffic = ["ping to=board count=50 interval=10ms"]
measure = "latency"
published = { value = 2, unit = "ms", statistic = "mean", source = "a table" }
[boards.median]
same_but = "mean"
traffic = ["ping to=board count=50 interval=11ms"]
[boards.page]
firmware = "wiznet_http.elf"
traffic = [{ kind = "http", to = "board", requests = 20 }]
measure = "latency"
[boards.page.published]
value = 13
unit = "ms"
statistic = "mean"
source = "a table"
connect = 7
processing = 6
times = 4
times_of = "mean"
"""

WITH_LINKS = """
samples = 50
payloads = [12]
[links.uart]
[boards.ping]
firmware = "wiznet_http.elf"
traffic = ["ping to=board count=5 interval=10ms"]
measure = "latency"
"""

ENDLESS = """
[boards.quick]
firmware = "wiznet_settings.elf"
settings = { rounds = 50 }
limit = "20 s"
[boards.endless]
firmware = "wiznet_settings.elf"
settings = { rounds = 100000000 }
limit = "86400 s"
"""


def write(folder: Path, text: str) -> Path:
    """The suite as a file, with the name of what it is for."""
    file = folder / "suite.toml"
    file.write_text(text)
    return file


def run_once(folder: Path, text: str, images: Path) -> tuple[Path, dict[str, Any]]:
    """Runs a suite from the command line: its run folder and its JSON."""
    command = [sys.executable, "-m", "airwire.cli", "run", str(write(folder, text)), "--firmware", str(images)]
    done = subprocess.run(
        [*command, "--out", "run", "--json"], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout)
    return folder / "run", content


def run_rows(folder: Path, text: str, images: Path) -> tuple[Path, dict[str, dict[str, Any]]]:
    """The same with the JSON of each row by its name."""
    run, content = run_once(folder, text, images)
    return run, {row["row"]: row for row in content["boards"]}
