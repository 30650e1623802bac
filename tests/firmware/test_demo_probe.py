"""`make demo` ends with a probe of a virtual board that is served in real time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_end_of_the_demo_measures_a_served_board_and_ends_well(firmware: Path, tmp_path: Path) -> None:
    ended = subprocess.run(
        [
            REPOSITORY / "tools" / "probe_a_served_board",
            Path(sys.executable).with_name("airwire"),
            firmware / "w5500-evb-pico" / "pingpong_server-hardware.elf",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "A virtual board in real time, at 127.0.0.1:" in ended.stdout
    assert "Run folder: " in ended.stdout
