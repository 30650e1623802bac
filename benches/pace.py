"""Boards that have much to do at once, published images, and starts of large ones."""

from __future__ import annotations

import statistics
import struct
import tempfile
from pathlib import Path

from benches.board import PADDED_BYTES, PUBLIC, REPOSITORY, ROUNDS, build_images
from benches.child import rates_of_part, rates_shown, told_by

BUSY = {
    "busy_pio": ("PIO runs freely at 31 MHz, a core computes", "160 ms"),
    "busy_pio_fed": ("PIO at 31 MHz is fed by DMA, a core computes", "160 ms"),
    "busy_cores": ("each of two cores computes, code in flash", "110 ms"),
    "busy_cores_ram": ("each of two cores computes, code in SRAM", "110 ms"),
    "busy_cores_dma": ("the same, and the DMA copies without a pause", "110 ms"),
}
PUBLIC_RUN = "2 s"
"""Of images that mostly wait, so long that what they do at their start does not decide."""
WITH_A_RADIO = ("circuitpython-picow", "embassy_wifi", "flipper_http", "micropython-picow", "picow_")
"""How the names of images for a Pico W begin; the others are for a plain Pico."""
STARTS = 21
UF2_PAYLOAD_BYTES = 256
UF2_FAMILY = 0xE48BFF56
"""The RP2040's, in the UF2 project's list."""

FIRMWARE = REPOSITORY / "build" / "firmware"
"""Our own images, as `make firmware` builds them."""
UPLOADS = {
    "picow_blink (SDK)": (PUBLIC / "picow_blink.uf2", "375 ms", "100 ms"),
    "picow_webserver (SDK with lwIP)": (PUBLIC / "picow_webserver.uf2", "375 ms", "100 ms"),
    "embassy_wifi_blinky (bits at 62 MHz)": (PUBLIC / "embassy_wifi_blinky.elf", "410 ms", "100 ms"),
    "our ping-lwip_raw (words by DMA from flash)": (FIRMWARE / "pico-w" / "ping-lwip_raw.elf", "145 ms", "60 ms"),
}
"""Images for a Pico W: when they are amid their upload of the radio's firmware, and how long that is looked at."""
BUSY_RUN = """
import json, sys, time
from airwire.board import Board
board = Board(sys.argv[3], sys.argv[1], record="record" in sys.argv)
start = time.process_time()
ended = board.run(sys.argv[2], past_faults=True)
print(json.dumps({"cpu_s": time.process_time() - start, "virtual_s": ended.time_ps / 1e12,
                  "instructions": ended.cores[0].instructions}))
"""

STARTED = """
import json, sys, time
from airwire.board import Board
def start():
    before = time.process_time()
    board = Board("pico", sys.argv[1], record=False)
    board.step()
    return time.process_time() - before
first = start()
print(json.dumps({"first_s": first, "next_s": sorted(start() for _ in range(int(sys.argv[2])))[int(sys.argv[2]) // 2]}))
"""


def run_busy() -> list[str]:
    """Rows of Markdown: virtual time by processor time, without and with the edges of all pins kept."""
    rows = ["| whole image, 125 MHz | of real time | every edge of its pins kept |", "|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        built = build_images(Path(folder))
        for name, (title, virtual) in BUSY.items():
            rates: dict[str, list[float]] = {"": [], "record": []}
            for _ in range(ROUNDS):
                for kept, found in rates.items():
                    told = told_by(BUSY_RUN, str(built / f"{name}.elf"), virtual, "pico", kept)
                    found.append(told["virtual_s"] / told["cpu_s"])
            rows.append(f"| {title} | {rates_shown(rates[''])} | {rates_shown(rates['record'])} |")
    return rows


def run_public() -> list[str]:
    """Rows of Markdown: images that others published (tests/parity), virtual time by processor time."""
    images = sorted([*PUBLIC.glob("*.uf2"), *PUBLIC.glob("*.elf")])
    if not images:
        return [
            f"Left out: {PUBLIC} (AIRWIRE_IMAGES) has no images; tests/parity/README.md says where they are published"
        ]
    rows = [f"| image, {PUBLIC_RUN} from power-on | processor time | of real time |", "|---|---|---|"]
    for image in images:
        board = "pico-w" if image.stem.startswith(WITH_A_RADIO) else "pico"
        told = [told_by(BUSY_RUN, str(image), PUBLIC_RUN, board) for _ in range(3)]
        cpu_s = statistics.median(one["cpu_s"] for one in told)
        rows.append(f"| {image.stem} | {cpu_s * 1000:.1f} ms | {told[0]['virtual_s'] / cpu_s:.1f} x |")
    return rows


def run_uploads() -> list[str]:
    """Rows of Markdown: a part of the upload of a radio's firmware, virtual time by processor time."""
    if missing := [str(image) for image, _, _ in UPLOADS.values() if not image.is_file()]:
        return [
            f"Left out: there is no {', '.join(missing)}; `make firmware` and tests/parity/README.md say where from"
        ]
    rows = ["| image | part of its run | of real time |", "|---|---|---|"]
    for title, (image, start, length) in UPLOADS.items():
        rates = rates_of_part("pico-w", image, start, length, rounds=ROUNDS)
        rows.append(f"| {title} | {start} on, {length} | {rates_shown(rates)} |")
    return rows


def run_starts() -> list[str]:
    """Rows of Markdown: from the file of a large image to its first instruction."""
    rows = ["| start of a 1.5 MB image | first in a process | further ones |", "|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        content = (build_images(Path(folder)) / "hello_uart.bin").read_bytes()
        content += bytes(index % 251 for index in range(PADDED_BYTES - len(content)))
        for suffix, made in {"bin": content, "uf2": _uf2(content)}.items():
            image = Path(folder) / f"padded.{suffix}"
            image.write_bytes(made)
            told = [told_by(STARTED, str(image), str(STARTS)) for _ in range(ROUNDS)]
            first, further = (statistics.median(one[key] for one in told) * 1000 for key in ("first_s", "next_s"))
            rows.append(f"| .{suffix} | {first:.1f} ms | {further:.1f} ms |")
    return rows


def _uf2(content: bytes) -> bytes:
    """A UF2 file of contents for the beginning of the flash (UF2 specification, "File format")."""
    payloads = [content[at : at + UF2_PAYLOAD_BYTES] for at in range(0, len(content), UF2_PAYLOAD_BYTES)]
    blocks = []
    for number, payload in enumerate(payloads):
        address = 0x1000_0000 + UF2_PAYLOAD_BYTES * number
        head = (0x0A324655, 0x9E5D5157, 0x2000, address, UF2_PAYLOAD_BYTES, number, len(payloads), UF2_FAMILY)
        blocks.append(struct.pack("<8I476sI", *head, payload, 0x0AB16F30))
    return b"".join(blocks)


def processor_run(image: Path, for_: str) -> dict[str, float]:
    """Seconds of processor and of virtual time, and instructions of core 0, of an image in a process of its own."""
    return told_by(BUSY_RUN, str(image), for_, "pico")


def main() -> None:
    """Print all tables."""
    for table in (run_busy, run_uploads, run_public, run_starts):
        print("\n".join(table()), "\n", flush=True)


if __name__ == "__main__":
    main()
