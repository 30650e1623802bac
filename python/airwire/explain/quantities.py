"""Quantities as people write them in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airwire import _core

_DAY_S, _LONGEST_DAYS = 86400, 3653
"""Beyond it a battery's own loss counts more than what is taken from it."""


def time(ps: float) -> str:
    """A time in the unit that keeps it readable: ``102.4 ms``."""
    return _core.format_time(round(ps))


def rough_time(ps: float) -> str:
    """A time to three significant digits: ``8.67 us``, ``30 ms``."""
    return _rounded(ps, 3)


def table_time(ps: float) -> str:
    """A time to four significant digits, as tables show it: ``817.4 ms``."""
    return _rounded(ps, 4)


def _rounded(ps: float, digits: int) -> str:
    return _core.format_time(round(float(f"{ps:.{digits - 1}e}")))


def scaled(value: float, units: Mapping[float, str], digits: int = 4) -> str:
    """A value in the largest of these units of which it is at least one: ``5.7 mJ``."""
    size, unit = next(((size, unit) for size, unit in units.items() if abs(value) >= size), list(units.items())[-1])
    return f"{value / size:.{digits}g} {unit}"


def energy(joules: float, digits: int = 3) -> str:
    """An energy to three significant digits: ``5.7 mJ``."""
    return scaled(joules, {1: "J", 1e-3: "mJ", 1e-6: "uJ", 1e-9: "nJ"}, digits)


def current(amperes: float) -> str:
    """A current to three significant digits: ``1.73 mA``."""
    return scaled(amperes, {1: "A", 1e-3: "mA", 1e-6: "uA", 1e-9: "nA"}, 3)


def battery_life(seconds: float) -> str:
    """How long a battery lasts, in the unit that people plan in: ``58 days``."""
    days = seconds / _DAY_S
    if days > _LONGEST_DAYS:
        return "over 10 years"
    return f"{days * 24:.3g} h" if days < 3 else f"{days:.0f} days"


def percent(share: float) -> str:
    """A share in percent with two significant digits: ``3.7 %``, ``43 %``, ``100 %``."""
    value = 100 * share
    if value == 0:
        return "0 %"
    if value >= 99.95 or value == round(value):
        return f"{value:.0f} %"
    if value >= 10:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if value >= 0.1 else f"{value:.2g} %"


def count(number: float, noun: str) -> str:
    """A whole number with its noun in the right form: ``1 message``, ``22 messages``."""
    whole = round(number)
    plural = noun if whole == 1 else (f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s")
    return f"{whole:,} {plural}".replace(",", " ")


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence: ``a``, ``a and b``, or ``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
