"""Writes docs/reference/settings.md: the settings of every image, as the images themselves note them.

    make firmware && python tools/documents/firmware_settings.py

Reads the images in build/firmware/w5500-evb-pico, and of a Pico W what its radio has beside them. Kind, range and
meaning stand in C beside each default (firmware/hal/settings.h).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from airwire.board import ImageSetting, image_settings

REPOSITORY = Path(__file__).resolve().parents[2]
IMAGES = REPOSITORY / "build" / "firmware" / "w5500-evb-pico"
PICO_W = REPOSITORY / "build" / "firmware" / "pico-w" / "ping-lwip_raw.elf"
PAGE = REPOSITORY / "docs" / "reference" / "settings.md"
HEADER = """\
# Settings of the firmware

<!-- Made by `python tools/documents/firmware_settings.py`; do not edit by hand. -->

A setting is a 32-bit word in the flash of an [image](firmware.md), or a text, declared in C with default, range and
meaning, and changed in the image without building it anew:

- on a virtual board: `--set NAME=VALUE` of `airwire board run` and `airwire board serve`, `settings` in a suite;
- on a real board: `airwire board settings IMAGE --set NAME=VALUE --out FILE.uf2`, and the file goes onto its USB drive.

`airwire board settings IMAGE` lists those of one image. The defaults are those of the images for the W5500-EVB-Pico.
"""

Row = tuple[str, str, str, str]
"""Name, default, what it takes, meaning."""


def _row(setting: ImageSetting) -> Row:
    if setting.meaning is None:
        raise SystemExit(f"{setting.name} has no meaning noted: build the images again (make firmware)")
    return setting.name, setting.shown, setting.takes, setting.meaning


def _images() -> dict[str, set[Row]]:
    return {image.stem: {_row(one) for one in image_settings(image)} for image in sorted(IMAGES.glob("*-*.elf"))}


def _table(rows: Iterable[Row]) -> Iterator[str]:
    yield from ["| setting | default | takes | meaning |", "|---|---|---|---|"]
    yield from (f"| `{name}` | {default} | {takes} | {meaning} |" for name, default, takes, meaning in sorted(rows))
    yield ""


def _where(row: Row, images: dict[str, set[Row]]) -> str:
    """The ways to the network whose images have a setting, and which of their images have not."""
    ways = sorted({image.split("-")[1] for image, rows in images.items() if row in rows})
    without = sorted(image for image, rows in images.items() if image.split("-")[1] in ways and row not in rows)
    text = ", ".join(f"`{way}`" for way in ways)
    return text if not without else f"{text}; not {', '.join(f'`{image}`' for image in without)}"


def _plain(image: str) -> str:
    """An image without what its name says of its variant."""
    return "-".join(image.split("-")[:2])


def _of_variants(images: dict[str, set[Row]]) -> dict[str, set[Row]]:
    """What variants of an image have beside it; taken out of ``images``."""
    extra = {image: rows - images[_plain(image)] for image, rows in images.items() if _plain(image) in images}
    for image in [image for image, rows in extra.items() if not rows]:
        del extra[image]
    for image in extra:
        del images[image]
    return extra


def settings_page() -> str:
    """The page in Markdown."""
    images = _images()
    extra = _of_variants(images)
    in_each: set[Row] = set.intersection(*images.values())
    applications: dict[str, list[set[Row]]] = defaultdict(list)
    for image, rows in images.items():
        applications[image.split("-")[0]].append(rows)
    of_ways = {row for sets in applications.values() for row in sets[0].union(*sets) - sets[0].intersection(*sets)}
    lines = [HEADER, "## Every image", "", *_table(in_each)]
    lines += [
        "## By the way to the network",
        "",
        "| setting | default | takes | meaning | in |",
        "|---|---|---|---|---|",
    ]
    for row in sorted(of_ways):
        name, default, takes, meaning = row
        lines.append(f"| `{name}` | {default} | {takes} | {meaning} | {_where(row, images)} |")
    lines.append("")
    for application, sets in applications.items():
        own = sets[0].intersection(*sets) - in_each - of_ways
        lines += [f"## {application}", "", *(_table(own) if own else ["No settings of its own.", ""])]
    radio = {_row(one) for one in image_settings(PICO_W)}
    named = {name for rows in (in_each, of_ways) for name, *_ in rows}
    lines += ["## The radio of a Pico W", "", "Every image for a Pico W has these as well.", ""]
    lines += _table(row for row in radio if row[0] not in named)
    for image, own in extra.items():
        lines += [f"## {image}", "", f"Those of `{_plain(image)}`, and", "", *_table(own)]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(settings_page(), encoding="utf-8")
