"""The data base of a history: SQLite in one file, written by any number of processes.

SQLite is part of Python, needs no server, and keeps what was committed whatever ends a process: its write-ahead log
is taken up by whoever opens the file next. DuckDB would be faster for a million runs, but while one process writes no
other may open its file. Each run is added in one transaction; writers wait for each other.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from airwire import _core
from airwire.history.records import FigureRecord, RunRecord
from airwire.outputs import new_folder
from airwire.values import check_kind

VERSION = 1
APPLICATION = 0x41574849
"""``AWHI``: what tells this data base from others (``PRAGMA application_id``)."""
DEFAULT = Path("runs/history.sqlite")
WAIT_S = 30.0
"""How long a writer waits for the others."""
_EMPTY_BYTES = 4096
"""A data base without tables is one page at most."""
_LEAST_BYTES = 1 << 17
_TABLES = """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, suite TEXT, seed INTEGER, started TEXT, added TEXT NOT NULL,
    host TEXT, system TEXT, airwire TEXT, "commit" TEXT, label TEXT, source TEXT NOT NULL
) STRICT;
CREATE TABLE figures (
    run INTEGER NOT NULL REFERENCES runs(number), row TEXT NOT NULL, metric TEXT NOT NULL,
    value REAL, low REAL, high REAL, unit TEXT NOT NULL, n INTEGER, target TEXT NOT NULL,
    firmware TEXT, firmware_sha256 TEXT, settings TEXT NOT NULL,
    PRIMARY KEY (run, row, metric)
) STRICT;
CREATE INDEX figures_by_row ON figures (row, metric);
"""
_RUN_COLUMNS = ("id", "suite", "seed", "started", "host", "system", "airwire", "commit", "label", "source")
_FIGURE_COLUMNS = (
    "row",
    "metric",
    "value",
    "low",
    "high",
    "unit",
    "n",
    "target",
    "firmware",
    "firmware_sha256",
    "settings",
)


class History:
    """A history, open. ``wait_s`` is how long it waits for other processes that write."""

    def __init__(self, path: str | Path, *, create: bool = False, wait_s: float = WAIT_S) -> None:
        path = Path(path)
        self.path, self._wait_s = path, wait_s
        if not create and not path.is_file():
            raise _core.AirwireError(f"{path}: there is no history; begin one with airwire history add RUN")
        if path.exists() and not path.is_file():
            raise _core.AirwireError(f"{path}: is no file; name the data base of a history")
        is_new = not path.exists()
        with self._sentences(), new_folder(path.parent):
            self._base = sqlite3.connect(path, timeout=wait_s, isolation_level=None)
            try:
                self._prepare(create=create)
            except BaseException:
                self._base.close()
                if is_new:
                    _take_back(path)
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the file."""
        self._base.close()

    def add(self, run: RunRecord) -> bool:
        """Keep a run, whole or not at all; gives whether it is new."""
        check_kind("the run", run, RunRecord, "airwire.read_runs")
        added = datetime.now(UTC).isoformat()
        names = [*_RUN_COLUMNS, "added"]
        values = [*(getattr(run, name) for name in _RUN_COLUMNS), added]
        with self._sentences(), self._writing():
            done = self._base.execute(_insert("runs", names, "OR IGNORE"), values)
            if done.rowcount == 0:
                return False
            lines = ([done.lastrowid, *_figure_values(figure)] for figure in run.figures)
            self._base.executemany(_insert("figures", ["run", *_FIGURE_COLUMNS], "OR REPLACE"), lines)
        return True

    def names_left_out(self, run: RunRecord, *, commit: str | None, label: str | None) -> str | None:
        """Why a run that is there cannot be found by a name that was given for it anew; ``None`` where it can."""
        kept = next(iter(self._ask('SELECT "commit", label FROM runs WHERE id = ?', [run.id])), (None, None))
        for name, own, given in zip(("commit", "label"), kept, (commit, label), strict=True):
            if given is not None and given != own:
                has = f"without a {name}" if own is None else f"with the {name} {own}"
                return (
                    f"{run.source}: the run is in {self.path} already, {has}, and does not get the {name} {given}; "
                    f"leave --{name} out, or name another data base with --database"
                )
        return None

    def runs(self, row: str | None = None) -> list[RunRecord]:
        """All runs without their figures, or those that have a row, in the order in which they were begun."""
        only = "WHERE number IN (SELECT run FROM figures WHERE row = ?)" if row is not None else ""
        columns = ", ".join(f'"{name}"' for name in _RUN_COLUMNS)
        asked = f"SELECT {columns} FROM runs {only} ORDER BY coalesce(started, added), number"
        return [_run(line) for line in self._ask(asked, [] if row is None else [row])]

    def figures(self, row: str, metric: str) -> list[tuple[str, FigureRecord]]:
        """A figure of a row in each run, by the run's id, in the same order."""
        columns = ", ".join(_FIGURE_COLUMNS)
        asked = (
            f"SELECT runs.id, {columns} FROM figures JOIN runs ON runs.number = figures.run "
            "WHERE row = ? AND metric = ? ORDER BY coalesce(started, added), runs.number"
        )
        return [(run, _figure(line)) for run, *line in self._ask(asked, [row, metric])]

    def of_image(self, row: str, metric: str, digest: str) -> FigureRecord | None:
        """The latest figure of a row that an image gave."""
        found = [figure for _, figure in self.figures(row, metric) if figure.firmware_sha256 == digest]
        return found[-1] if found else None

    def rows(self) -> list[str]:
        """The names of all rows."""
        return [name for (name,) in self._ask("SELECT DISTINCT row FROM figures ORDER BY row", [])]

    def metrics(self, row: str) -> list[str]:
        """What there is of a row."""
        return [
            name for (name,) in self._ask("SELECT DISTINCT metric FROM figures WHERE row = ? ORDER BY metric", [row])
        ]

    def whole(self) -> Iterator[RunRecord]:
        """All runs with their figures."""
        columns = ", ".join(_FIGURE_COLUMNS)
        asked = (
            f"SELECT {columns} FROM figures JOIN runs ON runs.number = figures.run WHERE id = ? ORDER BY row, metric"
        )
        for run in self.runs():
            figures = [_figure(line) for line in self._ask(asked, [run.id])]
            yield msgspec.structs.replace(run, figures=figures)

    def _ask(self, asked: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._sentences():
            return self._base.execute(asked, values).fetchall()

    def _prepare(self, *, create: bool) -> None:
        """Make the tables of a new data base, and refuse one of another version, or of another program."""
        (application,) = self._base.execute("PRAGMA application_id").fetchone()
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if (application, version) == (APPLICATION, VERSION):
            return
        if application == APPLICATION:
            raise _core.AirwireError(
                f"{self.path}: is a history of version {version}, and this Airwire knows version {VERSION}; update it, "
                "or export it there and add the export here"
            )
        if not create:
            raise _core.AirwireError(f"{self.path}: is no data base of a history; name another file")
        self._base.execute("PRAGMA journal_mode = WAL")
        with self._writing():
            # Another process may have been first.
            if self._base.execute("PRAGMA application_id").fetchone() == (APPLICATION,):
                return
            if self._base.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                raise _core.AirwireError(f"{self.path}: is a data base of another program; name another file")
            for statement in _TABLES.split(";\n")[:-1]:
                self._base.execute(statement)
            self._base.execute(f"PRAGMA application_id = {APPLICATION}")
            self._base.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """What SQLite says of the file, in a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise _core.AirwireError(f"{self.path}: {_sentence(error, self.path, self._wait_s)}") from None


def _take_back(path: Path) -> None:
    """Remove what was begun of a data base, unless another process has put tables into it meanwhile."""
    log, index = (path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm"))
    with suppress(OSError):
        if path.stat().st_size <= _EMPTY_BYTES and not (log.is_file() and log.stat().st_size):
            for place in (log, index, path):
                place.unlink(missing_ok=True)


def _is_full(path: Path) -> bool:
    """Whether the disk has so little room that SQLite cannot write there: its index of the log alone takes 32 KiB."""
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_BYTES
    except OSError:
        return False


def _sentence(error: sqlite3.Error, path: Path, waited_s: float) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    # Of the files beside the data base, SQLite says no more than that something went wrong with them.
    if code == sqlite3.SQLITE_IOERR and _is_full(path):
        code = sqlite3.SQLITE_FULL
    told = {
        sqlite3.SQLITE_BUSY: f"another process has been writing there for {waited_s:g} s; wait for it, and try again",
        sqlite3.SQLITE_NOTADB: "is no data base of a history; name another file",
        sqlite3.SQLITE_CORRUPT: "is damaged; begin another one, and add the run folders to it",
        sqlite3.SQLITE_FULL: "cannot write it: there is no room on its disk, which it needs even to be read, and "
        "nothing was added; make room there, or name another place with --database",
        sqlite3.SQLITE_IOERR: f"cannot write it: its disk fails ({error}); look at that, or name another place with "
        "--database",
        sqlite3.SQLITE_READONLY: "cannot be written; name another file with --database",
        sqlite3.SQLITE_CANTOPEN: "cannot be opened; name another file with --database",
    }
    return told.get(code, f"cannot be used: {error}")


def _insert(table: str, names: Iterable[str], how: str) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"INSERT {how} INTO {table} ({', '.join(quoted)}) VALUES ({', '.join('?' * len(quoted))})"


def _figure_values(figure: FigureRecord) -> list[Any]:
    values = [getattr(figure, name) for name in _FIGURE_COLUMNS[:-1]]
    return [*values, json.dumps(figure.settings, sort_keys=True)]


def _run(line: Sequence[Any]) -> RunRecord:
    return RunRecord(**dict(zip(_RUN_COLUMNS, line, strict=True)))


def _figure(line: Sequence[Any]) -> FigureRecord:
    told = dict(zip(_FIGURE_COLUMNS, line, strict=True))
    return FigureRecord(**{**told, "settings": json.loads(told["settings"])})
