"""Transactions on an SPI bus out of the edges of all pins, of a bus that nobody has named: which pin is SCK, which is
chip select and which is MOSI follows from what they do.

Bytes are sampled at rising edges of SCK, as in the modes 0 and 3, the ones that the chips of WIZnet take.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

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
    moves: dict[int, _Moves] = defaultdict(_Moves)
    for index, (_, pin, level) in enumerate(given):
        moves[pin].places.append(index)
        moves[pin].levels.append(level)
    counts = Counter({pin: len(of_pin.places) for pin, of_pin in moves.items()})
    for sck, count in counts.most_common(_MAY_BE_SCK):
        if count < 2 * _LEAST_CLOCKS:
            return None
        select = _select_of(moves, sck)
        if select is not None:
            return _decoded(given, sck, select)
    return None


@dataclass(slots=True)
class _Moves:
    """The edges of one pin: where each stands among all edges, and its new level."""

    places: list[int] = field(default_factory=list)
    levels: list[bool] = field(default_factory=list)


def _select_of(moves: Mapping[int, _Moves], sck: int) -> int | None:
    """The pin that is low around whole bytes of this clock, and high where the clock stands still."""
    clocks = list(compress(moves[sck].places, moves[sck].levels))
    others = [pin for pin in moves if pin != sck]
    found = {pin: _periods(clocks, moves[pin]) for pin in others}
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


_NONE = _Periods(0, 0.0, 0.0)


def _periods(clocks: Sequence[int], select: _Moves) -> _Periods:
    """The low periods of a pin, from the places of the rising edges of SCK.

    Nothing is given where it cannot be chip select any more: pins that move as much as a clock are told by their first
    periods, and an image that drives a display has a dozen of them, with millions of edges.
    """
    # Each share is at most that of the rising edges that end no broken period, and of the clocks that are not outside.
    most_broken = (1 - _MOSTLY) * sum(select.levels) + 1
    most_outside = (1 - _MOSTLY) * len(clocks) + 1
    low, passed = False, 0
    whole = broken = outside = inside = 0
    for place, level in zip(select.places, select.levels, strict=True):
        until = bisect_left(clocks, place, passed)
        within, passed = until - passed, until
        if not low:
            outside += within
        else:
            inside += within
            if level and within:
                whole, broken = (whole + 1, broken) if within % _BITS == 0 else (whole, broken + 1)
        if broken > most_broken or outside > most_outside:
            return _NONE
        low = not level
    if not whole:
        return _NONE
    outside_until_last = outside
    rest = len(clocks) - passed
    inside, outside = (inside + rest, outside) if low else (inside, outside + rest)
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
