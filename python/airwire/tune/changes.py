"""The change as text: a complete ``lwipopts.h``, a suite, an ``sdkconfig`` fragment, or a user's own file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from airwire import _core
from airwire.tune.build import HEADER
from airwire.tune.knobs import LWIP_OPTIONS
from airwire.tune.toml_text import inline, key, suite_text

_INCLUDE = re.compile(r'^#include "(?P<name>settings_\w+\.h)"$', re.MULTILINE)
_CHOICE = re.compile(r"#(?:el)?if defined\(LWIP_SETTINGS_(?P<name>\w+)\)\n#include \"(?P<file>[\w.]+)\"")
_BLOCK = re.compile(r"#if defined\(LWIP_SETTINGS_SMALL\).*?#endif\n", re.DOTALL)
_TUNED = re.compile(r"/\* What a search tries.*?#endif\n", re.DOTALL)
_DEFINE = r"^(?P<before>[ \t]*#[ \t]*define[ \t]+{name}[ \t]+)(?P<value>.*?)(?P<after>[ \t]*(?:/\*.*\*/)?[ \t]*)$"
Changed = Mapping[str, tuple[str, str]]
"""Each knob that changes: its value before and after."""


def complete_lwipopts(source: Path, settings: str, values: Mapping[str, str], changed: Changed) -> str:
    """The firmware's ``lwipopts.h`` with one of its settings files in its place and the options as they were found.

    ``settings`` names the settings file as the compiler is told it, such as ``DEFAULT``.
    """
    text = (source / "lwip" / "lwipopts.h").read_text(encoding="utf-8")
    files = {match["name"]: match["file"] for match in _CHOICE.finditer(text)}
    if settings not in files:
        raise _core.AirwireError(f"{source / 'lwip' / 'lwipopts.h'} has no settings of the name {settings}")
    body = _whole(source / "lwip", files[settings])
    meanings = {option.name: option.meaning for option in LWIP_OPTIONS}
    lines = ["/* As airwire tune has found them. */"]
    for name, value in sorted(values.items()):
        was = f"; was {changed[name][0]}" if name in changed else ""
        written = value if value.isdecimal() else f"({value})"
        lines += [f"/* {meanings[name]}{was} */", f"#undef {name}", f"#define {name} {written}"]
    tuned = "\n".join(lines) + "\n"
    text = _BLOCK.sub(lambda _match: body, text, count=1)
    return _TUNED.sub(lambda _match: tuned, text, count=1)


def _whole(folder: Path, name: str) -> str:
    """A settings file without its guard, and with those that it includes."""
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    guard = next(place for place, line in enumerate(lines) if line.startswith("#ifndef"))
    body = "\n".join([*lines[:guard], *lines[guard + 2 : len(lines) - 1 - lines[::-1].index("#endif")]]) + "\n"
    return _INCLUDE.sub(lambda match: _whole(folder, match["name"]), body)


def settings_name(flags: Sequence[str]) -> str:
    """Which settings file an image is built with, by how the compiler is called."""
    found = next((flag for flag in flags if flag.startswith("-DLWIP_SETTINGS_")), "")
    return found.removeprefix("-DLWIP_SETTINGS_")


def patched(text: str, changed: Changed) -> str:
    """A user's own file with other values; an option that it does not set goes before its last ``#endif``."""
    missing = []
    for name, (_, value) in changed.items():
        written = value if value.isdecimal() else f"({value})"
        pattern = re.compile(_DEFINE.format(name=re.escape(name)), re.MULTILINE)
        place = _replacement(written)
        text, count = pattern.subn(place, text)
        if not count:
            missing.append(f"#define {name} {written}\n")
    if not missing:
        return text
    at = text.rfind("#endif")
    return text + "".join(missing) if at < 0 else text[:at] + "".join(missing) + text[at:]


def _replacement(value: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{match['before']}{value}{match['after']}"


def link_suite(link: str, payload_bytes: int, settings: Mapping[str, str]) -> str:
    """A suite of one link with its settings."""
    lines = ['name = "tuned"', "seed = 1", f"payloads = [{payload_bytes}]", f"[links.{key(link)}]"]
    return "\n".join([*lines, *(f"{key(name)} = {inline(value)}" for name, value in settings.items())]) + "\n"


def board_suite(entry: str, row: Mapping[str, object]) -> str:
    """A suite of one row of boards."""
    return suite_text("tuned", 1, entry, row)


# ESP-IDF's names of what links call their settings (Kconfig of ESP-IDF v5: components/freertos, bt, esp_wifi, lwip).
_SDKCONFIG: Mapping[str, Callable[[str, str], str | None]] = {
    "tick": lambda _link, value: None if value == "none" else f"CONFIG_FREERTOS_HZ={_hertz(value)}",
    "mtu": lambda link, value: (
        f"CONFIG_BT_NIMBLE_ATT_PREFERRED_MTU={value}" if "nimble" in link else f"# esp_ble_gatt_set_local_mtu({value})"
    ),
    "connection_interval": lambda _link, value: (
        f"# connection interval: {_units(value)} units of 1.25 ms, asked for by code"
    ),
    "data_length": lambda _link, value: f"# data length: {value} octets, asked for by code",
    "power_save": lambda _link, value: f"# esp_wifi_set_ps(WIFI_PS_{_power_save(value)})",
    "nodelay": lambda _link, value: "# setsockopt(TCP_NODELAY)" if value == "on" else None,
    "ack_timer": lambda _link, value: f"CONFIG_LWIP_TCP_TMR_INTERVAL={_core.parse_time_ps(value) // 10**9}",
    "packets": lambda _link, value: f"# packet types: {value}, set by the controller",
}


def sdkconfig(link: str, settings: Mapping[str, str]) -> str | None:
    """The fragment of an ESP-IDF project; ``None`` for a link that is not of an ESP32."""
    if not link.startswith("esp32"):
        return None
    told = ((name, _SDKCONFIG[name](link, value)) for name, value in settings.items() if name in _SDKCONFIG)
    lines = [line for _, line in told if line is not None]
    heading = f"# {link}, as airwire tune has found it; what has no option is said as a comment."
    return "\n".join([heading, *lines]) + "\n"


def _hertz(tick: str) -> int:
    return round(10**12 / _core.parse_time_ps(tick))


def _units(interval: str) -> int:
    return round(_core.parse_time_ps(interval) / 1_250_000_000)


def _power_save(value: str) -> str:
    return {"none": "NONE", "min": "MIN_MODEM", "max": "MAX_MODEM"}.get(value, value.upper())


__all__ = [
    "HEADER",
    "Changed",
    "board_suite",
    "complete_lwipopts",
    "link_suite",
    "patched",
    "sdkconfig",
    "settings_name",
]
