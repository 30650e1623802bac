"""Quantities as people write them in sentences."""

from __future__ import annotations

from airwire import _core


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
