"""What is left between a published figure and the measured one, as a time of a message: that can be looked for."""

from __future__ import annotations

from math import floor, log10

from airwire.board_row import BoardRow
from airwire.explain.board_figures import quantity

_PS_PER_S = 1e12
_UNITS = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1.0, "ps"))
_DIGITS = 3
_BITS = "bit/s"


def left_unexplained(board: BoardRow) -> str | None:
    """``Published 1.38 ms a message, here 1.25 ms: 0.13 ms is not explained.``, where figures are compared."""
    published, figure = board.published, board.figure
    if published is None or figure is None or published.compare != "absolute":
        return None
    theirs, ours = published.in_unit, figure.value
    if theirs <= 0 or ours <= 0:
        return None
    if figure.unit == _BITS:
        left = abs(theirs - ours)
        rest = _rest(quantity(left, _BITS), left, ours > theirs)
        return f"Published {quantity(theirs, _BITS)}, here {quantity(ours, _BITS)}: {rest}."
    each = ""
    if figure.unit != "ps":
        theirs, ours = _PS_PER_S / theirs, _PS_PER_S / ours
        each = f" a {figure.unit.removesuffix('s/s')}"
    return _times(theirs, ours, each)


def _times(theirs: float, ours: float, each: str) -> str:
    """Both in one unit and with the decimals that give the published one three digits."""
    scale, unit = next((scale, unit) for scale, unit in _UNITS if theirs >= scale or scale == 1)
    decimals = max(0, _DIGITS - 1 - floor(log10(theirs / scale)))
    text = [f"{value / scale:.{decimals}f}" for value in (theirs, ours, abs(theirs - ours))]
    rest = _rest(f"{text[2]} {unit}", float(text[2]), ours > theirs)
    return f"Published {text[0]} {unit}{each}, here {text[1]} {unit}: {rest}."


def _rest(text: str, value: float, is_more: bool) -> str:
    if value == 0:
        return "nothing is left unexplained to these digits"
    return f"{text} more is not explained" if is_more else f"{text} is not explained"
