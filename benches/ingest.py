"""Captures to latencies: Airwire against polars, numpy and a tight C loop on the same file in the same run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from benches.material import MESSAGES, logic2_csv, sal
from benches.timing import Timing, one_thread, peak_mebibytes

AIRWIRE = """
import sys, time
from airwire import _core
options = dict(trigger="0", done="1", pairing="published", glitch_ps=None, min_latency_ps=0, max_latency_ps=None,
               payload_bytes=None, seed=1, intervals=False, findings=False, gate_ps=None, out=None,
               environment="{}", progress=None)
start = time.perf_counter()
result = _core.analyze([sys.argv[1]], **options)
assert not result.errors, result.errors
assert result.captures[0].latency["n"] == int(sys.argv[2])
print(time.perf_counter() - start)
"""

POLARS = """
import sys, time
import polars as pl
start = time.perf_counter()
frame = pl.read_csv(sys.argv[1], has_header=True, new_columns=["time", "trigger", "done"])
rising = (pl.col("done") == 1) & (pl.col("done").shift(1) == 0)
begins = (pl.col("trigger") == 1) & (pl.col("trigger").shift(1) == 0)
edges = frame.filter(begins | rising)
times = edges["time"].str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", time_unit="ns").to_physical()
latency = times.diff().gather_every(2, offset=1)
assert latency.len() == int(sys.argv[2])
print(time.perf_counter() - start)
"""

NUMPY = """
import sys, time
import numpy as np
start = time.perf_counter()
header = open(sys.argv[1], "rb").readline()
raw = np.memmap(sys.argv[1], dtype=np.uint8, mode="r", offset=len(header)).reshape(-1, 40)
trigger, done = raw[:, 36] == 49, raw[:, 38] == 49
starts = np.flatnonzero(trigger[1:] & ~trigger[:-1]) + 1
ends = np.flatnonzero(done[1:] & ~done[:-1]) + 1
weights = 10 ** np.arange(8, -1, -1)
def nanoseconds(rows):
    digits = raw[rows].astype(np.int64) - 48
    seconds = (digits[:, 11] * 10 + digits[:, 12]) * 3600 + (digits[:, 14] * 10 + digits[:, 15]) * 60
    seconds += digits[:, 17] * 10 + digits[:, 18]
    days = digits[:, 8] * 10 + digits[:, 9]
    return (days * 86400 + seconds) * 10**9 + digits[:, 20:29] @ weights
first, last = nanoseconds(starts), nanoseconds(ends)
latency = last[np.searchsorted(last, first)] - first
assert len(latency) == int(sys.argv[2])
print(time.perf_counter() - start)
"""

C_LOOP = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
static int two(const unsigned char *p) { return (p[0] - '0') * 10 + p[1] - '0'; }
int main(int argc, char **argv) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    int file = open(argv[1], O_RDONLY);
    struct stat info;
    if (argc < 3 || file < 0 || fstat(file, &info)) return 1;
    const unsigned char *p = mmap(0, info.st_size, PROT_READ, MAP_PRIVATE, file, 0), *end = p + info.st_size;
    while (*p++ != '\n') {}
    long long *latency = malloc(sizeof *latency * (info.st_size / 160 + 1)), start = -1;
    long n = 0, bad = 0;
    for (int before = 0; p + 40 <= end; p += 40) {
        long long second = ((two(p + 8) * 24LL + two(p + 11)) * 60 + two(p + 14)) * 60 + two(p + 17), fraction = 0;
        for (int i = 20; i < 29; i++) { unsigned d = p[i] - '0'; bad |= d > 9; fraction = fraction * 10 + d; }
        int level = (p[36] - '0') << 1 | (p[38] - '0');
        bad |= level > 3 || p[39] != '\n';
        long long now = second * 1000000000 + fraction;
        if (level == 2 && before == 0) start = now;
        if ((level & 1) && start >= 0) { latency[n++] = now - start; start = -1; }
        before = level;
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (bad || n != atol(argv[2])) return 2;
    printf("%.6f\n", b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9);
}
"""


