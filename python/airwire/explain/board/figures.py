"""Figures of boards as people write them: rates, bits and times to three or four digits."""

from __future__ import annotations

from airwire.board.row import Figure, Published
from airwire.explain.quantities import table_time

# An interval narrower than this share is not worth a column.
_SURE = 5e-5
# An interval that reaches as far as the figure itself says nothing of it.
_SAYS_NOTHING = 1.0
WITHIN = "within"
"""What a ratio is where the figure lies in a published range."""


def number(value: float, digits: int = 4) -> str:
    """A number to so many significant digits, without an exponent: ``37.51``, ``12 340``."""
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - len(f"{abs(int(rounded))}")) if rounded else 0
    if 0 < abs(rounded) < 1:
        return f"{rounded:.{digits}g}"
    return f"{rounded:,.{decimals}f}".replace(",", " ")


def quantity(value: float, unit: str) -> str:
    """A value in the unit of a figure, readably: ``723.1 messages/s``, ``2.5 Mbit/s``, ``1.37 ms``."""
    if unit == "ps":
        return table_time(value)
    if unit == "bit/s":
        scale, name = next(((s, n) for s, n in ((1e6, "Mbit/s"), (1e3, "kbit/s")) if value >= s), (1.0, "bit/s"))
        return f"{number(value / scale)} {name}"
    return f"{number(value)} {unit}"


def figure_text(figure: Figure | None) -> str:
    """The figure, of latencies with what it is of them, or a dash: ``mean 5.37 ms``."""
    if figure is None:
        return "-"
    return _with_statistic(figure.statistic, quantity(figure.value, figure.unit))


def interval_text(figure: Figure | None) -> str:
    """How far the interval reaches to either side, in percent: ``+-0.8 %``; nothing of one that says nothing."""
    reach = _reach(figure)
    if reach is None or reach >= _SAYS_NOTHING:
        return ""
    return "exact" if reach < _SURE else f"+-{100 * reach:.2g} %"


def vague_sentence(figure: Figure | None) -> str | None:
    """What there is to say where the interval says nothing of the figure."""
    reach = _reach(figure)
    if reach is None or reach < _SAYS_NOTHING:
        return None
    return "The figure is uncertain: messages are too different for an interval, so measure more of them."


def _reach(figure: Figure | None) -> float | None:
    """How far the interval reaches to either side, as a share of the figure."""
    if figure is None or figure.interval is None or figure.value == 0:
        return None
    low, high = figure.interval
    return max(figure.value - low, high - figure.value) / figure.value


def published_text(published: Published | None) -> str:
    """The published figure or range as it was published: ``37 to 38 messages/s``."""
    if published is None:
        return ""
    return _with_statistic(published.statistic, f"{amount_text(published)} {published.unit}")


def amount_text(published: Published) -> str:
    """How much was published, without its unit."""
    if published.value is not None:
        return plain(published.value)
    assert published.most is not None, "what is no figure is a range"
    if published.least is None:
        return f"up to {plain(published.most)}"
    return f"{plain(published.least)} to {plain(published.most)}"


def plain(value: float) -> str:
    """A number as people publish it: ``38`` instead of ``38.00``."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _with_statistic(statistic: str | None, text: str) -> str:
    return text if statistic is None else f"{statistic} {text}"


def ratio_text(published: Published | None) -> str:
    """The measured figure divided by the published one; nothing where figures are not compared."""
    if published is None or published.measured_share is None or published.compare == "mechanism":
        return ""
    if published.range_in_unit is not None and published.measured_share == 1:
        return WITHIN
    return share_text(published.measured_share)


def share_text(share: float) -> str:
    """How many times one figure is another."""
    return f"{share:.3g}"
