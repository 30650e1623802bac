"""Synthetic captures with known answers: a link whose messages wait for a slot.

They serve the demonstration and the tests; nothing in them comes from the detectors that they are shown to.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from airwire.outputs import write_file


@dataclass(frozen=True, slots=True)
class SlottedLink:
    """A link that sends only when a slot opens, triggered at a steady interval. Times in nanoseconds."""

    slot_ns: int = 23_400_000
    trigger_interval_ns: int = 137_000_000
    airtime_ns: int = 4_200_000
    jitter_ns: int = 120_000
    loss: float = 0.01
    messages: int = 1000
    seed: int = 7

    def rows(self) -> list[tuple[int, int, int]]:
        """Level changes as a logic analyser at 100 MS/s sees them: time, trigger, done."""
        random = Random(self.seed)
        edges: list[tuple[int, int, int]] = []
        for k in range(self.messages):
            trigger = 3_000_000 + k * self.trigger_interval_ns
            slot = -(-trigger // self.slot_ns) * self.slot_ns
            done = slot + self.airtime_ns + round(random.expovariate(1 / self.jitter_ns))
            edges += [(trigger, 0, 1), (trigger + 50_000, 0, 0)]
            if random.random() >= self.loss:
                edges += [(done, 1, 1), (done + 8_000, 1, 0)]
        rows, levels = [(0, 0, 0)], [0, 0]
        for time_ns, channel, level in sorted(edges):
            levels[channel] = level
            rows.append((time_ns // 10 * 10, levels[0], levels[1]))
        return rows

    def write_csv(self, path: Path) -> None:
        """Write the capture as a Saleae Logic 2 CSV export in relative seconds."""
        lines = ["Time [s],Channel 0,Channel 1"]
        lines += [f"{t // 10**9}.{t % 10**9:09d},{trigger},{done}" for t, trigger, done in self.rows()]
        write_file(path, "\n".join(lines) + "\n")
