"""Frames of an Ethernet PHY's management interface (IEEE 802.3, clause 22) out of the edges of two pins.

A MAC of one's own, as firmware for a LAN8720 has it, asks its PHY there before anything else.
"""

from __future__ import annotations

from collections.abc import Iterable

from airwire.diagnosis.spi_bus import Edge

_PREAMBLE_BITS = 32
# The start of a frame, and whether it reads or writes.
_BEGINNINGS = ((0, 1, 1, 0), (0, 1, 0, 1))


def is_management(edges: Iterable[Edge], mdc: int, mdio: int) -> bool:
    """Whether there is a frame: 32 ones, a start, and an operation, each bit taken at a rising edge of MDC."""
    level: bool | None = None
    begun: list[int] = []
    ones = 0
    for _, pin, is_high in edges:
        if pin == mdio:
            level = is_high
        if pin != mdc or not is_high:
            continue
        # A line that has not moved yet is held high by its pull-up.
        bit = 1 if level is None or level else 0
        if ones >= _PREAMBLE_BITS and (begun or not bit):
            begun.append(bit)
            if len(begun) == len(_BEGINNINGS[0]):
                if tuple(begun) in _BEGINNINGS:
                    return True
                begun, ones = [], 0
        else:
            ones = ones + 1 if bit else 0
    return False
