"""What the figures of a suite's rows were to keep, and whether they do: a table at the top of the page."""

from __future__ import annotations

from collections.abc import Sequence

from airwire.bounds import Bound
from airwire.explain.bounds import bound_text, first_cause, measured_text
from airwire.report.html import text
from airwire.report.samples import CaptureView

_COLUMNS = ("Bound", "Measured", "Holds")


def bounds_section(views: Sequence[CaptureView]) -> str:
    """The section with its table, broken bounds first; nothing where the suite has no bounds."""
    bounds = [(view, bound) for view in views for bound in view.capture.bounds]
    if not bounds:
        return ""
    broken = sum(not bound.holds for _, bound in bounds)
    said = f"{broken} of {len(bounds)} bounds broken" if broken else f"All of {len(bounds)} bounds hold"
    head = "".join(f"<th scope='col'>{name}</th>" for name in _COLUMNS)
    body = "".join(_row(view, bound) for view, bound in sorted(bounds, key=lambda pair: pair[1].holds))
    return (
        f"<section id='bounds'><h2>{said}</h2><div class='scroll' tabindex='0' role='region' aria-label='Bounds'>"
        f"<table class='compared'><thead><tr><th scope='col'>Row</th>{head}<th scope='col'>Cause</th></tr></thead>"
        f"<tbody>{body}</tbody></table></div></section>"
    )


def _row(view: CaptureView, bound: Bound) -> str:
    cells = (bound_text(bound), measured_text(bound), "yes" if bound.holds else "no")
    cause = "" if bound.holds else first_cause(view.capture, bound) or ""
    return (
        f"<tr><th scope='row'><a href='#{view.anchor}'>{text(view.capture.path)}</a></th>"
        + "".join(f"<td data-name='{name}'>{text(cell)}</td>" for name, cell in zip(_COLUMNS, cells, strict=True))
        + f"<td class='words'>{text(cause)}</td></tr>"
    )
