"""Our own images under bulk transfers and pages against real time: ``make firmware`` builds them."""

from __future__ import annotations

import statistics
from pathlib import Path

from benches.child import told_by

REPOSITORY = Path(__file__).resolve().parent.parent
FIRMWARE = REPOSITORY / "build" / "firmware"
ROUNDS = 3
# Until then every one of these images has its link and its address.
IDLE = "3 s"
BULK = "bulk to=board:9 start=3s send=10MB"
IPERF = "iperf to=board start=3s send=10MB"
PAGES = "http to=board start=3s path=/static.html requests=2000"
IMAGES = (
    ("w5500-evb-pico", "streams-hardware", BULK),
    ("w5500-evb-pico", "iperf-lwip_raw", IPERF),
    ("w5500-evb-pico", "http_server-hardware", PAGES),
    ("w5100s-evb-pico", "streams-lwip_raw", BULK),
    ("w55rp20-evb-pico", "streams-hardware", BULK),
    ("w55rp20-evb-pico", "streams-lwip_raw", BULK),
    ("pico-w", "iperf-lwip_raw", IPERF),
    ("pico-w", "http_server-lwip_raw", PAGES),
    ("pico-lan8720", "iperf-lwip_raw", IPERF),
)
TRAFFIC_RUN = """
import json, sys, time
from airwire.board import Board
board, image, idle, traffic = sys.argv[1:]
board = Board(board, image, record=False, traffic=[traffic])
board.run(idle)
began_s, began_ps = time.process_time(), board.time_ps
ended = board.run("2 s")
cpu_s = time.process_time() - began_s
print(json.dumps({"cpu_s": cpu_s, "virtual_s": (board.time_ps - began_ps) / 1e12}))
"""


def run_traffic() -> list[str]:
    """Rows of Markdown: two seconds of traffic, virtual time by processor time."""
    missing = [f"{board}/{image}" for board, image, _ in IMAGES if not _path(board, image).is_file()]
    if missing:
        return [f"Left out: {FIRMWARE} lacks {', '.join(missing)}; `make firmware` builds them"]
    rows = ["| board | image | traffic for 2 s | of real time |", "|---|---|---|---|"]
    for board, image, traffic in IMAGES:
        told = [told_by(TRAFFIC_RUN, board, str(_path(board, image)), IDLE, traffic) for _ in range(ROUNDS)]
        rates = [one["virtual_s"] / one["cpu_s"] for one in told]
        rate = f"{statistics.median(rates):.2f} x [{min(rates):.2f}-{max(rates):.2f}]"
        rows.append(f"| {board} | {image} | {traffic.partition(' ')[0]} | {rate} |")
    return rows


def _path(board: str, image: str) -> Path:
    return FIRMWARE / board / f"{image}.elf"


if __name__ == "__main__":
    print("\n".join(run_traffic()))
