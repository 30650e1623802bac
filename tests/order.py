"""Which files of tests are begun first, where each of several processes takes the next file when it is free."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent
LONGEST_FIRST = (
    "docs/test_console.py",
    "firmware/test_http_images.py",
    "firmware/test_firmware_apps.py",
    "api/test_board_network.py",
    "docs/test_reference.py",
    "docs/test_site.py",
    "firmware/test_soak.py",
    "firmware/test_host_port.py",
    "cli/test_run_bulk.py",
    "cli/test_unfinished_outputs.py",
    "docs/test_tick_beat.py",
    "parity/test_rp2040js.py",
    "firmware/test_images.py",
    "cli/test_run_boards.py",
    "firmware/python",
    "parity/test_unicorn.py",
    "cli/test_serve.py",
)
"""What takes longest, so that no process has one of these left when the others are done."""


def place_in_line(file: Path) -> int:
    """The files of one place stay in the order in which they were found."""
    name = file.relative_to(TESTS).as_posix()
    return next((n for n, start in enumerate(LONGEST_FIRST) if name.startswith(start)), len(LONGEST_FIRST))
