"""Figures as values: a title, a caption and panels, each a Vega-Lite specification apart from its data.

The page embeds panels with their data in columns, which its script expands; ``vegalite_of`` joins both to one
complete specification for files. What is drawn is decided in ``figures`` and ``capture_figures``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from airwire.report import theme, units

Spec = dict[str, Any]
Columns = dict[str, list[Any]]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
ROW_PX = 15
LOG_TITLE = "latency, log scale"


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A symbol of the legend: what it stands for, and how it looks without relying on colour alone."""

    label: str
    colour: str
    shape: str | None = None
    dash: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart: ``spec`` draws the named tables of ``data`` and takes its width from where it stands."""

    title: str
    spec: Spec
    data: Mapping[str, Columns]
    description: str
    caption: str = ""
    wide: bool = False
    legend: Sequence[LegendEntry] = field(default_factory=tuple)
    """Of symbols that this panel alone has."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One or more panels that are read together and become one file."""

    name: str
    title: str
    caption: str
    panels: Sequence[Panel]
    legend: Sequence[LegendEntry] = field(default_factory=tuple)
    columns: int = 2


def log_x(
    field_name: str, domain: tuple[float, float], *, title: str | None = LOG_TITLE, axis: Spec | None = None
) -> Spec:
    """The x channel of a logarithmic axis in milliseconds, whose ticks carry their own unit."""
    return {
        "field": field_name,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "domain": list(domain), "nice": False},
        "axis": {
            "values": units.log_ticks(*domain),
            "labelExpr": units.LABEL_EXPRESSION,
            "labelOverlap": True,
            **(axis or {}),
        },
    }


def row_axis() -> Spec:
    """The axis of a chart with one labelled row for each capture."""
    return {
        "ticks": False,
        "domain": False,
        "grid": True,
        "labelPadding": 6,
        "labelColor": "var(--ink)",
    }


def quantile_span(start: str, end: str, domain: tuple[float, float], y: Spec, colour: Spec, *, width: float) -> Spec:
    """A horizontal line from one quantile to another in each row: thin and solid, or thick and pale."""
    return {
        "mark": {"type": "rule", "strokeWidth": width, "opacity": 1 if width < 2 else 0.55},
        "encoding": {"x": log_x(start, domain), "x2": {"field": end}, "y": y, "color": colour},
    }


def tooltip(*fields: tuple[str, str]) -> list[Spec]:
    """Tooltip entries from pairs of field and title."""
    return [{"field": name, "title": title} for name, title in fields]


def vegalite_of(figure: Figure, *, panel_width: int = 460) -> Spec:
    """The whole figure as one Vega-Lite specification with data, in the light palette."""
    datasets: dict[str, list[dict[str, Any]]] = {}
    views = [_standalone(panel, f"p{index}_", datasets) for index, panel in enumerate(figure.panels)]
    single = len(views) == 1
    for panel, view in zip(figure.panels, views, strict=True):
        view["width"] = 2 * panel_width if single or panel.wide else panel_width
    body: Spec = views[0] if single else {"concat": views, "columns": figure.columns, "spacing": 28}
    if not single:
        shared = "independent" if any(panel.legend for panel in figure.panels) else "shared"
        body["resolve"] = {"scale": dict.fromkeys(("color", "shape", "strokeDash"), shared)}
    spec = {
        "$schema": SCHEMA,
        **body,
        "title": {
            "text": figure.title,
            "subtitle": textwrap.wrap(figure.caption, 120, break_on_hyphens=False),
        },
        "datasets": datasets,
        "padding": 14,
        "config": theme.config(for_page=False),
    }
    resolved: Spec = theme.resolve(spec, theme.LIGHT)
    return resolved


def _standalone(panel: Panel, prefix: str, datasets: dict[str, list[dict[str, Any]]]) -> Spec:
    for name, columns in panel.data.items():
        keys = list(columns)
        datasets[prefix + name] = [dict(zip(keys, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    spec: Spec = _rename_data(panel.spec, prefix)
    spec["title"] = {"text": panel.title, "fontSize": 11, "offset": 14}
    return spec


def _rename_data(node: Any, prefix: str) -> Any:
    if isinstance(node, dict):
        return {
            key: {"name": prefix + value["name"]}
            if key == "data" and isinstance(value, dict) and "name" in value
            else _rename_data(value, prefix)
            for key, value in node.items()
        }
    if isinstance(node, list):
        return [_rename_data(value, prefix) for value in node]
    return node
