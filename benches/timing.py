"""Interleaved rounds and medians: a noisy machine disturbs all contenders alike."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the rounds of one contender."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median round."""
        return statistics.median(self.rounds)

    def __str__(self) -> str:
        scale, unit = next(step for step in ((1, "s"), (1000, "ms"), (1e6, "us")) if self.median * step[0] >= 1)
        low, high = min(self.rounds) * scale, max(self.rounds) * scale
        return f"{self.median * scale:.1f} {unit} [{low:.1f}-{high:.1f}]"


def interleave(contenders: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, Timing]:
    """Time every contender once per round, after one round that is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for round_number in range(rounds + 1):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            if round_number:
                seconds[name].append(time.perf_counter() - start)
    return {name: Timing(tuple(times)) for name, times in seconds.items()}


def one_thread(script: str, *arguments: str) -> float:
    """Run Python source in a fresh process on one thread; it prints its own seconds, which are returned."""
    environment = {"RAYON_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", script, *arguments]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def peak_mebibytes(script: str, *arguments: str) -> float:
    """The peak resident memory of a fresh Python process that runs a script."""
    # VmHWM begins anew with the program, unlike ru_maxrss, which a child takes over from its parent.
    probe = f"{script}\nprint(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    command = [sys.executable, "-c", probe, *arguments]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(output.split()[-1]) / 1024
