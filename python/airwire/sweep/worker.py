"""A worker process of this machine: reads points from its standard input, and writes what became of each.

``python -m airwire.sweep.worker BLOBS`` is started by ``processes.py``. A line of JSON each way; when the input ends,
because all is done or whoever asked is gone, the process ends.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from airwire.scratch import ScratchFolder
from airwire.sweep.blobs import Blobs
from airwire.sweep.point import Point, WorkerRefusesError, run_point, scratch_place


def serve(requests: Iterable[str], answers: TextIO, blobs: Blobs) -> None:
    """Run each point that comes."""
    with ScratchFolder("airwire-sweep-", scratch_place()) as scratch:
        for line in requests:
            point = Point(*json.loads(line))
            began = time.perf_counter()
            try:
                outcome = run_point(point, blobs, scratch)
            except WorkerRefusesError as refused:
                told: dict[str, object] = {"refused": str(refused)}
            else:
                told = {"outcome": outcome, "seconds": time.perf_counter() - began}
            answers.write(json.dumps(told) + "\n")
            answers.flush()


def main() -> None:
    """Serve on the standard streams; what anything else prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        serve(sys.stdin, answers, Blobs(Path(sys.argv[1])))
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(1)


if __name__ == "__main__":
    main()
