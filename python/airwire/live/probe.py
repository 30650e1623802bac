"""A board at an address that is measured now, as a source of the live view: its messages appear as they come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.live.batch import batch_of_frame
from airwire.live.feed import Feed, Kind
from airwire.model import Analysis
from airwire.runs.probe import PROBES, probe

if TYPE_CHECKING:
    import polars as pl

_TRANSFERS = ("throughput", "iperf3")
_LONGEST = "86400 s"
_ENDLESS = "10000000"
# What a client counts its messages by.
_COUNTS: Mapping[str, str] = {"http": "requests", "ping": "count"}


@dataclass
class ProbeSource:
    """What a board is asked, and the run folder that it is kept in: ``pingpong:192.168.1.50:5000``."""

    kind: str
    address: str
    out: Path
    prefix: str = ""
    samples: int | None = None
    environment: Mapping[str, Any] = field(default_factory=dict)
    result: Analysis | None = None

    def analysis(self) -> Analysis:
        """The run, as reports show it, once it has ended."""
        return self.result or Analysis([], [], "known", 0, interrupted=True, suite=f"probe-{self.kind}")

    def run(self, feed: Feed) -> str:
        """Ask the board until somebody stops it, or there are enough messages."""
        kind: Kind = "bulk" if self.kind in _TRANSFERS else "messages"
        series = feed.series(f"{self.prefix}{self.kind} {self.address}", kind, self.prefix)

        def seen(_row: str, _unit: str, samples: pl.DataFrame) -> None:
            series.push(batch_of_frame(samples))

        def progress(_done: int, _total: int) -> None:
            if feed.is_stopped:
                raise KeyboardInterrupt
            feed.sentence = f"{len(series)} messages of {self.address}"

        count = {} if kind == "bulk" else {_COUNTS.get(self.kind, "rounds"): _ENDLESS}
        self.result = probe(
            self.kind,
            self.address,
            options=count,
            samples=self.samples,
            limit=_LONGEST,
            out=self.out,
            environment=self.environment,
            progress=progress,
            samples_seen=seen,
        )
        row = next(iter(self.result.captures), None)
        if row is None or row.target.figure is None:
            problem = None if row is None else getattr(row.target, "problem", None)
            raise _core.AirwireError(f"{self.address}: nothing was measured: {problem or 'nothing came'}")
        return f"{row.samples.height} messages in {self.result.run_folder}"


def probe_of(text: str) -> tuple[str, str] | None:
    """What is asked and where, of ``pingpong:192.168.1.50:5000``; ``None`` where the text is something else."""
    kind, colon, address = text.partition(":")
    return (kind, address) if colon and address and kind in PROBES else None
