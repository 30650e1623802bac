"""A run folder as a source of the live view: finished, or one that another process is still writing.

Parts of a run folder are renamed into their place when they are whole, so that each is read once. The environment is
what a run writes last; until it is there the folder is looked at again and again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from airwire import _core
from airwire.inputs import ANY_BYTES, check_file
from airwire.live.batch import Batch, batch_of_frame
from airwire.live.feed import Feed, Kind
from airwire.live.stages import stages_of
from airwire.runs.answers import with_answers

if TYPE_CHECKING:
    import polars as pl

    from airwire.model import Analysis

LOOK_EVERY_S = 0.5
_T = TypeVar("_T")
_COLUMNS = ("run", "index", "trigger_ps", "latency_ps", "outcome")


class RunFolderSource:
    """The samples of a run folder, part by part; ``prefix`` stands before the names of its rows."""

    def __init__(self, path: Path, prefix: str = "") -> None:
        if not (path / "samples").is_dir():
            raise _core.AirwireError(f"{path}: is no run folder: it has no samples; name one that airwire run wrote")
        self.path, self._prefix = path, prefix
        self._read: set[str] = set()
        self._late: dict[str, set[int]] = {}

    def analysis(self) -> Analysis:
        """The run so far, as reports show it."""
        from airwire.runs.stored import load_run

        return load_run(self.path)

    def run(self, feed: Feed) -> str:
        """Push what is there, then what is added."""
        while True:
            # Asked before parts are listed, so that none is overlooked.
            is_whole = (self.path / "environment.json").is_file()
            if not is_whole:
                feed.sentence = f"{self.path} is still being written"
            self._look("edges", self._late_indices, self._note_late)
            self._look("samples", self._batches, lambda batches: self._push(batches, feed))
            if is_whole or feed.rest(LOOK_EVERY_S):
                break
        if is_whole:
            self._show_stages(feed)
        # Another source may have rows in the same feed.
        rows = [series for series in feed.all_series if series.target == self._prefix]
        return f"{self.path}: {sum(map(len, rows)):,} messages in {len(rows)} row{'' if len(rows) == 1 else 's'}"

    def _look(self, table: str, columns: Callable[[pl.DataFrame], _T], take: Callable[[_T], None]) -> None:
        import polars as pl

        for path in sorted((self.path / table).glob("part-*.parquet")):
            name = f"{table}/{path.name}"
            if name in self._read:
                continue
            try:
                read = _in_spite_of_ctrl_c(partial(_read_part, path, columns))
            except (pl.exceptions.PolarsError, OSError) as error:
                reason = str(error).splitlines()[0]
                raise _core.AirwireError(f"{path}: this part cannot be read ({reason}); measure again") from None
            take(read)
            self._read.add(name)

    def _late_indices(self, edges: pl.DataFrame) -> list[tuple[str, int]]:
        late = edges.filter(edges["outcome"] == "late").drop_nulls("trigger_index")
        return list(late.select("run", "trigger_index").iter_rows())

    def _note_late(self, late: Sequence[tuple[str, int]]) -> None:
        for run, index in late:
            self._late.setdefault(run, set()).add(index)

    def _batches(self, samples: pl.DataFrame) -> list[tuple[str, Batch]]:
        missing = [name for name in _COLUMNS if name not in samples.columns]
        if missing:
            raise _core.AirwireError(f"{self.path / 'samples'}: a part has no column {missing[0]}; measure again")
        rows = with_answers(samples).partition_by("run", as_dict=True, maintain_order=True)
        late = {str(run): frozenset(self._late.get(str(run), ())) for (run,) in rows}
        return [(str(run), batch_of_frame(own, late[str(run)])) for (run,), own in rows.items()]

    def _push(self, batches: Sequence[tuple[str, Batch]], feed: Feed) -> None:
        kinds = self._kinds()
        for name, batch in batches:
            feed.series(self._prefix + name, kinds.get(name, "messages"), self._prefix).push(batch)

    def _kinds(self) -> dict[str, Kind]:
        """The kind of each row that the manifest knows by now."""
        from airwire.runs.manifest import BoardEntry, read_manifest

        _, entries, _ = read_manifest(self.path)
        bulk = [one for one in entries if isinstance(one, BoardEntry) and one.measure == "bulk"]
        return {one.run: "bulk" for one in bulk}

    def _show_stages(self, feed: Feed) -> None:
        """The stages of each row, once all of it is there."""
        from airwire.runs.stored import load_run

        run = _in_spite_of_ctrl_c(lambda: load_run(self.path, intervals=False, findings=False))
        for capture in run.captures:
            feed.series(self._prefix + capture.path).stages = stages_of(capture)


def _read_part(path: Path, columns: Callable[[pl.DataFrame], _T]) -> _T:
    import polars as pl

    return columns(pl.read_parquet(check_file(path, ANY_BYTES)))


def _in_spite_of_ctrl_c(work: Callable[[], _T]) -> _T:
    """What ``work`` gives, done again where Ctrl-C broke it off.

    Ctrl-C is for the main thread, which asks the feed to stop. polars, however, breaks off whatever it computes at that
    time, on any thread.
    """
    while True:
        try:
            return work()
        except KeyboardInterrupt:
            if threading.current_thread() is threading.main_thread():
                raise
