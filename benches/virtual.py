"""The virtual bench itself: events a second of the kernel, samples a second of link models and of a whole suite."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benches.timing import Timing

REPOSITORY = Path(__file__).resolve().parent.parent
SUITE = REPOSITORY / "suites" / "links.toml"
ROUNDS = 5
KERNEL = {
    "exchange": "two components exchange messages, 64 pending",
    "exchange_with_spans": "the same, with spans recorded",
    "bare_queue": "the event queue alone",
}

ONE_LINK = """
import sys, time
from airwire import _core
messages = int(sys.argv[2])
start = time.process_time()
_core.simulate([(sys.argv[1], int(sys.argv[3]), {})], samples=messages, seed=1, spans=0, trigger=None, workers=1)
print(time.process_time() - start)
"""

WHOLE_SUITE = """
import json, resource, sys, time
from airwire import _core
start = time.perf_counter()
in_depth = sys.argv[4] == "in depth"
result = _core.run_suite(sys.argv[1], samples=int(sys.argv[3]), seed=None, only=[], workers=None, captures=False,
                         intervals=in_depth, findings=in_depth, out=sys.argv[2], environment="{}", progress=None)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"wall_s": time.perf_counter() - start, "cpu_s": usage.ru_utime + usage.ru_stime,
                  "samples": sum(sum(row.outcomes.values()) for row in result.rows), "rows": len(result.rows),
                  "peak_mib": usage.ru_maxrss / 1024}))
"""


def run_kernel() -> list[str]:
    """Rows of Markdown: events a second."""
    rates: dict[str, list[float]] = {name: [] for name in KERNEL}
    command = ["cargo", "run", "--quiet", "--release", "--locked", "-p", "airwire-sim", "--example", "event_rate"]
    for _ in range(ROUNDS):
        told = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
        for line in told.splitlines():
            name, rate = line.split()
            rates[name].append(float(rate))
    rows = ["| one core | million events/s |", "|---|---|"]
    for name, title in KERNEL.items():
        low, high = min(rates[name]) / 1e6, max(rates[name]) / 1e6
        rows.append(f"| {title} | {statistics.median(rates[name]) / 1e6:.1f} [{low:.1f}-{high:.1f}] |")
    return rows


def run_links(messages: int = 200_000) -> list[str]:
    """Rows of Markdown: samples a second of every link at 12 B or its most, from Python, statistics included."""
    from airwire import _core

    rows = ["| link, 12 B, one core | samples/s |", "|---|---|"]
    for link in json.loads(_core.links()):
        payload_bytes = str(min(12, link["max_payload_bytes"]))
        seconds = [float(_python(ONE_LINK, link["name"], str(messages), payload_bytes)) for _ in range(3)]
        rows.append(f"| {link['name']} | {messages / statistics.median(seconds):,.0f} |")
    return rows


def run_suite(samples: int = 10_000) -> list[str]:
    """Rows of Markdown: the whole of suites/links.toml with its run folder, without and with what a report needs."""
    rows = [
        f"| suites/links.toml, {samples} samples a row, {os.cpu_count()} cores | wall | CPU | samples per CPU second "
        "| peak memory |",
        "|---|---|---|---|---|",
    ]
    for depth, title in (("ranking", "run folder and percentiles"), ("in depth", "with intervals and findings")):
        told = [_run_suite(samples, depth) for _ in range(3)]
        wall = Timing(tuple(run["wall_s"] for run in told))
        cpu = Timing(tuple(run["cpu_s"] for run in told))
        rate, peak = told[0]["samples"] / cpu.median, max(run["peak_mib"] for run in told)
        rows.append(f"| {told[0]['rows']} rows, {title} | {wall} | {cpu} | {rate:,.0f} | {peak:.0f} MiB |")
    return rows


def _run_suite(samples: int, depth: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        told: dict[str, float] = json.loads(
            _python(WHOLE_SUITE, str(SUITE), str(Path(folder) / "run"), str(samples), depth)
        )
    return told


def _python(script: str, *arguments: str) -> str:
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True).stdout
