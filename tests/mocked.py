"""The command ``airwire`` on mock targets: what it prints, keeps and exits with, without anything being simulated.

``python tests/mocked.py PLAN ARGUMENT...`` is ``airwire ARGUMENT...``, except that every row of a suite runs on a mock
target. PLAN is JSON: ``mocks`` says what the mocks do (``crates/bench/src/targets/mock.rs``), and ``interrupt_at``
after how many messages Ctrl-C comes. With ``takes_no_time`` the clock of the progress stands. No command and no suite
reaches the mocks in another way.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from airwire import _core, cli
from airwire.cli import output


def main(plan: dict[str, Any], arguments: list[str]) -> None:
    """Run the command line with these arguments, as its entry point does."""
    real = _core.run_suite

    def on_mocks(path: str, *, progress: Callable[[int, int], Any], **options: Any) -> _core.SuiteResult:
        watched = _with_ctrl_c(progress, plan.get("interrupt_at"))
        return real(path, progress=watched, mocks=json.dumps(plan["mocks"]), **options)

    now = (lambda: 0.0) if plan.get("takes_no_time") else output._now
    with (
        patch.object(_core, "run_suite", on_mocks),
        patch.object(output, "_now", now),
        patch.object(sys, "argv", ["airwire", *arguments]),
    ):
        cli.main()


def _with_ctrl_c(progress: Callable[[int, int], Any], at: int | None) -> Callable[[int, int], Any]:
    """The callback, and Ctrl-C once so many messages are done; it comes from another thread, as from outside."""
    waiting = at is not None

    def watched(done: int, total: int) -> None:
        nonlocal waiting
        progress(done, total)
        if waiting and at is not None and done >= at:
            waiting = False
            threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()

    return watched


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
