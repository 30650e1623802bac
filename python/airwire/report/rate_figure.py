"""The rate of a bulk transfer: over time, and as a histogram. The lengths of its intervals are given, not measured."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.report import density, units
from airwire.report.latency_scale import seconds
from airwire.report.samples import CaptureView
from airwire.report.spec import Columns, Figure, Panel, Spec, tooltip

_UNITS = ((1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))
_MARGIN = 0.05
_LEAST_SPAN = 0.02
"""Of the rate: a narrower axis would show what nobody can tell from a constant rate."""


def rate_figure(view: CaptureView) -> Figure:
    """Both charts of one transfer; without panels where nothing was transferred."""
    rates = view.bits_per_second
    if not rates or max(rates) <= 0:
        return Figure(view.anchor, view.label, "", ())
    scale, unit = next(one for one in _UNITS if max(rates) >= one[0] or one[0] == 1)
    shown = [units.significant(rate / scale, 5) for rate in rates]
    domain = _domain(shown)
    return Figure(view.anchor, view.label, "", [_over_time(view, shown, domain, unit), _histogram(shown, domain, unit)])


def _domain(shown: Sequence[float]) -> list[float]:
    low, high = min(shown), max(shown)
    span = max(high - low, _LEAST_SPAN * high)
    middle = (low + high) / 2
    half = span * (0.5 + _MARGIN)
    return [units.significant(max(0.0, middle - half), 5), units.significant(middle + half, 5)]


def _over_time(view: CaptureView, shown: Sequence[float], domain: Sequence[float], unit: str) -> Panel:
    kept = density.thin(shown)
    start = view.trigger_ps[0]
    data: Columns = {
        "t": [seconds(view.trigger_ps[place] - start) for place in kept],
        "y": [shown[place] for place in kept],
    }
    time: Spec = {"field": "t", "type": "quantitative", "title": "time since the first interval (s)"}
    time |= {"scale": {"nice": False, "zero": False}, "axis": {"grid": False, "tickCount": 10}}
    rate: Spec = {"field": "y", "type": "quantitative", "title": f"rate ({unit})", "axis": {"tickCount": 5}}
    rate |= {"scale": {"domain": list(domain), "nice": False, "zero": False}}
    spec = {
        "data": {"name": "s"},
        "width": "container",
        "height": 190,
        "mark": {"type": "line", "color": "var(--mark)", "strokeWidth": 1.4, "point": {"size": 14, "filled": True}},
        "encoding": {"x": time, "y": rate, "tooltip": tooltip(("t", "time (s)"), ("y", f"rate ({unit})"))},
    }
    words = f"Rate of {len(shown)} intervals over time, from {min(shown):g} to {max(shown):g} {unit}."
    length = units.format_duration(view.latency_ps[0])
    return Panel("Rate over time", spec, {"s": data}, words, f"Each point is an interval of {length}.", wide=True)


def _histogram(shown: Sequence[float], domain: Sequence[float], unit: str) -> Panel:
    ordered = sorted(shown)
    edges = density.bin_edges(ordered, logarithmic=False)
    rounded = [units.significant(edge, 5) for edge in edges]
    data: Columns = {"a": rounded[:-1], "b": rounded[1:], "n": list(density.counts_between(ordered, edges))}
    x: Spec = {"field": "a", "type": "quantitative", "title": f"rate ({unit})", "axis": {"tickCount": 5}}
    x |= {"scale": {"domain": list(domain), "nice": False, "zero": False}}
    count: Spec = {"field": "n", "type": "quantitative", "title": "intervals", "axis": {"tickCount": 4}}
    spec = {
        "data": {"name": "h"},
        "width": "container",
        "height": 190,
        "mark": {"type": "rect", "color": "var(--mark)", "opacity": 0.8},
        "encoding": {"x": x, "x2": {"field": "b"}, "y": count, "y2": {"datum": 0}}
        | {"tooltip": tooltip(("a", "from"), ("b", "to"), ("n", "intervals"))},
    }
    return Panel("Histogram", spec, {"h": data}, f"Histogram of the rates of {len(shown)} intervals.")
