"""A suite that runs now, as a source of the live view: each row appears when it is done."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire.inputs import read_text
from airwire.live.batch import batch_of_frame
from airwire.live.feed import Feed, Kind
from airwire.live.stages import stages_of
from airwire.model import Analysis, Capture
from airwire.runs.packaged import find_suite
from airwire.runs.suite import run

if TYPE_CHECKING:
    import polars as pl


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
        kinds = _kinds_in_real_time(find_suite(self.suite))
        seen: set[str] = set()

        def samples_seen(row: str, samples: pl.DataFrame) -> None:
            if row in kinds:
                seen.add(row)
                feed.series(self.prefix + row, kinds[row]).push(batch_of_frame(samples))

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
            samples_seen=samples_seen if kinds else None,
        )
        # Rows of very many messages are not told of one by one.
        told = {row.path for row in self.rows}
        late: Sequence[Capture] = [row for row in self.result.captures if row.path not in told]
        for row in late:
            row_done(row)
        count = len(self.result.captures)
        how = "stopped early: " if self.result.interrupted else ""
        return f"{how}{count} row{'' if count == 1 else 's'} in {self.result.run_folder}"


def _kinds_in_real_time(suite: Path) -> dict[str, Kind]:
    """The rows of boards at addresses, each with what its samples are."""
    targets = tomllib.loads(read_text(suite)).get("targets", {})
    found: dict[str, Kind] = {}
    for name, fields in targets.items():
        asked = fields.get("traffic", _inherited(targets, fields))
        kind = asked.split()[0] if isinstance(asked, str) else asked.get("kind", "")
        is_bulk = fields.get("measure") == "bulk" or kind.startswith(("bulk", "iperf"))
        found[name] = "bulk" if is_bulk else "messages"
    return found


def _inherited(targets: Mapping[str, Any], fields: Mapping[str, Any]) -> str | Mapping[str, Any]:
    """What an entry has from the one that it is compared with."""
    other = targets.get(fields.get("same_but", ""), {})
    traffic: str | Mapping[str, Any] = other.get("traffic", "pingpong")
    return traffic


def show(row: Capture, feed: Feed, prefix: str = "") -> None:
    """Push all messages of a row."""
    kind: Kind = "bulk" if row.target.unit == "bit/s" else "messages"
    series = feed.series(prefix + row.path, kind)
    series.push(batch_of_frame(row.samples))
    series.stages = stages_of(row)
