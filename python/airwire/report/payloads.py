"""How payloads look: one colour, shape and dash for each, the same in every overview figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from airwire.report import theme
from airwire.report.samples import CaptureView, payload_order, payload_text
from airwire.report.spec import LegendEntry, Spec


class PayloadStyle(NamedTuple):
    """How one payload looks in every figure: told apart by shape or dash as well as by colour."""

    colour: str
    shape: str
    dash: list[int]


Payloads = Mapping[str, PayloadStyle]


def payloads_of(views: Sequence[CaptureView]) -> Payloads:
    """Every payload in ascending order, the most frequent in the colours that are easiest to tell apart."""
    sizes = sorted({view.capture.payload_bytes for view in views}, key=payload_order)
    often = Counter(view.capture.payload_bytes for view in views)
    ranked = sorted((size for size in sizes if size is not None), key=lambda size: (-often[size], size))
    styles = {payload_text(None): PayloadStyle(theme.SERIES[-1], "cross", theme.DASHES[-1])}
    places = len(theme.SERIES) - 1
    for rank, size in enumerate(ranked):
        shape, dash = theme.SHAPES[rank % len(theme.SHAPES)], theme.DASHES[rank % len(theme.DASHES)]
        styles[payload_text(size)] = PayloadStyle(theme.SERIES[rank % places], shape, dash)
    return {payload_text(size): styles[payload_text(size)] for size in sizes}


def payload_legend(payloads: Payloads, *, lines: bool = False) -> list[LegendEntry]:
    """The legend of the payloads as symbols, or as dashed lines."""
    return [
        LegendEntry(f"payload {name}", style.colour, None if lines else style.shape, style.dash if lines else None)
        for name, style in payloads.items()
    ]


def by_payload(payloads: Payloads, channel: str) -> Spec:
    """The encoding of the payload as ``color``, ``shape`` or ``strokeDash``."""
    values = [
        {"color": style.colour, "shape": style.shape, "strokeDash": style.dash}[channel] for style in payloads.values()
    ]
    return {
        "field": "payload",
        "type": "nominal",
        "title": "payload",
        "scale": {"domain": list(payloads), "range": values},
    }
