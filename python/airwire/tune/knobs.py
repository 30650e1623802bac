"""What a search may change: each knob once, with the values worth trying.

lwIP's options are built into an image; settings of images are words in its flash; settings of links come from the
links themselves. What protects a message or its neighbours is no knob.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from airwire import _core
from airwire.board.model import ImageSetting
from airwire.link.model import Link
from airwire.runs.selection import KEPT_SETTINGS

Kind = Literal["lwip", "image", "link"]


@dataclass(frozen=True, slots=True)
class Knob:
    """Something that a search may change."""

    name: str
    kind: Kind
    values: Sequence[str]
    """Worth trying, in their order where they have one; the start is among them."""
    start: str
    meaning: str
    is_ordered: bool = True
    """Whether neighbours among the values are alike."""

    def with_values(self, values: Sequence[str]) -> Knob:
        """The same with other values worth trying."""
        return replace(self, values=_with_start(values, self.start))


def _with_start(values: Sequence[str], start: str) -> tuple[str, ...]:
    return tuple(values) if start in values else (start, *values)


@dataclass(frozen=True, slots=True)
class LwipOption:
    """An option of lwIP's opt.h."""

    name: str
    values: Sequence[int]
    meaning: str
    segments: bool = False
    """Whether the values count segments of ``TCP_MSS``."""


# Meanings as lwIP's own opt.h has them (lwip/opt.h of the locked package), in our words.
LWIP_OPTIONS: Sequence[LwipOption] = (
    LwipOption("TCP_MSS", (536, 1024, 1460), "the most payload of a segment"),
    LwipOption("TCP_WND", (2, 4, 6, 8, 11, 14, 16, 20, 24, 28, 32, 38, 44), "the receive window", segments=True),
    LwipOption("PBUF_POOL_SIZE", (6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64), "buffers for frames that come in"),
    LwipOption("TCP_SND_BUF", (2, 4, 6, 8, 11, 16, 24, 32), "the send buffer", segments=True),
    LwipOption("MEM_SIZE", (1600, 4096, 8192, 12288, 16384, 24576, 32768, 49152), "the heap, which holds what is sent"),
    LwipOption("MEMP_NUM_TCP_SEG", (8, 16, 24, 32, 48, 64, 100, 150), "segments that wait, to be sent or in order"),
    LwipOption("MEMP_NUM_PBUF", (4, 8, 16, 24, 32), "references to payload that stays where it is"),
    LwipOption("TCP_QUEUE_OOSEQ", (0, 1), "whether segments that come out of order are kept"),
)

_MORE_LINK_VALUES: Mapping[tuple[str, str], Sequence[str]] = {
    ("nrf24", "retries"): ("0", "3", "5", "10", "15"),
}
"""Beside those that the link itself calls worth trying: its own what-if runs leave what costs loss alone."""


@dataclass(frozen=True, slots=True)
class _SettingValues:
    values: Sequence[str]
    is_ordered: bool = True
    needs_spi: bool = True


# Settings of images that belong to the driver or the application, not to the network that the board is on.
_IMAGE_SETTINGS: Mapping[str, _SettingValues] = {
    "spi_hz": _SettingValues(("2000000", "8000000", "16600000", "33300000")),
    "spi_dma_from_bytes": _SettingValues(("8", "32", "128", "512")),
    "wiznet_int": _SettingValues(("off", "on"), is_ordered=False),
    "wiznet_poll_us": _SettingValues(("250", "1000", "5000", "20000", "64000")),
    "wiznet_poll_raster": _SettingValues(("off", "on"), is_ordered=False),
    "nagle": _SettingValues(("off", "on"), is_ordered=False, needs_spi=False),
}


def lwip_knobs(start: Mapping[str, int]) -> list[Knob]:
    """lwIP's options, where an image begins with these values."""
    mss = start["TCP_MSS"]
    knobs = []
    for option in LWIP_OPTIONS:
        if option.name not in start:
            continue
        text = option_text(option.name, start[option.name], mss)
        values = [f"{value}*TCP_MSS" if option.segments else str(value) for value in option.values]
        knobs.append(Knob(option.name, "lwip", _in_order(values, text, mss), text, option.meaning))
    return knobs


def option_text(name: str, value: int, mss: int) -> str:
    """A value as it is written: by segments where the option counts them."""
    counts = any(option.name == name and option.segments for option in LWIP_OPTIONS)
    return f"{value // mss}*TCP_MSS" if counts and value % mss == 0 else str(value)


def _in_order(values: Sequence[str], start: str, mss: int) -> tuple[str, ...]:
    return tuple(sorted({*values, start}, key=lambda text: size_of(text, mss)))


def size_of(text: str, mss: int) -> int:
    """A value of an option as a number: ``4*TCP_MSS`` by the size of a segment."""
    count, _, unit = text.partition("*")
    return int(count) * mss if unit else int(count)


def image_knobs(settings: Sequence[ImageSetting], *, has_spi: bool) -> list[Knob]:
    """The settings of an image that a search may change; those of a chip at the end of SPI where the board has one."""
    found = []
    for setting in settings:
        known = _IMAGE_SETTINGS.get(setting.name)
        if known is not None and (has_spi or not known.needs_spi):
            values = _with_start(known.values, setting.text)
            if known.is_ordered:
                values = tuple(sorted(values, key=int))
            found.append(Knob(setting.name, "image", values, setting.text, setting.meaning or "", known.is_ordered))
    return found


def link_knobs(link: Link, start: Mapping[str, str], listed: Mapping[str, Sequence[str]]) -> list[Knob]:
    """The settings of a link with values worth trying, or with those that a suite lists."""
    knobs = []
    for setting in link.settings:
        more = _MORE_LINK_VALUES.get((link.name, setting.name))
        values = listed.get(setting.name) or more or setting.alternatives
        if not values or (setting.name in KEPT_SETTINGS and setting.name not in listed):
            continue
        own = start.get(setting.name, setting.default)
        knobs.append(Knob(setting.name, "link", _with_start(values, own), own, setting.help))
    return knobs


def chosen(knobs: Sequence[Knob], wanted: Sequence[str], what: str) -> list[Knob]:
    """The knobs that a user names, each as ``NAME`` or ``NAME=VALUE,VALUE``; all where none is named.

    Raises ``AirwireError`` with the nearest name for one that there is not.
    """
    if not wanted:
        return list(knobs)
    known = {knob.name: knob for knob in knobs}
    found: dict[str, Knob] = {}
    for text in wanted:
        name, given, values = (part.strip() for part in text.partition("="))
        if name not in known:
            hint = _core.name_hint(name, list(known)) if known else "it has none that a search may change"
            raise _core.AirwireError(f"{what} has no knob {name}; {hint}")
        own = [value.strip() for value in values.split(",") if value.strip()]
        if given and not own:
            raise _core.AirwireError(f"the knob {name} has no values; write them such as {name}=2,4,8")
        found[name] = _checked(known[name], own) if own else known[name]
    return list(found.values())


def _checked(knob: Knob, values: Sequence[str]) -> Knob:
    if knob.kind == "lwip":
        for value in values:
            count, _, unit = value.partition("*")
            if not count.isdecimal() or unit not in ("", "TCP_MSS"):
                raise _core.AirwireError(
                    f"the knob {knob.name} takes whole numbers, or 4*TCP_MSS and the like; {value} is neither"
                )
    return knob.with_values(values)
