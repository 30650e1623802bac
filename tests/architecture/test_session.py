"""How the tests themselves are run: which files come first, and that interrupts reach what tests start."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from order import LONGEST_FIRST, TESTS


def test_each_file_that_comes_first_is_there() -> None:
    assert [name for name in LONGEST_FIRST if not (TESTS / name).exists()] == []


def test_a_program_that_a_test_starts_is_interrupted() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"], stdout=-1
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        program.send_signal(signal.SIGINT)
        assert program.wait(30) == -signal.SIGINT


def test_in_the_background_as_well(tmp_path: Path) -> None:
    """There a shell has a program ignore interrupts, and what that starts inherits it."""
    name = f"{__file__}::{test_a_program_that_a_test_starts_is_interrupted.__name__}"
    pytest = f"'{sys.executable}' -m pytest -p no:cacheprovider --rootdir '{TESTS.parent}' --basetemp '{tmp_path}/t'"
    done = subprocess.run(
        ["sh", "-c", f"trap '' INT; exec {pytest} '{name}'"],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