def _c_loop(folder: Path) -> Path | None:
    if shutil.which("cc") is None:
        return None
    (folder / "loop.c").write_text(C_LOOP)
    subprocess.run(["cc", "-O2", "-o", folder / "loop", folder / "loop.c"], check=True)
    return folder / "loop"


def run(folder: Path, rounds: int = 5) -> list[str]:
    """Rows of Markdown: who, seconds, rate, ratio to Airwire."""
    big = logic2_csv(folder / "big.csv")
    n = str(MESSAGES)
    loop = _c_loop(folder)
    seconds: dict[str, list[float]] = {"Airwire": [], "polars": [], "numpy": [], "C loop": []}
    for _ in range(rounds):
        seconds["Airwire"].append(one_thread(AIRWIRE, str(big), n))
        seconds["polars"].append(one_thread(POLARS, str(big), n))
        seconds["numpy"].append(one_thread(NUMPY, str(big), n))
        if loop:
            done = subprocess.run([loop, big, n], capture_output=True, text=True, check=True)
            seconds["C loop"].append(float(done.stdout))
    size_mb = big.stat().st_size / 1e6
    rows = ["| who, one thread | seconds | MB/s | Airwire is |", "|---|---|---|---|"]
    airwire = Timing(tuple(seconds["Airwire"]))
    for name, times in seconds.items():
        if times:
            timing = Timing(tuple(times))
            rows.append(
                f"| {name} | {timing} | {size_mb / timing.median:.0f} | {timing.median / airwire.median:.2f} x |"
            )
    return rows


def run_other_shapes(folder: Path, rounds: int = 3) -> list[str]:
    """Rows of Markdown for other widths of rows and for Saleae sessions."""
    rows = ["| capture, one thread | seconds | rate |", "|---|---|---|"]
    messages = MESSAGES // 4
    for name, channels, iso in (
        ("4 channels, ISO 8601", 4, True),
        ("8 channels, ISO 8601", 8, True),
        ("2 channels, relative seconds", 2, False),
    ):
        path = logic2_csv(folder / f"{channels}-{iso}.csv", channels=channels, iso=iso, messages=messages)
        timing = Timing(tuple(one_thread(AIRWIRE, str(path), str(messages)) for _ in range(rounds)))
        rows.append(f"| CSV, {name} | {timing} | {path.stat().st_size / 1e6 / timing.median:.0f} MB/s |")
    session = sal(folder / "big.sal")
    timing = Timing(tuple(one_thread(AIRWIRE, str(session), str(MESSAGES)) for _ in range(rounds)))
    edges = 4 * MESSAGES
    rows.append(
        f"| .sal, 2 channels, {edges / 1e6:.0f} M edges | {timing} | {edges / timing.median / 1e6:.0f} M edges/s |"
    )
    return rows


def run_memory(folder: Path) -> list[str]:
    """Rows of Markdown: peak memory beyond the interpreter and the result."""
    base = peak_mebibytes("from airwire import _core")
    # Trigger, done and outcome of each message: 17 bytes.
    result = MESSAGES * 17 / 2**20
    rows = ["| capture | MB | peak beyond import | beyond the result |", "|---|---|---|---|"]
    for name in ("big.csv", "big.sal"):
        path = folder / name
        peak = peak_mebibytes(AIRWIRE, str(path), str(MESSAGES)) - base
        rows.append(f"| {name} | {path.stat().st_size / 1e6:.0f} | {peak:.0f} MiB | {peak - result:.0f} MiB |")
    return rows


def material_folder() -> Path:
    """Where the synthetic captures are kept between runs."""
    folder = Path(tempfile.gettempdir()) / "airwire-benches"
    folder.mkdir(exist_ok=True)
    return folder
