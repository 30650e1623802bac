"""Points on an existing Dask cluster: in bundles that take about as long, a few of them ahead of what each worker does.

The cluster gives the points of a worker that is lost to others by itself. A worker that refuses, such as for want of
room on its disk, gets no more. Where the scheduler or the last worker is lost, the sweep ends with a sentence, and what
is finished is kept.
"""

from __future__ import annotations

import json
import logging
import queue
import re
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from types import TracebackType
from typing import Any, Self

from airwire import _core
from airwire.sweep import remote
from airwire.sweep.blobs import Blobs
from airwire.sweep.point import Outcome, Point
from airwire.sweep.processes import MOST_TRIES

Client = Any
Future = Any
"""Those of ``distributed``, which is loaded when a cluster is asked for and has few types."""
BUNDLE_S = 0.5
"""How long a bundle of points is to take: far longer than the cluster takes for a task, and soon done again."""
BUNDLE_S_A_THREAD = 0.007
"""The same for each thread of a large cluster: twice what the scheduler takes for a task (docs, "fleet plan")."""
MOST_IN_BUNDLE = 256
_AHEAD = 3
_CONNECT_S = 10.0
_GRACE_S = 1.0
"""For the library's own complaint, which says more, to come first."""
_SILENCE_S = 30.0
"""A scheduler that moves many results is silent for seconds."""
_LOOK_EVERY_S = 0.5
_COUNT_EVERY_S = 2.0
_WEIGHT = 0.3
"""Of the latest bundle in the mean of what a point takes."""
_TALKATIVE = ("asyncio", "distributed", "tornado")
_ADDRESS = re.compile(r"(?:[a-z]+://)?(?:\[[^\[\]\s]+\]|[^\[\]\s:/]+):[0-9]{1,5}(?:/\S*)?")
_NEVER = logging.CRITICAL + 1
_MISSING = "this needs the package distributed: pip install 'airwire[cluster]'"


@dataclass
class _Bundle:
    points: list[Point]
    began: float = field(default_factory=time.monotonic)


