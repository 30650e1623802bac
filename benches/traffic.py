"""Our own images under bulk transfers and pages against real time: ``make firmware`` builds them."""

from __future__ import annotations

from pathlib import Path

from benches.child import rates_of_part, rates_shown
from benches.pace import FIRMWARE

ROUNDS = 3
# Until then every one of these images has its link and its address.
IDLE = "3 s"
LENGTH = "2 s"
BULK = ("bulk", "bulk to=board:9 start=3s send=10MB")
IPERF = ("iperf", "iperf to=board start=3s send=10MB")
# At 100 Mbit/s 10 MB end within a second.
FAST_IPERF = ("iperf", "iperf to=board start=3s send=30MB")
# Here the board sends as much as it takes.
FAST_ECHO = ("bulk, echoed", "bulk to=board:7 start=3s send=30MB")
ECHO = ("bulk, echoed", "bulk to=board:7 start=3s send=10MB")
SENT = ("bulk, sent", "bulk to=board:19 start=3s send=0B")
PAGES = ("http", "http to=board start=3s path=/static.html requests=2000")
IMAGES = (
    ("w5500-evb-pico", "streams-hardware", BULK),
    ("w5500-evb-pico", "iperf-lwip_raw", IPERF),
    ("w5500-evb-pico", "http_server-hardware", PAGES),
    ("w5100s-evb-pico", "streams-lwip_raw", BULK),
    ("pico-w5100", "streams-hardware", ECHO),
    ("w55rp20-evb-pico", "streams-hardware", BULK),
    ("w55rp20-evb-pico", "streams-lwip_raw", BULK),
    ("pico-w", "iperf-lwip_raw", IPERF),
    ("pico-w", "http_server-lwip_raw", PAGES),
    ("pico-lan8720", "iperf-lwip_raw", FAST_IPERF),
    ("pico-lan8720", "streams-lwip_raw", SENT),
    ("pico-lan8720", "streams-lwip_raw", FAST_ECHO),
)


def run_traffic() -> list[str]:
    """Rows of Markdown: two seconds of traffic, virtual time by processor time."""
    missing = [f"{board}/{image}" for board, image, _ in IMAGES if not _path(board, image).is_file()]
    if missing:
        return [f"Left out: {FIRMWARE} lacks {', '.join(missing)}; `make firmware` builds them"]
    rows = [f"| board | image | traffic for {LENGTH} | of real time |", "|---|---|---|---|"]
    for board, image, (name, traffic) in IMAGES:
        rates = rates_of_part(board, _path(board, image), IDLE, LENGTH, traffic, rounds=ROUNDS)
        rows.append(f"| {board} | {image} | {name} | {rates_shown(rates)} |")
    return rows


def _path(board: str, image: str) -> Path:
    return FIRMWARE / board / f"{image}.elf"


if __name__ == "__main__":
    print("\n".join(run_traffic()))
