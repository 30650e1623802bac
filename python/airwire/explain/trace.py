"""The spans of a run as trace events, for Perfetto (ui.perfetto.dev) and chrome://tracing.

One process per row, one track in it; messages that overlap in time go to further tracks of the row, because a track
shows one thing after another. Times are in microseconds with six decimals, which holds every picosecond.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.explain.words import stage_name
from airwire.outputs import new_file

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from airwire.model import Capture

_PS_PER_US = 1_000_000
# Of each row; a browser opens some ten megabytes, not a hundred.
MESSAGES = 100


def write_trace(rows: Sequence[Capture], path: Path) -> int:
    """Write the spans of the first ``MESSAGES`` of every row as one JSON trace and say how many events it has.

    Raises ``AirwireError`` where no row has spans.
    """
    written = 0
    with new_file(path) as file:
        file.write(b'{"displayTimeUnit": "ns", "traceEvents": [\n')
        for event in _events(rows):
            file.write(f"{',' if written else ''}{event}\n".encode())
            written += 1
        file.write(b"]}\n")
        if written == 0:
            raise _core.AirwireError(f"{path}: there is nothing to trace, because the run holds no spans")
    return written


def _events(rows: Sequence[Capture]) -> Iterator[str]:
    for process, row in enumerate((row for row in rows if row.target.spans.height > 0), start=1):
        yield _named("process_name", process, 0, row.path)
        tracks: list[int] = []
        for message, spans in _messages(row.target.spans):
            start, end = spans[0][2], max(span[3] for span in spans)
            track = next((place for place, free in enumerate(tracks) if free <= start), len(tracks))
            if track == len(tracks):
                tracks.append(end)
                name = "messages" if track == 0 else f"messages, {track + 1} at once"
                yield _named("thread_name", process, track + 1, name)
            tracks[track] = end
            for stage, cause, begin, finish, size in spans:
                yield _complete(process, track + 1, stage, cause, begin, finish - begin, message, size)


Span = tuple[str, str, int, int, int]
"""Name, cause, start, end and bytes."""


def _messages(kept: pl.DataFrame) -> Iterator[tuple[int, list[Span]]]:
    """The spans of each message in the order of time; spans without length show nothing."""
    first = kept["index"].unique().sort().head(MESSAGES).implode()
    spans = kept.filter(kept["index"].is_in(first) & (kept["end_ps"] > kept["start_ps"]))
    codes = ("cause", "site", "subject", "detail")
    names = {found: stage_name(*found) for found in spans.select(codes).unique().iter_rows()}
    own: list[Span] = []
    current: int | None = None
    ordered = spans.select("index", "start_ps", "end_ps", "bytes", *codes).sort("index", "start_ps")
    for index, start_ps, end_ps, size, *found in ordered.iter_rows():
        if index != current and current is not None:
            yield current, own
            own = []
        current = index
        own.append((names[tuple(found)], found[0], start_ps, end_ps, size))
    if current is not None:
        yield current, own


def _named(what: str, process: int, track: int, name: str) -> str:
    event: dict[str, Any] = {"name": what, "ph": "M", "pid": process, "tid": track, "args": {"name": name}}
    return json.dumps(event, ensure_ascii=False)


def _complete(process: int, track: int, stage: str, cause: str, start_ps: int, ps: int, message: int, size: int) -> str:
    arguments = json.dumps({"message": message, "bytes": size})
    names = f'"name": {json.dumps(stage, ensure_ascii=False)}, "cat": {json.dumps(cause)}'
    times = f'"ts": {_microseconds(start_ps)}, "dur": {_microseconds(ps)}'
    return f'{{{names}, "ph": "X", {times}, "pid": {process}, "tid": {track}, "args": {arguments}}}'


def _microseconds(ps: int) -> str:
    """Exact; a float of seconds into a run would lose picoseconds."""
    sign = "-" if ps < 0 else ""
    return f"{sign}{abs(ps) // _PS_PER_US}.{abs(ps) % _PS_PER_US:06d}"
