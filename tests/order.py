"""Which files of tests are begun first, where each of several processes takes the next file when it is free."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent
LONGEST_FIRST = (
    "docs/test_console.py",
    "firmware/test_gain_estimates.py",
    "firmware/test_http_images.py",
    "api/test_board_network.py",
    "firmware/test_firmware_apps.py",
    "cli/test_hostile.py",
    "cli/test_surroundings.py",
    "report/test_report_screens.py",
    "cli/test_serve.py",
    "sweep/test_sweep_cluster.py",
    "docs/test_site.py",
    "sweep/test_sweep.py",
    "cli/test_unfinished_outputs.py",
    "cli/test_run_bulk.py",
    "cli/test_choose.py",
    "firmware/test_host_port.py",
    "firmware/test_soak.py",
    "firmware/test_http_core.py",
    "cli/test_twin.py",
    "cli/test_why.py",
    "firmware/test_pico_w.py",
    "live/test_page_in_chromium.py",
    "parity/test_rp2040js.py",
    "firmware/test_images.py",
    "firmware/python",
    "cli/test_run_boards.py",
    "parity/test_unicorn.py",
    "docs/test_tick_beat.py",
)
"""What takes longest, so that no process has one of these left when the others are done."""


def place_in_line(file: Path) -> int:
    """The files of one place stay in the order in which they were found."""
    name = file.relative_to(TESTS).as_posix()
    return next((n for n, start in enumerate(LONGEST_FIRST) if name.startswith(start)), len(LONGEST_FIRST))
