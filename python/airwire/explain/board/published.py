"""What is left between a published figure and the measured one, as a time of a message: that can be looked for."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log10

from airwire.address.row import AddressRow
from airwire.board.row import BoardRow, Figure, Published
from airwire.explain.board.figures import amount_text, number, plain

_PS_PER_S = 1e12
_BITS_PER_BYTE = 8
_UNITS = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1.0, "ps"))
_DIGITS = 3
_BITS = "bit/s"
# From and to, of which either may be open.
_Ends = tuple[float | None, float | None]


def published_sentence(board: BoardRow | AddressRow) -> str | None:
    """``Published 1.38 ms a message, here 1.25 ms: 0.13 ms is not explained.``, with what is to be known of it."""
    published, figure = board.published, board.figure
    if published is None or figure is None:
        return None
    told = _ratio(board) if published.compare == "ratio" else _times(board, published, figure)
    if told is None:
        return None
    kind = "another setup, of which only the cause is compared" if published.compare == "mechanism" else None
    return f"{'; '.join(filter(None, (told, kind, published.note)))}."


def times_sentence(board: BoardRow) -> str | None:
    """``Published 5.8 times ping-w5200, here 6.43 times.``, where such a figure was published beside the row's own."""
    times = None if board.published is None else board.published.times
    if times is None or times.measured is None:
        return None
    return f"Published {plain(times.published)} times {times.run}, here {number(times.measured, 3)} times."


def parts_sentence(board: BoardRow) -> str | None:
    """``Of the mean are 7.2 ms for the connection and 6.9 ms for processing, published 7 and 6 ms.``"""
    found, published = board.latency, board.published
    if found is None or found.connect_ps is None or found.processing_ps is None:
        return None
    theirs = (published.connect_ps, published.processing_ps) if published is not None else (None, None)
    longest = max(theirs[0] or 0, theirs[1] or 0) or found.mean.value
    scale, unit = next((scale, unit) for scale, unit in _UNITS if longest >= scale or scale == 1)
    connect, processing = (number(ps / scale, _DIGITS) for ps in (found.connect_ps, found.processing_ps))
    ends = [plain(ps / scale) for ps in theirs if ps is not None]
    beside = f" (published {' and '.join(ends)} {unit})" if ends else ""
    return f"Of the mean are {connect} {unit} the connection and {processing} {unit} the processing{beside}."


def _ratio(board: BoardRow | AddressRow) -> str | None:
    same, own, published = board.same_but, board.figure, board.published
    if same is None or same.figure is None or own is None or published is None or same.figure.value <= 0:
        return None
    here = number(own.value / same.figure.value, _DIGITS)
    return f"Published {amount_text(published)} times {same.run}, here {here} times"


def _times(board: BoardRow | AddressRow, published: Published, figure: Figure) -> str | None:
    """Both as times in one unit, with the decimals that give the longest published one three digits."""
    if figure.value <= 0:
        return None
    theirs = _as_times(published.range_in_unit or (published.in_unit, published.in_unit), figure.unit)
    ours = _as_times((figure.value, figure.value), figure.unit)
    statistic = None if published.statistic else figure.statistic
    if published.is_of_single_messages and board.latency is not None:
        ours, statistic = (board.latency.least_ps, board.latency.most_ps), None
    longest = max((end for end in theirs if end), default=0)
    if longest <= 0:
        return None
    scale, unit = next((scale, unit) for scale, unit in _UNITS if longest >= scale or scale == 1)
    decimals = max(0, _DIGITS - 1 - floor(log10(longest / scale)))

    def text(value: float) -> str:
        return f"{value / scale:.{decimals}f}"

    here = ours if theirs[0] is not None else (None, ours[1])
    words = f"{_named(published.statistic, _span(theirs, text))} {unit}{_each(figure.unit)}"
    rest = _rest(_beyond(theirs, ours), published.compare == "mechanism", lambda value: f"{text(value)} {unit}")
    return f"Published {words}, here {_named(statistic, _span(here, text))} {unit}: {rest}"


def _as_times(ends: _Ends, unit: str) -> _Ends:
    """Of rates the times that a message or a byte takes, the shortest first."""
    if unit == "ps":
        return ends
    work = _BITS_PER_BYTE if unit == _BITS else 1
    low, high = (None if end is None else work * _PS_PER_S / end for end in ends)
    return high, low


def _each(unit: str) -> str:
    if unit == "ps":
        return ""
    return " a byte" if unit == _BITS else f" a {unit.removesuffix('s/s')}"


def _named(statistic: str | None, text: str) -> str:
    return text if statistic is None else f"{statistic} {text}"


def _span(ends: _Ends, text: Callable[[float], str]) -> str:
    """``1.38``, ``1.8 to 4.2``, ``up to 65`` or ``at least 4``."""
    low, high = ends
    if low is None or high is None:
        return f"up to {text(high)}" if high is not None else f"at least {text(low or 0)}"
    return text(low) if text(low) == text(high) else f"{text(low)} to {text(high)}"


def _beyond(theirs: _Ends, ours: _Ends) -> tuple[float, float]:
    """How far the measured time reaches below the published range and above it, each at least 0."""
    (low, high), (least, most) = theirs, ours
    below = 0 if low is None or least is None else max(0, low - least)
    above = 0 if high is None or most is None else max(0, most - high)
    return below, above


def _rest(beyond: tuple[float, float], is_mechanism: bool, text: Callable[[float], str]) -> str:
    """What is not explained; of another setup that stays open."""
    below, above = (text(ps) if any(digit in "123456789" for digit in text(ps)) else None for ps in beyond)
    if below is None and above is None:
        return "nothing is left unexplained to these digits"
    parts = [below, None if above is None else f"{above} more"]
    return f"{' and '.join(filter(None, parts))} {'stays open' if is_mechanism else 'is not explained'}"
