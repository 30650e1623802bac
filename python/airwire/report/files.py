"""The figures as SVG and PNG files, rendered by vl-convert from the specifications that the page draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from airwire._core import AirwireError
from airwire.outputs import new_folder, write_file, write_files
from airwire.report.capture_figures import capture_figure
from airwire.report.figures import overview_figures
from airwire.report.rate_figure import rate_figure
from airwire.report.samples import CaptureView, views_of
from airwire.report.spec import Figure, Spec, vegalite_of
from airwire.report.waterfall_figure import waterfalls_figure

if TYPE_CHECKING:
    from pathlib import Path

    from airwire.link.model import Waterfall
    from airwire.model import Analysis

PNG_SCALE = 2.0
FORMATS = ("svg", "png")
DRAWABLE = (".svg", ".png", ".html")
"""The endings of a single figure's file."""


def write(analysis: Analysis, directory: Path, formats: Sequence[str], *, captures: bool) -> list[Path]:
    """Render every figure into ``directory`` in each format; the paths come in reading order."""
    for name in formats:
        if name not in FORMATS:
            raise ValueError(f"figure format {name!r} is not known; use {' or '.join(FORMATS)}.")
    views = views_of(analysis)
    drawn: dict[Path, bytes | str] = {}
    for stem, figure in _named_figures(views, captures=captures):
        spec = vegalite_of(figure)
        for name in formats:
            drawn[directory / f"{stem}.{name}"] = _rendered(spec, name)
    with new_folder(directory):
        write_files(drawn)
    return list(drawn)


def write_waterfalls(found: Sequence[tuple[str, Sequence[Waterfall]]], path: Path) -> None:
    """Draw the waterfalls of rows, each with its name, into one file; its ending decides the format."""
    caption = "A sum by stage, the largest first, not a sequence: each bar begins where the one before it ends."
    figure = waterfalls_figure("waterfall", "Where the time goes", caption, found)
    if not figure.panels:
        raise AirwireError(f"{path}: there is nothing to draw, because no stages are known")
    write_file(path, _rendered(vegalite_of(figure), path.suffix.lower().removeprefix(".")))


def _named_figures(views: Sequence[CaptureView], *, captures: bool) -> Iterator[tuple[str, Figure]]:
    for figure in overview_figures(views):
        yield figure.name, figure
    if captures:
        for view in views:
            figure = rate_figure(view) if view.is_bulk else capture_figure(view)
            if figure.panels:
                yield f"capture-{view.anchor.removeprefix('c')}-{_slug(view.label)}", figure


def _slug(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-").lower()[:60]


def _rendered(spec: Spec, name: str) -> bytes:
    import vl_convert

    if name == "html":
        return vl_convert.vegalite_to_html(spec, bundle=True).encode("utf-8")
    if name == "svg":
        return vl_convert.vegalite_to_svg(spec).encode("utf-8")
    return vl_convert.vegalite_to_png(spec, scale=PNG_SCALE)
