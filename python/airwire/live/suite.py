"""A suite that runs now, as a source of the live view: each row appears when it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire.live.batch import batch_of_frame
from airwire.live.feed import Feed, Kind
from airwire.live.stages import stages_of
from airwire.model import Analysis, Capture
from airwire.runs.suite import run

if TYPE_CHECKING:
    import polars as pl

_OF_TRANSFERS = "bit/s"


@dataclass
class SuiteSource:
    """A suite, and the run folder that it is kept in."""

    suite: Path
    out: Path
    prefix: str = ""
    """What stands before the names of its rows."""
    samples: int | None = None
    environment: Mapping[str, Any] = field(default_factory=dict)
    rows: list[Capture] = field(default_factory=list)
    """The rows that are done."""
    result: Analysis | None = None

    def analysis(self) -> Analysis:
        """The run so far, as reports show it."""
        return self.result or Analysis(list(self.rows), [], "known", 0, interrupted=True, suite=self.suite.stem)

    def run(self, feed: Feed) -> str:
        """Run the suite; a request to stop ends it as Ctrl-C does."""

        def progress(done: int, total: int) -> None:
            if feed.is_stopped:
                raise KeyboardInterrupt
            feed.sentence = f"{100 * done // max(total, 1)} % of the suite is done"

        # What is measured in real time is shown as it comes; what is simulated, row by row.
        seen: set[str] = set()

        def samples_seen(row: str, unit: str, samples: pl.DataFrame) -> None:
            seen.add(row)
            feed.series(self.prefix + row, _kind(unit), self.prefix).push(batch_of_frame(samples))

        def row_done(row: Capture) -> None:
            self.rows.append(row)
            if row.path in seen:
                feed.series(self.prefix + row.path).stages = stages_of(row)
            else:
                show(row, feed, self.prefix)

        self.result = run(
            self.suite,
            samples=self.samples,
            out=self.out,
            environment=self.environment,
            progress=progress,
            row_done=row_done,
            samples_seen=samples_seen,
        )
        # Rows of very many messages are not told of one by one.
        told = {row.path for row in self.rows}
        late: Sequence[Capture] = [row for row in self.result.captures if row.path not in told]
        for row in late:
            row_done(row)
        count = len(self.result.captures)
        how = "stopped early: " if self.result.interrupted else ""
        return f"{how}{count} row{'' if count == 1 else 's'} in {self.result.run_folder}"


def _kind(unit: str) -> Kind:
    return "bulk" if unit == _OF_TRANSFERS else "messages"


def show(row: Capture, feed: Feed, prefix: str = "") -> None:
    """Push all messages of a row."""
    series = feed.series(prefix + row.path, _kind(row.target.unit), prefix)
    series.push(batch_of_frame(row.samples))
    series.stages = stages_of(row)
