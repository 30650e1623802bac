"""Transactions on an SPI bus out of the edges of all pins, of a bus that nobody has named: which pin is SCK, which is
chip select and which is MOSI follows from what they do.

Bytes are sampled at rising edges of SCK, as in the modes 0 and 3, the ones that the chips of WIZnet take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_BITS = 8
# Of the periods of chip select so many hold whole bytes, where it is the chip select of this SCK.
_MOSTLY = 0.9
# So many such periods are more than a pin has that was moved for something else, such as a reset.
_LEAST_PERIODS = 8
# Below so many clocks a pin that moves is no bus.
_LEAST_CLOCKS = 16
# A bus that moves little is beside UARTs and PWM that move more. So many of the busiest pins may be SCK.
_MAY_BE_SCK = 4

Edge = tuple[int, int, bool]
"""When a pin moved, in ps, which one, and its new level."""


@dataclass(frozen=True, slots=True)
class SpiBus:
    """The pins of a bus, by their GPIO, and the bytes of each transaction; an open last one is left out."""

    sck: int
    select: int
    mosi: int | None
    transactions: Sequence[bytes]


def spi_bus(edges: Iterable[Edge]) -> SpiBus | None:
    """The busiest SPI bus of the edges; ``None`` where there is none."""
    given = list(edges)
    counts = Counter(pin for _, pin, _ in given)
    for sck, count in counts.most_common(_MAY_BE_SCK):
        if count < 2 * _LEAST_CLOCKS:
            return None
        select = _select_of(given, sck, [pin for pin in counts if pin != sck])
        if select is not None:
            return _decoded(given, sck, select)
    return None


def _select_of(edges: Sequence[Edge], sck: int, others: Sequence[int]) -> int | None:
    """The pin that is low around whole bytes of this clock, and high where the clock stands still."""
    moves: dict[int, list[tuple[int, int, bool]]] = {pin: [] for pin in (sck, *others)}
    for index, (_, pin, level) in enumerate(edges):
        moves[pin].append((index, pin, level))
    found = {pin: _periods(sorted(moves[sck] + moves[pin]), sck, pin) for pin in others}
    best = max(found, key=lambda pin: found[pin].share, default=None)
    if best is not None and found[best].share >= _MOSTLY:
        return best
    # An image that finds no chip may clock on without selecting any, so that its clocks behind that tell nothing.
    begun = [pin for pin in others if found[pin].share_until_last >= _MOSTLY and found[pin].whole >= _LEAST_PERIODS]
    return max(begun, key=lambda pin: found[pin].whole, default=None)


@dataclass(frozen=True, slots=True)
class _Periods:
    """The low periods of a pin that may be chip select."""

    whole: int
    """How many hold whole bytes."""
    share: float
    """Their share, times that of the clocks that are in such periods."""
    share_until_last: float
    """The same up to the last edge of the pin."""


def _periods(moves: Iterable[tuple[int, int, bool]], sck: int, select: int) -> _Periods:
    low, clocks = False, 0
    whole = broken = outside = inside = outside_until_last = 0
    for _, pin, level in moves:
        if pin == select:
            if low and level and clocks:
                whole, broken = (whole + 1, broken) if clocks % _BITS == 0 else (whole, broken + 1)
            low, clocks, outside_until_last = not level, 0, outside
        elif pin == sck and level:
            clocks += 1
            inside, outside = (inside + 1, outside) if low else (inside, outside + 1)
    if not whole:
        return _Periods(0, 0.0, 0.0)
    share = whole / (whole + broken) * inside
    return _Periods(whole, share / (inside + outside), share / (inside + outside_until_last))


def _decoded(edges: Sequence[Edge], sck: int, select: int) -> SpiBus:
    mosi = _mosi_of(edges, sck, select)
    transactions: list[bytes] = []
    bits: list[bool] = []
    low = level_of_mosi = False
    for _, pin, level in edges:
        if pin == mosi:
            level_of_mosi = level
        elif pin == select:
            if low and level and bits:
                transactions.append(_bytes(bits))
            low, bits = not level, []
        elif pin == sck and level and low:
            bits.append(level_of_mosi)
    return SpiBus(sck, select, mosi, transactions)


def _mosi_of(edges: Sequence[Edge], sck: int, select: int) -> int | None:
    """The pin that changes most within transactions, of those that change while SCK is low.

    The chip takes the level at the rising edge, so a master changes it from the falling edge on. A UART or a PWM
    beside the bus changes at any time.
    """
    changes: Counter[int] = Counter()
    in_time: Counter[int] = Counter()
    while_high: list[tuple[int, int]] = []
    low = high = False
    for time_ps, pin, level in edges:
        if pin == select:
            low = not level
        elif pin == sck:
            high = level
            # What changes at the instant of the falling edge may stand before it.
            in_time.update(other for at_ps, other in while_high if at_ps == time_ps and not level)
            while_high.clear()
        elif low:
            changes[pin] += 1
            if high:
                while_high.append((time_ps, pin))
            else:
                in_time[pin] += 1
    timely = [pin for pin in changes if in_time[pin] >= _MOSTLY * changes[pin]]
    return max(timely, key=lambda pin: (changes[pin], -pin), default=None)


def _bytes(bits: Sequence[bool]) -> bytes:
    text = "".join("1" if bit else "0" for bit in bits)
    whole = len(text) // _BITS * _BITS
    return bytes(int(text[at : at + _BITS], 2) for at in range(0, whole, _BITS))
