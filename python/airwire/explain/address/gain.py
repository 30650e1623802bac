"""What the change of a cause would bring a board at an address: its figure without that part of a message's time."""

from __future__ import annotations

from airwire.address.row import AddressRow
from airwire.explain.verdict import Gain
from airwire.model import Capture

_PS_PER_S = 1e12
# No estimate is that exact.
_WORTH_SAYING = 0.02
# A message keeps at least this much of its time: what is left is not known so exactly.
_LEAST_LEFT = 0.002


def gain_without(row: Capture[AddressRow], share: float, *, of_all: bool = False) -> Gain | None:
    """The figure without a share of the messages' time; ``None`` where nothing honest can be said.

    ``of_all`` is for a share of the time of all messages together, of which the median says nothing.
    """
    figure, latency = row.target.figure, row.latency_ps
    if figure is None or latency is None or figure.value <= 0:
        return None
    if figure.unit == "ps":
        if of_all:
            return None
        gain = Gain(figure.value, figure.value * max(_LEAST_LEFT, 1 - share), "ps")
    elif figure.unit == "bit/s":
        return None
    else:
        each = _PS_PER_S / figure.value
        saved = share * min(each, latency["mean" if of_all else "p50"])
        gain = Gain(figure.value, _PS_PER_S / max(_LEAST_LEFT * each, each - saved), figure.unit)
    return gain if gain.factor >= 1 + _WORTH_SAYING else None
