"""The figures as SVG and PNG files, rendered by vl-convert from the specifications that the page draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airwire._core import AirwireError
from airwire.kinds import DRAWABLE
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
_LESS_THAN = "\ue03c"
"""A character of private use, which no font draws."""
FORMATS = ("svg", "png")


def write(analysis: Analysis, directory: Path, formats: Sequence[str], *, captures: bool) -> list[Path]:
    """Render every figure into ``directory`` in each format; the paths come in reading order."""
    for name in formats:
        if name not in FORMATS:
            raise AirwireError(f"figure format {name!r} is not known; use {' or '.join(FORMATS)}")
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
    write_figure(figure, path)


def check_drawable(path: Path) -> None:
    """Raise ``AirwireError`` where the ending of a file is none that a figure can be drawn as."""
    if path.suffix.lower() not in DRAWABLE:
        raise AirwireError(f"{path}: it ends in none of {', '.join(DRAWABLE)}, which a picture may be")


def write_figure(figure: Figure, path: Path) -> None:
    """Draw one figure into a file; its ending decides the format. Raises ``AirwireError`` for any other."""
    check_drawable(path)
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


def _without_tags(part: Any) -> Any:
    """A part of a specification in which a stand-in is where a tag could begin."""
    if isinstance(part, str):
        return part.replace("<", _LESS_THAN)
    if isinstance(part, Mapping):
        return {key.replace("<", _LESS_THAN): _without_tags(value) for key, value in part.items()}
    return [_without_tags(one) for one in part] if isinstance(part, list | tuple) else part


def _rendered(spec: Spec, name: str) -> bytes:
    import vl_convert

    if name == "html":
        # A name that ends the page's script would begin another: nothing in the drawing's data is a tag.
        page: str = vl_convert.vegalite_to_html(_without_tags(spec), bundle=True)
        return page.replace(_LESS_THAN, "\\u003c").encode("utf-8")
    if name == "svg":
        return vl_convert.vegalite_to_svg(spec).encode("utf-8")
    return vl_convert.vegalite_to_png(spec, scale=PNG_SCALE)
