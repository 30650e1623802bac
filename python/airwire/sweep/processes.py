"""Points in processes of this machine, one for each core unless told otherwise.

A process that is killed costs its point another try, and nothing else. Each is asked for a few points ahead, so that it
never waits, and ends by itself when this process is gone.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from airwire import _core
from airwire.sweep.point import Outcome, Point

MOST_TRIES = 3
"""Of a point whose worker was lost."""
_AHEAD = 2
_READ_BYTES = 1 << 16


def core_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def gone_ends_are_errors() -> Iterator[None]:
    """Writing to a process or a machine that is gone gives an error, and does not end this process.

    The command line leaves that signal to the system. In a thread Python cannot set it, and has it ignored already.
    """
    if not hasattr(signal, "SIGPIPE") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)


class Processes:
    """Workers of this machine."""

    def __init__(self, blobs: Path, workers: int | None) -> None:
        self._blobs = blobs
        self._count = workers or core_count()
        self._selector = selectors.DefaultSelector()
        self._all: list[_Worker] = []
        self._again: deque[Point] = deque()
        self._tries: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._all:
            worker.end()
        self._selector.close()

    def outcomes(self, points: Iterator[Point]) -> Iterator[Outcome]:
        """What becomes of each point, in the order in which they end.

        Raises ``AirwireError`` where this machine cannot run them, such as for want of room on its disk.
        """
        while True:
            self._hand_out(points)
            # One that is gone is heard of once more, so that its points, and others, get a worker in its place.
            if not any(worker.sent or worker.is_gone for worker in self._all):
                return
            for key, _ in self._selector.select():
                worker: _Worker = key.data
                lines = worker.read()
                if lines is None:
                    yield from self._lost(worker)
                    continue
                for line in lines:
                    yield self._heard(worker, json.loads(line))

    def _hand_out(self, points: Iterator[Point]) -> None:
        """Give every worker something to do, starting workers while there is more than those have."""
        for _ in range(self._count * _AHEAD):
            point = self._again.popleft() if self._again else next(points, None)
            if point is None:
                return
            while len(self._all) < self._count and all(worker.sent for worker in self._all):
                self._start()
            worker = min(self._all, key=lambda one: len(one.sent))
            if len(worker.sent) >= _AHEAD or not worker.send(point):
                self._again.appendleft(point)
                return

    def _start(self) -> None:
        worker = _Worker(self._blobs)
        self._all.append(worker)
        self._selector.register(worker.output, selectors.EVENT_READ, worker)

    def _heard(self, worker: _Worker, told: dict[str, Any]) -> Outcome:
        worker.sent.popleft()
        worker.has_answered = True
        if "refused" in told:
            raise _core.AirwireError(f"this machine has no room for a point: {told['refused']}; make some, and go on")
        return Outcome(*told["outcome"])

    def _lost(self, worker: _Worker) -> Iterator[Outcome]:
        """Give what a worker had to others; the point that it was at may have been what ended it."""
        self._selector.unregister(worker.output)
        self._all.remove(worker)
        code = worker.end()
        if not worker.sent:
            return
        point, *behind = worker.sent
        self._again.extend(behind)
        tries = self._tries[point.number] = self._tries.get(point.number, 0) + 1
        if tries < MOST_TRIES:
            self._again.appendleft(point)
            return
        if not worker.has_answered and not any(one.has_answered for one in self._all):
            raise _core.AirwireError(f"a worker of this machine ends as soon as it is started, with code {code}")
        yield Outcome(point.number, None, f"the process that ran it ended {tries} times, at last with code {code}")


class _Worker:
    """A process, and the points that it was sent and has not answered."""

    def __init__(self, blobs: Path) -> None:
        # In a session of its own Ctrl-C does not reach it: what it has finished is still heard.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "airwire.sweep.worker", str(blobs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self.output = self._process.stdin, self._process.stdout
        self._unread = b""
        self.sent: deque[Point] = deque()
        self.has_answered = False
        self.is_gone = False

    def send(self, point: Point) -> bool:
        """Ask for a point; whether the worker is there to be asked."""
        try:
            self._input.write(json.dumps(point).encode() + b"\n")
            self._input.flush()
        except OSError:
            self.is_gone = True
            return False
        self.sent.append(point)
        return True

    def read(self) -> list[bytes] | None:
        """The whole lines that are there; nothing where the worker has ended."""
        content = os.read(self.output.fileno(), _READ_BYTES)
        if not content:
            return None
        *lines, self._unread = (self._unread + content).split(b"\n")
        return lines

    def end(self) -> int:
        """End the process, whatever it is at; gives its exit code."""
        self._process.kill()
        for stream in (self._input, self.output):
            with suppress(OSError):
                stream.close()
        return self._process.wait()