class Cluster:
    """The workers of a scheduler.

    ``run`` is what they call, and ``ahead`` how many bundles each thread has: what measures the cluster itself gives
    other ones.
    """

    def __init__(
        self,
        address: str,
        blobs: Blobs,
        patience_s: float,
        run: Callable[..., str] = remote.run_points,
        ahead: int = _AHEAD,
    ) -> None:
        self._address, self._blobs, self._patience_s = address, blobs, patience_s
        self._run, self._ahead = run, ahead
        self._client: Client | None = None
        self._files: dict[str, Future] = {}
        self._ended: queue.SimpleQueue[tuple[Future, _Bundle]] = queue.SimpleQueue()
        self._running: set[Future] = set()
        self._again: deque[Point] = deque()
        self._tries: dict[int, int] = {}
        self._refusing: dict[str, str] = {}
        self._seconds: float | None = None
        self._threads = 0
        self._counted = -_COUNT_EVERY_S

    def __enter__(self) -> Self:
        self._client = _connected(self._address)
        try:
            _check_version(self._client, self._address)
            self._wait_for_workers()
            _check_workers(self._client, self._address)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def outcomes(self, points: Iterator[Point]) -> Iterator[Outcome]:
        """What becomes of each point, in the order in which they end.

        Raises ``AirwireError`` where the scheduler or all workers are lost.
        """
        while True:
            self._count_threads()
            while len(self._running) < max(1, self._threads) * self._ahead and (wanted := self._next(points)):
                self._send(wanted)
            if not self._running:
                return
            try:
                future, bundle = self._ended.get(timeout=_LOOK_EVERY_S)
            except queue.Empty:
                self._look()
                continue
            self._running.discard(future)
            yield from self._heard(future, bundle)

    def _next(self, points: Iterator[Point]) -> list[Point]:
        """A bundle: one point until it is known what one takes, and one again of which a worker was lost."""
        if self._again and self._again[0].number in self._tries:
            return [self._again.popleft()]
        wanted = 1
        if self._seconds is not None:
            aim_s = max(BUNDLE_S, BUNDLE_S_A_THREAD * self._threads)
            wanted = min(MOST_IN_BUNDLE, max(1, round(aim_s / max(self._seconds, 1e-6))))
        bundle: list[Point] = []
        while len(bundle) < wanted:
            point = self._again.popleft() if self._again else next(points, None)
            if point is None:
                break
            bundle.append(point)
        return bundle

    def _send(self, points: list[Point]) -> None:
        assert self._client is not None, "it is connected"
        files = sorted({digest for point in points for digest in point.files.values()})
        bundle = _Bundle(points)
        future = self._client.submit(
            self._run,
            remote.version(),
            json.dumps(points),
            *(self._file(digest) for digest in files),
            pure=False,
            **self._where(),
        )
        self._running.add(future)
        future.add_done_callback(lambda one: self._ended.put((one, bundle)))

    def _where(self) -> dict[str, Any]:
        """The workers that do not refuse, where some do."""
        if not self._refusing:
            return {}
        good = [worker for worker in self._threads_of_workers() if worker not in self._refusing]
        if not good:
            told = "; ".join(f"{worker}: {why}" for worker, why in self._refusing.items())
            raise _core.AirwireError(f"no worker at {self._address} can run a point: {told}")
        return {"workers": good, "allow_other_workers": False}

    def _file(self, digest: str) -> Future:
        """The task that has a file's content; its name is the digest, so that each worker gets it once."""
        if digest not in self._files:
            assert self._client is not None, "it is connected"
            content = self._blobs.read(digest)
            self._files[digest] = self._client.submit(remote.blob, content, key=f"airwire-file-{digest}")
        return self._files[digest]

    def _heard(self, future: Future, bundle: _Bundle) -> Iterator[Outcome]:
        if future.status == "finished":
            try:
                answer = json.loads(future.result(timeout=_CONNECT_S))
            except Exception:  # Whatever it is, the result is lost with the scheduler or a worker.
                self._look()
                self._again.extend(bundle.points)
                return
            yield from self._answered(answer, future, bundle)
            return
        self._look()
        if future.status == "error":
            yield from self._failed(bundle.points, future)
        else:
            self._again.extend(bundle.points)

    def _answered(self, answer: dict[str, Any], future: Future, bundle: _Bundle) -> Iterator[Outcome]:
        outcomes = [Outcome(*one) for one in answer["outcomes"]]
        ended = {outcome.number for outcome in outcomes}
        if outcomes and "seconds" in answer:
            took = answer["seconds"] / len(outcomes)
            self._seconds = took if self._seconds is None else (1 - _WEIGHT) * self._seconds + _WEIGHT * took
        if answer["refused"] is not None:
            self._refusing[answer["worker"]] = answer["refused"]
            self._again.extend(point for point in bundle.points if point.number not in ended)
            self._where()
        yield from outcomes

    def _failed(self, points: Sequence[Point], future: Future) -> Iterator[Outcome]:
        """Try points again one by one whose task ended the workers that ran it, or raised something."""
        for point in points:
            tries = self._tries[point.number] = self._tries.get(point.number, 0) + 1
            if tries < MOST_TRIES:
                self._again.appendleft(point)
            else:
                yield Outcome(
                    point.number, None, f"no worker ended it in {tries} tries: {_first_line(future.exception())}"
                )

    def _count_threads(self) -> None:
        if time.monotonic() - self._counted < _COUNT_EVERY_S or self._client is None:
            return
        threads = self._threads_of_workers()
        self._threads = sum(count for worker, count in threads.items() if worker not in self._refusing)
        self._counted = time.monotonic()

    def _look(self) -> None:
        """Raise where nothing more can come: the scheduler is gone, or all workers are and stay so."""
        assert self._client is not None, "it is connected"
        if self._client.status != "running":
            raise self._gone()
        self._wait_for_workers()

    def _gone(self) -> _core.AirwireError:
        return _core.AirwireError(f"the scheduler at {self._address} is gone; start one, and go on")

    def _threads_of_workers(self) -> dict[str, int]:
        """How many threads each worker has. Raises ``AirwireError`` where the scheduler is gone, or silent for long."""
        assert self._client is not None, "it is connected"
        try:
            threads: dict[str, int] = self._client.nthreads(callback_timeout=_SILENCE_S)
        except TimeoutError:
            raise _core.AirwireError(
                f"the scheduler at {self._address} has said nothing for {_SILENCE_S:g} s; look whether it still runs, "
                "and go on"
            ) from None
        except Exception:  # The connection may break in many ways, and all of them mean the same.
            raise self._gone() from None
        return threads

    def _wait_for_workers(self) -> None:
        until = time.monotonic() + self._patience_s
        while True:
            if self._threads_of_workers():
                return
            if time.monotonic() > until:
                raise _core.AirwireError(
                    f"the scheduler at {self._address} has had no worker for {self._patience_s:g} s; start one with "
                    f"dask worker {self._address}, and go on"
                )
            time.sleep(_LOOK_EVERY_S)

    def _close(self) -> None:
        if self._client is None:
            return
        running = self._client.status == "running"
        with suppress(Exception):
            if running:
                self._client.cancel([*self._running, *self._files.values()], force=True)
        with suppress(Exception):
            self._client.close(timeout=2)
        self._client = None


