"""The two engines that tests compare: each a process that reads cases as JSON lines and answers with states."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from core_cases import Case

REPOSITORY = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))


def build_ours() -> Path:
    """Build the example that gives states of our core. The whole workspace decides on features, as in make test."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--workspace", "--example", "core_states"]
    built = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return TARGET / "release" / "examples" / "core_states"


class Engines:
    """Our core and Unicorn's Cortex-M0, with what all their cases share."""

    def __init__(self, ours: Path, folder: Path, start: Case) -> None:
        self._folder = folder
        self._start = start
        self._commands = [[str(ours)], [sys.executable, str(Path(__file__).with_name("unicorn_engine.py"))]]

    def answers(self, cases: Iterable[Case]) -> tuple[list[str], list[str]]:
        """What ours and Unicorn answer."""
        ours, unicorn = self._run(cases, self._commands)
        return ours, unicorn

    def ours(self, cases: Iterable[Case]) -> list[str]:
        """What ours answers."""
        return self._run(cases, self._commands[:1])[0]

    def _run(self, cases: Iterable[Case], commands: list[list[str]]) -> list[list[str]]:
        asked = self._folder / "cases"
        with asked.open("w") as lines:
            lines.writelines(json.dumps(case) + "\n" for case in (self._start, *cases))
        answered = [self._folder / f"answers-{number}" for number, _ in enumerate(commands)]
        processes = []
        for command, answers in zip(commands, answered, strict=True):
            with asked.open() as stdin, answers.open("w") as stdout:
                processes.append(subprocess.Popen(command, stdin=stdin, stdout=stdout))
        for process in processes:
            assert process.wait(timeout=1200) == 0
        return [answers.read_text().splitlines() for answers in answered]


def need_unicorn() -> None:
    """Skip where Unicorn is not installed."""
    if importlib.util.find_spec("unicorn") is None:
        pytest.skip("Unicorn is not installed (pip install unicorn; it is in requirements-dev.txt)")
