"""Results in a notebook: as a table, as a frame and as a chart.

What each result shows is in ``airwire.notebook``, which is loaded by its name when it is asked: results know nothing
of how they are drawn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

_PRESENTER = "airwire.notebook"


class Chart:
    """A chart as a Vega-Lite specification; notebooks show it as a picture, without a library of their own."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec = spec

    @property
    def svg(self) -> str:
        """The picture."""
        import vl_convert

        return vl_convert.vegalite_to_svg(dict(self.spec))

    def save(self, path: str | Path) -> None:
        """Write the picture (``.svg``) or its specification (``.json``)."""
        file = Path(path)
        contents = {".svg": lambda: self.svg, ".json": lambda: json.dumps(self.spec, indent=2)}
        if file.suffix not in contents:
            from airwire._core import AirwireError

            raise AirwireError(f"{file}: a chart is written as .svg or .json; name such a file")
        file.write_text(contents[file.suffix](), encoding="utf-8")

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        picture = self.svg
        return {
            "application/vnd.vegalite.v6+json": dict(self.spec),
            "image/svg+xml": picture,
            "text/html": picture,
            "text/plain": repr(self),
        }

    def __repr__(self) -> str:
        title = self.spec.get("title", "")
        return f"Chart({title['text'] if isinstance(title, Mapping) else title!r})"


class Shown:
    """A result that a notebook shows."""

    __slots__ = ()

    def to_frame(self) -> pl.DataFrame:
        """The result as a polars frame; times are picoseconds."""
        frame: pl.DataFrame = import_module(_PRESENTER).frame_of(self)
        return frame

    def chart(self) -> Chart:
        """The result as a chart. Raises ``AirwireError`` where there is nothing to draw."""
        chart: Chart = import_module(_PRESENTER).chart_of(self)
        return chart

    def _repr_html_(self) -> str:
        html: str = import_module(_PRESENTER).html_of(self)
        return html
