"""Writes the tables of sizes into docs/reference/firmware.md: each image, and the small web server by part.

    make firmware && python tools/documents/firmware_sizes.py

Reads the sections and symbols of the images in build/firmware by the cross compiler's own tools: the tables of the
W5500-EVB-Pico, of the Pico W and of boards with an AVR, and the parts of one image.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "build" / "firmware"
IMAGES = FIRMWARE / "w5500-evb-pico"
PICO_W = FIRMWARE / "pico-w"
AVRS = ("goldilocks-1284p-w5200", "goldilocks-1284p-w5100", "arduino-uno-w5100", "arduino-mega-w5500")
PAGE = REPOSITORY / "docs" / "reference" / "firmware.md"
FLASH = (".boot2", ".vectors", ".settings", ".text", ".data")
RAM = (".data", ".bss", ".noinit")
REST = "C library, strings, the rest"
PARTS = {
    "lwIP": r"lwip/(core|netif|api|include)",
    "HTTP server": r"protocols/http",
    "reader of pages": r"protocols/fsdata",
    "application": r"apps/",
    "network interface, transport": r"firmware/(lwip|transport)/",
    "driver of the chip": r"drivers/",
    "HAL, start, console": r"ports/|common/|hal/",
}


def tool(name: str, *arguments: str, family: str = "arm-none-eabi") -> str:
    """What a tool of the cross compiler prints."""
    return subprocess.run([f"{family}-{name}", *arguments], capture_output=True, text=True, check=True).stdout


def sections(elf: Path) -> dict[str, int]:
    """Bytes of each section."""
    told = tool("size", "-A", str(elf), family="avr" if elf.parent.name in AVRS else "arm-none-eabi")
    return {name: int(size) for name, size in re.findall(r"^(\.\S+)\s+(\d+)", told, re.M)}


def taken(elf: Path) -> tuple[int, int]:
    """What an image takes of flash and of RAM."""
    have = sections(elf)
    flash, ram = (sum(have.get(name, 0) for name in names) for names in (FLASH, RAM))
    return flash, ram


def size_table(images: Path = IMAGES) -> str:
    """Flash and RAM of each application on each way to the network."""
    rows = ["| image | flash | RAM |", "|---|--:|--:|"]
    for elf in sorted(images.glob("*-*.elf")):
        flash, ram = taken(elf)
        rows.append(f"| {elf.stem} | {flash} | {ram} |")
    return "\n".join(rows)


def avr_table() -> str:
    """Flash and RAM of each image for each board with an AVR."""
    rows = ["| board | image | flash | RAM |", "|---|---|--:|--:|"]
    for elf in [elf for board in AVRS for elf in sorted((FIRMWARE / board).glob("*-*.elf"))]:
        flash, ram = taken(elf)
        rows.append(f"| {elf.parent.name} | {elf.stem} | {flash} | {ram} |")
    return "\n".join(rows)


# Variables have no source in the symbol table: lwIP's are known by name, the web server's connections too.
VARIABLES = {
    "lwIP": r"memp_|ram_heap|mem_|arp_table|etharp_|tcp_|inseg|ip_|netif|next_timeout|current_timeout|pbuf",
    "application": r"clients|site|pages|digits|text|files",
}


def part_of(source: str, name: str) -> str:
    """The part that a symbol belongs to; what has no source is the compiler's and the C library's."""
    if source:
        return next((part for part, pattern in PARTS.items() if re.search(pattern, source)), REST)
    return next((part for part, pattern in VARIABLES.items() if re.match(pattern, name)), REST)


def part_table() -> str:
    """The small web server by part: code and constants, and static RAM."""
    elf = IMAGES / "http_server-lwip_small.elf"
    code: Counter[str] = Counter()
    ram: Counter[str] = Counter()
    for line in tool("nm", "-S", "-l", "--defined-only", str(elf)).splitlines():
        symbol = re.match(r"([0-9a-f]+) ([0-9a-f]+) (\w) (\S+)(?:\t(\S+))?", line)
        if not symbol or symbol[4] in ("fsdata_image", "vectors"):
            continue
        (code if int(symbol[1], 16) < 0x2000_0000 else ram)[part_of(symbol[5] or "", symbol[4])] += int(symbol[2], 16)
    pages = re.search(r"FSDATA_BYTES (\d+)", (IMAGES.parent / "site" / "fsdata.h").read_text())
    assert pages, "fsdata.h names the size of the pages"
    flash, memory = taken(elf)
    whole = flash - int(pages[1])
    code[REST] += whole - sum(code.values())
    ram[REST] += memory - sum(ram.values())
    rows = ["| part | flash | RAM |", "|---|--:|--:|"]
    rows += [f"| {part} | {code[part]} | {ram[part]} |" for part in [*PARTS, REST]]
    rows.append(f"| together | {whole} | {memory} |")
    return "\n".join(rows)


def main() -> None:
    """Writes the tables between their marks."""
    text = PAGE.read_text()
    tables = (
        ("sizes", size_table()),
        ("sizes of pico-w", size_table(PICO_W)),
        ("sizes of avr", avr_table()),
        ("parts", part_table()),
    )
    for mark, table in tables:
        text = re.sub(
            rf"<!-- {mark} -->\n.*?<!-- end of {mark} -->",
            f"<!-- {mark} -->\n{table}\n<!-- end of {mark} -->",
            text,
            flags=re.S,
        )
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
