"""From an analysis to something to read: one HTML page, or figures as SVG and PNG files.

Both draw the same specifications, made in ``figures`` and ``capture_figures``. Importing this package loads
neither the data frames nor the renderer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airwire.model import Analysis
    from airwire.report.opening import Opening

__all__ = ["write_figures", "write_html"]


def write_html(
    analysis: Analysis,
    path: str | Path,
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    opening: Opening | None = None,
) -> None:
    """Write the report as one HTML page that works offline; the same analysis gives the same bytes.

    ``notes`` are sentences of whoever measured; ``opening`` stands in place of what the rows say first. The file is
    there whole or not at all.
    """
    from airwire.outputs import write_file
    from airwire.report.page import page

    _check_kind(analysis)
    write_file(path, page(analysis, title, notes, opening))


def write_figures(
    analysis: Analysis, directory: str | Path, formats: Iterable[str] = ("svg", "png"), *, captures: bool = False
) -> list[Path]:
    """Write the overview figures, and with ``captures`` those of every capture too, and name the files.

    ``formats`` may hold ``svg`` and ``png``; ``AirwireError`` is raised for anything else.
    """
    from airwire.report.files import write

    _check_kind(analysis)
    return write(analysis, Path(directory), tuple(formats), captures=captures)


def _check_kind(analysis: object) -> None:
    """Refuse what is no analysis, such as the path of one."""
    from airwire._core import AirwireError
    from airwire.model import Analysis as Drawable

    if not isinstance(analysis, Drawable):
        raise AirwireError(f"the analysis is {analysis!r:.60}, but it takes an Analysis, as airwire.load_run gives it")
