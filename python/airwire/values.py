"""Values as people write them: times and sizes with their units, and settings of links and images."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

from airwire import _core

_RATE = re.compile(r"\s*+([0-9]{1,18})(?:\.([0-9]{1,12}))?+\s*+([kMG]?)(?:Hz|S/s)?\s*+", re.ASCII)
_RATE_ZEROS = {"": 0, "k": 3, "M": 6, "G": 9}
# One sample a picosecond, the finest time that there is here.
_MOST_HZ = 10**12
_MOST_PS = 2**63 - 1
"""What the core counts to, some 106 days."""

_RANGES = {
    "payload_bytes": (0, 2**32 - 1),
    "samples": (1, 100_000_000),
    "seed": (0, 2**63 - 1),
    "seeds": (1, 1_000_000),
    "latin": (2, 1_000_000),
    "spans": (0, 100_000_000),
    "workers": (0, 1024),
    "core": (0, 1),
    "instructions": (0, 2**32 - 1),
    "address": (0, 2**32 - 1),
    "value": (0, 2**32 - 1),
}
"""Of arguments that are whole numbers, by their names."""

Time = str | int
"""A time with its unit, such as ``"20 ms"``, or whole picoseconds. Every argument that is a time takes both."""


SettingValue = str | int | float | bool
"""A value of a setting: a number, a switch, a name, an address, or a quantity with its unit."""
Settings = Mapping[str, SettingValue]


def parse_time(text: str) -> int:
    """A time with its unit in picoseconds: ``parse_time("10ms")``. Raises ``AirwireError`` without a known unit."""
    return _core.parse_time_ps(text)


def format_time(ps: int) -> str:
    """Picoseconds as people read them: in the unit that fits, to about five digits.

    >>> airwire.format_time(102_400_000_000)
    '102.4 ms'
    """
    return _core.format_time(picoseconds(ps))


def parse_size(text: str) -> int:
    """A size in bytes: ``parse_size("1KiB")``. Raises ``AirwireError`` for anything else."""
    return _core.parse_bytes(text)


def parse_growth(text: str) -> float:
    """By which share something may grow: ``parse_growth("200%")`` is 2.0, for nothing bounds it above.

    Raises ``AirwireError`` for anything else.
    """
    number, percent = (text[:-1], 0.01) if text.endswith("%") else (text, 1.0)
    try:
        value = float(number) * percent
    except ValueError:
        value = -1.0
    if not 0 <= value < inf:
        raise _core.AirwireError(f"`{text}` is no share; write it as 5%, 200% or 0.05")
    return value


def parse_rate(text: str) -> int:
    """A sample rate in hertz: ``parse_rate("24MHz")``; the unit may be left out, or be ``M`` alone.

    Raises ``AirwireError`` for anything else, and for what is no whole number of hertz.
    """
    match = _RATE.fullmatch(text)
    digits, fraction = (match[1], match[2] or "") if match else ("", "")
    zeros = _RATE_ZEROS[match[3] or ""] - len(fraction.rstrip("0")) if match else -1
    rate_hz = int(digits + fraction.rstrip("0")) * 10 ** max(zeros, 0) if zeros >= 0 else 0
    if not 0 < rate_hz <= _MOST_HZ:
        raise _core.AirwireError(f"`{text}` is no sample rate; write a number with Hz, kHz, MHz or GHz, such as 24MHz")
    return rate_hz


def picoseconds(time: Time) -> int:
    """A time that a caller gave, in picoseconds. Raises ``AirwireError`` for anything else, such as seconds."""
    if isinstance(time, str):
        return _core.parse_time_ps(time)
    if not isinstance(time, int) or isinstance(time, bool) or abs(time) > _MOST_PS:
        raise _core.AirwireError(f"{time!r} is no time; write one with its unit, such as '20 ms', or whole picoseconds")
    return time


def picoseconds_or_none(time: Time | None) -> int | None:
    """The same for a time that may be left out."""
    return None if time is None else picoseconds(time)


def time_from(name: str, time: Time | None, *, or_none_at_all: bool = False) -> int | None:
    """A time that a caller gave by its name, in picoseconds: above 0, or 0 as well with ``or_none_at_all``.

    Raises ``AirwireError`` with the name for anything else.
    """
    given_ps = picoseconds_or_none(time)
    if given_ps is not None and given_ps < (0 if or_none_at_all else 1):
        least = "0s or more" if or_none_at_all else "more than 0s"
        raise _core.AirwireError(f"{name} is {_core.format_time(given_ps)}, but it takes {least}")
    return given_ps


def check_numbers(**given: int | None) -> None:
    """Refuse whole numbers that the core does not count to, each by the name of the argument that it was given as.

    Raises ``AirwireError`` for one that is out of its range; ``None`` is one that was left out.
    """
    for name, value in given.items():
        least, most = _RANGES[name]
        if value is not None and not (isinstance(value, int) and least <= value <= most):
            raise _core.AirwireError(f"{name} is {value!r}, but it takes a whole number from {least} to {most}")


def environment_text(environment: Mapping[str, Any] | None) -> str:
    """What made a run as JSON, for its folder. Raises ``AirwireError`` for what is no object of JSON."""
    if environment is not None and not isinstance(environment, Mapping):
        raise _core.AirwireError(f"environment is {environment!r:.60}, but it maps names to values of JSON")
    try:
        return json.dumps(dict(environment or {}), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise _core.AirwireError(f"environment holds what JSON has no place for: {error}") from None


def check_kind(name: str, value: object, kind: type, how: str) -> None:
    """Refuse an object of another kind; ``how`` says where the right one comes from. Raises ``AirwireError``."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise _core.AirwireError(f"{name} is {value!r:.60}, but it takes {article} {kind.__name__}, as {how} gives it")


def setting_texts(settings: Mapping[str, SettingValue]) -> dict[str, str]:
    """Settings as a user writes them on the command line, from JSON or from a script.

    Raises ``AirwireError`` for what maps no names to values, and for a value that is no setting's.
    """
    if not isinstance(settings, Mapping):
        raise _core.AirwireError(f"{settings!r} are no settings; give names with their values, such as {{'sf': 9}}")
    return {name: _text(name, value) for name, value in settings.items()}


def _text(name: str, value: SettingValue) -> str:
    if not isinstance(value, str | int | float) or (isinstance(value, float) and not isfinite(value)):
        raise _core.AirwireError(f"{name} is {value!r}, but it takes a number, a switch, or a text such as '20 ms'")
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)
