"""What runs on a worker of a cluster: several points at a time, with the files that they need.

The functions are called by name, so that every worker has Airwire installed, and in the same version. Files come as
results of tasks, which the cluster moves to each worker once and computes again where a worker that had them is lost.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from functools import cache

from airwire import _core
from airwire.scratch import ScratchFolder
from airwire.sweep.blobs import Blobs, digest_of_bytes
from airwire.sweep.point import Outcome, Point, WorkerRefusesError, run_point, scratch_place


def version() -> str:
    """The version of Airwire that a worker has."""
    return _core.__version__


def blob(content: bytes) -> bytes:
    """A file, as a task that the cluster can repeat."""
    return content


def run_points(wanted_version: str, points: str, *contents: bytes) -> str:
    """Run points; gives as JSON what became of each, how long they took, and where this worker refuses, why."""
    began = time.perf_counter()
    outcomes: list[Outcome] = []
    refused: str | None = None
    try:
        if version() != wanted_version:
            raise WorkerRefusesError(f"it has Airwire {version()}, and the sweep was begun with {wanted_version}")
        blobs = _blobs(os.getpid())
        for content in contents:
            _receive(blobs, content)
        for raw in json.loads(points):
            outcomes.append(run_point(Point(*raw), blobs, blobs.folder.parent))
    except (WorkerRefusesError, OSError) as refusal:
        refused = str(refusal)
    told = {"outcomes": outcomes, "seconds": time.perf_counter() - began, "refused": refused, "worker": _address()}
    return json.dumps(told)


def _address() -> str:
    """What the scheduler calls this worker."""
    from distributed import get_worker

    return str(get_worker().address)


def kept_files() -> Sequence[str]:
    """The digests of the files that this worker has."""
    return sorted(path.name for path in _blobs(os.getpid()).folder.iterdir() if path.is_file())


def received() -> int:
    """How many files this worker has written, each of which it gets once."""
    return len(_received)


def _receive(blobs: Blobs, content: bytes) -> None:
    """Write a file, unless the same object was written before: the worker keeps results of tasks that others need."""
    digest = digest_of_bytes(content)
    if not blobs.has(digest):
        blobs.add(content)
        _received.append(digest)


@cache
def _blobs(_process: int) -> Blobs:
    """The files of this process, which go when it ends."""
    folder = ScratchFolder("airwire-sweep-", scratch_place())
    _kept.append(folder)
    place = folder.path / "files"
    place.mkdir()
    return Blobs(place)


_kept: list[ScratchFolder] = []
_received: list[str] = []