def _connected(address: str) -> Client:
    if not _ADDRESS.fullmatch(address):
        # The library would look for such a host for long, at a port that no scheduler has.
        raise _core.AirwireError(
            f"--scheduler: {address!r} is no address of a scheduler; give host and port, such as tcp://host:8786"
        )
    try:
        from distributed import Client as Connected
    except ModuleNotFoundError as missing:
        raise _core.AirwireError(
            f"--scheduler: {_MISSING.replace('distributed', missing.name or 'distributed')}"
        ) from None

    class Quiet(Connected):
        """A client that is closed by ``Cluster`` alone: of one that never connected, the library's own way of ending
        it waits once more as long, and then prints a traceback."""

        def __del__(self) -> None:
            """Nothing."""

    _silence()
    try:
        with warnings.catch_warnings():
            # Other versions are refused in a sentence of ours.
            warnings.simplefilter("ignore")
            return _in_time(lambda: Quiet(address, timeout=_CONNECT_S, set_as_default=False))  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError) as error:
        raise _core.AirwireError(
            f"no scheduler answers at {address} ({_first_line(error)}); start one with dask scheduler, or leave "
            "--scheduler out"
        ) from None
    except Exception as error:
        raise _core.AirwireError(
            f"{address}: is no Dask scheduler that distributed {_library()} understands "
            f"({_first_line(error)}); install the same version there and here"
        ) from None


def _in_time(connect: Callable[[], Client]) -> Client:
    """What ``connect`` gives. The library waits for minutes where somebody takes the connection and says nothing.

    Raises ``TimeoutError`` for that, and what ``connect`` raises.
    """
    made: queue.SimpleQueue[tuple[Client | None, Exception | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            made.put((connect(), None))
        except Exception as error:
            made.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        client, error = made.get(timeout=_CONNECT_S + _GRACE_S)
    except queue.Empty:
        raise TimeoutError(f"it took the connection and said nothing for {_CONNECT_S:g} s") from None
    if error is not None:
        raise error
    return client


def _library() -> str:
    """The version of ``distributed`` here."""
    return version("distributed")


def _silence() -> None:
    """What the library logs of lost connections is said here, in one sentence."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _TALKATIVE:
            logging.getLogger(name).setLevel(_NEVER)


def _check_version(client: Client, address: str) -> None:
    """Refuse a scheduler with another version of the library: both speak a protocol that changes with it."""
    theirs = client.get_versions()["scheduler"]["packages"]["distributed"]
    if theirs != _library():
        raise _core.AirwireError(
            f"the scheduler at {address} has distributed {theirs}, and here is {_library()}; install the "
            "same version on both"
        )


def _check_workers(client: Client, address: str) -> None:
    """Refuse workers without Airwire, or with another version."""
    try:
        versions = client.run(remote.version)
    except Exception as error:
        raise _core.AirwireError(
            f"a worker at {address} cannot run Airwire ({_first_line(error)}); install airwire[cluster] "
            f"{_core.__version__} where the workers are"
        ) from None
    for worker, theirs in versions.items():
        if theirs != _core.__version__:
            raise _core.AirwireError(
                f"the worker {worker} has Airwire {theirs}, and here is {_core.__version__}; install the same version"
            )


def _first_line(error: BaseException | None) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
