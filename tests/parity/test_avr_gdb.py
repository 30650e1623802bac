"""GDB for AVR on an image of ours: source lines, a backtrace, a variable, and a watchpoint in a handler."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from avr_images import build_avr_image

COMMANDS = (
    "break show",
    "continue",
    "backtrace",
    "print digit",
    "delete 1",
    "watch ticks",
    "continue",
    "print ticks",
    "info registers SP",
    "kill",
)


def test_avr_gdb_debugs_c(tmp_path: Path) -> None:
    gdb = shutil.which("avr-gdb")
    if gdb is None:
        pytest.skip("avr-gdb is not on this machine (Debian: gdb-avr)")
    image = build_avr_image("blink", tmp_path)
    served = [sys.executable, "-m", "airwire.cli", "board", "run", str(image), "--board", "arduino-uno", "--gdb", ":0"]
    with subprocess.Popen(served, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as board:
        assert board.stderr is not None
        place = re.search(r"target remote (\S+)", board.stderr.readline())
        assert place is not None
        commands = [part for one in (f"target remote {place[1]}", *COMMANDS) for part in ("-ex", one)]
        quiet = ["--nx", "--batch", "--quiet", "-ex", "set pagination off"]
        told = subprocess.run(
            [gdb, *quiet, *commands, str(image)], capture_output=True, text=True, timeout=60, check=False
        )
        board.wait(timeout=30)
    assert "Target-supplied registers" not in told.stderr
    shown = told.stdout
    assert re.search(r"Breakpoint 1, show \(digit=0 '\\000'\) at .*blink\.c:", shown), shown
    assert re.search(r"#1 +0x[0-9a-f]+ in main \(\) at .*blink\.c:", shown), shown
    assert "Old value = 1\nNew value = 2" in shown, shown
    assert re.search(r"__vector_16 \(\) at .*blink\.c:", shown), shown
    assert "SP             0x8" in shown, shown
