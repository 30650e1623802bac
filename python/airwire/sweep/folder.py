"""The folder of a sweep: its plan, the data set in parts, and a journal of what is finished and in no part yet.

A part holds the points of a stretch of the plan, in the order of the plan, so that its bytes do not depend on who ran
them, or when. It is written when its last point has ended, beside its place, and renamed. Until then each point that
ends is a line of the journal, which survives whatever ends this process.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from airwire import _core
from airwire.inputs import ANY_BYTES, check_file, read_text
from airwire.outputs import UNFINISHED, new_folder, write_file
from airwire.sweep.columns import Columns
from airwire.sweep.plan import Plan
from airwire.sweep.point import Outcome

if TYPE_CHECKING:
    import polars as pl

SCHEMA = "airwire.sweep-plan/1"
PART_POINTS = 4096
PLAN, JOURNAL, FAILED, POINTS, FILES = "sweep.json", "journal.jsonl", "failed.json", "points", "files"
_PART = re.compile(r"part-(\d{5,})\.parquet")
_OF_PLAN = "airwire.sweep"
"""The key of a part's metadata that names its plan."""


@contextmanager
def keeping(path: Path) -> Iterator[None]:
    """Where the folder ``path`` takes no more, says so in one sentence, as an ``AirwireError``."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        reason = error.strerror or "the system refuses"
        raise _core.AirwireError(f"{where}: cannot write it: {reason}; name another place, or make room") from None


class SweepFolder:
    """The folder of a plan, held by this process alone while it is open."""

    def __init__(self, path: Path, plan: Plan, description: Mapping[str, Any]) -> None:
        self.path, self.plan = path, plan
        self._description = description
        self._columns = Columns(plan)
        self._lines: dict[int, dict[str, Any]] = {}
        """Of parts that are not written, or not whole."""
        self._in_parts: set[int] = set()
        self.failed: dict[int, str] = {}
        self._left: Counter[int] = Counter()
        """How many points of a part have not ended."""
        self._journal: BinaryIO | None = None
        self._lock: int | None = None

    def __enter__(self) -> Self:
        check_folder(self.path, self.plan.digest)
        with keeping(self.path), new_folder(self.path / POINTS):
            # The folder of points is never replaced, as a file would be by its next version.
            self._take_lock()
            if not (self.path / PLAN).exists():
                text = json.dumps({"schema": SCHEMA, **self._description}, indent=2, ensure_ascii=True)
                write_file(self.path / PLAN, text + "\n")
        self._resume()
        self._journal = (self.path / JOURNAL).open("ab")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._journal is not None:
            # Closing writes what had no room once more; that there is none was said when it was written.
            with suppress(OSError):
                self._journal.close()
        if kind is None:
            (self.path / JOURNAL).unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)

    @property
    def finished(self) -> int:
        """How many points have their figures."""
        return len(self._in_parts) + len(self._lines)

    def missing(self) -> Iterator[int]:
        """The points that have none, in the order of the plan."""
        return (index for index in range(len(self.plan)) if index not in self._in_parts and index not in self._lines)

    def add(self, outcome: Outcome) -> None:
        """Keep what became of a point; one that is there already is not counted again."""
        with keeping(self.path):
            self._add(outcome)

    def _add(self, outcome: Outcome) -> None:
        index = outcome.number
        if index in self._in_parts or index in self._lines or index in self.failed:
            return
        if outcome.failure is not None:
            self.failed[index] = outcome.failure
        else:
            assert self._journal is not None, "the folder is open"
            self._journal.write(json.dumps([index, outcome.figures]).encode() + b"\n")
            self._journal.flush()
            self._lines[index] = self._columns.line(outcome)
        part = index // PART_POINTS
        self._left[part] -= 1
        if self._left[part] == 0:
            self._write_part(part)

    def finish(self) -> None:
        """Write what is in no part although nothing more comes, and the list of points that failed."""
        with keeping(self.path):
            for part in sorted({index // PART_POINTS for index in self._lines}):
                self._write_part(part)
        self.write_failures()

    def write_failures(self) -> None:
        """Write the list of points that failed, or remove that of before."""
        told = [self._told_failure(index) for index in sorted(self.failed)]
        with keeping(self.path):
            if told:
                write_file(self.path / FAILED, json.dumps(told, indent=2, ensure_ascii=True) + "\n")
            else:
                (self.path / FAILED).unlink(missing_ok=True)

    def frame(self) -> pl.DataFrame:
        """All that is finished, in the order of the plan."""
        import polars as pl

        parts = [_read_part(path, self.plan.digest) for path in _parts(self.path / POINTS)]
        pending = self._columns.frame(list(self._lines.values()))
        written = [part.filter(~part["index"].is_in(list(self._lines))) for part in parts]
        return pl.concat([*written, pending]).sort("index")

    def _told_failure(self, index: int) -> dict[str, Any]:
        entry, values, seed = self.plan.at(index)
        point = self.plan.digest_at(index)
        return {"point": point, "entry": entry.name, **values, "seed": seed, "sentence": self.failed[index]}

    def _stretch(self, part: int) -> range:
        return range(part * PART_POINTS, min((part + 1) * PART_POINTS, len(self.plan)))

    def _write_part(self, part: int) -> None:
        stretch = self._stretch(part)
        lines = [self._lines[index] for index in stretch if index in self._lines]
        if not lines:
            return
        content = BytesIO()
        frame = self._columns.frame(lines)
        frame.write_parquet(content, compression="zstd", metadata={_OF_PLAN: self.plan.digest})
        write_file(self.path / POINTS / f"part-{part:05}.parquet", content.getvalue())
        if len(lines) == len(stretch):
            for index in stretch:
                del self._lines[index]
            self._in_parts.update(stretch)
            self._shorten_journal()

    def _shorten_journal(self) -> None:
        """What stands in whole parts need not be read again."""
        if self._journal is not None:
            self._journal.close()
        kept = b"".join(json.dumps([line["index"], line]).encode() + b"\n" for line in self._lines.values())
        write_file(self.path / JOURNAL, kept)
        self._journal = (self.path / JOURNAL).open("ab")

    def _resume(self) -> None:
        """Take up what is finished: parts, then lines of the journal; the last line may have been cut off."""
        for left in (self.path / POINTS).glob(f"{UNFINISHED}*"):
            left.unlink(missing_ok=True)
        for path in _parts(self.path / POINTS):
            frame = _read_part(path, self.plan.digest)
            stretch = self._stretch(_number(path))
            if frame.height == len(stretch):
                self._in_parts.update(stretch)
            else:
                self._lines |= {line["index"]: line for line in frame.to_dicts()}
        with suppress(FileNotFoundError):
            for number, line in enumerate((self.path / JOURNAL).read_bytes().split(b"\n")[:-1], start=1):
                index, figures = self._finished(number, line)
                if index not in self._in_parts:
                    self._lines[index] = {**self._columns.line(Outcome(index, {})), **figures}
            self._shorten_journal()
        self._left.update(index // PART_POINTS for index in self.missing())

    def _finished(self, number: int, line: bytes) -> tuple[int, dict[str, Any]]:
        """A point of the journal, and its figures."""
        try:
            index, figures = json.loads(line)
            if not isinstance(index, int) or not 0 <= index < len(self.plan) or not isinstance(figures, dict):
                raise ValueError
        except (ValueError, TypeError):
            raise _core.AirwireError(
                f"{self.path / JOURNAL}: line {number} is no point of this sweep; remove that line, and the point is "
                "run again"
            ) from None
        return index, figures

    def _take_lock(self) -> None:
        try:
            import fcntl
        except ImportError:
            return
        self._lock = os.open(self.path / POINTS, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise _core.AirwireError(
                f"{self.path}: another sweep is writing there; wait for it, or name another folder with --out"
            ) from None


def check_folder(path: Path, digest: str | None = None) -> None:
    """Refuse a folder that is no sweep, is one of another plan, or has files in its data set that are none of it."""
    if path.is_dir() and any(path.iterdir()):
        if not (path / PLAN).is_file():
            if [inside.name for inside in path.rglob("*")] == [POINTS]:
                # Whoever began it was ended before it wrote the plan.
                return
            raise _core.AirwireError(f"{path}: is there and is no sweep; name another folder with --out")
        content = read_plan(path)
        if digest is not None and content["digest"] != digest:
            raise _core.AirwireError(
                f"{path}: is another sweep: suite, axes, seeds, images or version differ; name another folder with "
                "--out"
            )
        _parts(path / POINTS)


def read_plan(path: Path) -> dict[str, Any]:
    """The plan of a folder as it was written. Raises ``AirwireError`` where it is none, or of another version."""
    file = path / PLAN
    try:
        content: dict[str, Any] = json.loads(read_text(file))
        schema = content["schema"]
    except OSError as error:
        raise _core.AirwireError(f"{path}: is no sweep: {PLAN}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise _core.AirwireError(f"{file}: is no plan of a sweep; sweep again") from None
    if schema != SCHEMA:
        raise _core.AirwireError(f"{file}: has schema {schema}, but this version of Airwire reads {SCHEMA}; update it")
    return content


def read_points(path: Path) -> pl.DataFrame:
    """The data set of a sweep. Raises ``AirwireError`` where a file in it is none of it."""
    import polars as pl

    digest = read_plan(path)["digest"]
    parts = [_read_part(part, digest) for part in _parts(path / POINTS)]
    if not parts:
        raise _core.AirwireError(f"{path}: has no points yet; go on with the sweep")
    return pl.concat(parts)


def _parts(folder: Path) -> list[Path]:
    """The parts in their order. Raises ``AirwireError`` for a file that is none."""
    if not folder.is_dir():
        return []
    found = sorted(path for path in folder.iterdir() if not path.name.startswith(UNFINISHED))
    for path in found:
        if _PART.fullmatch(path.name) is None:
            raise _core.AirwireError(f"{path}: is no part of this data set; move it elsewhere, and go on")
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    match = _PART.fullmatch(path.name)
    assert match is not None, "parts are listed by their names"
    return int(match[1])


def _read_part(path: Path, digest: str) -> pl.DataFrame:
    import polars as pl

    try:
        metadata = pl.read_parquet_metadata(check_file(path, ANY_BYTES))
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).splitlines()[0]
        raise _core.AirwireError(f"{path}: this part cannot be read ({first}); remove it, and go on") from None
    if metadata.get(_OF_PLAN) != digest:
        raise _core.AirwireError(f"{path}: is a part of another data set; move it elsewhere, and go on")
    return frame
