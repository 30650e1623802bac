"""What results show in a notebook: a table in HTML, a frame, and a chart of the report's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING, Any

from airwire._core import AirwireError
from airwire.board.model import BoardRun
from airwire.explain.link.sentences import settings_phrase
from airwire.explain.quantities import percent, table_time
from airwire.explain.verdicts import verdict_of
from airwire.link.model import Candidate, Choice
from airwire.model import Analysis, Capture
from airwire.shown import Chart

if TYPE_CHECKING:
    import polars as pl

    from airwire.report.spec import Figure

MOST_ROWS = 60
"""A table in a notebook has no more; the frame has all."""
_STATISTICS = ("min", "p50", "p75", "p95", "p99", "max")
_FIGURES = (*(f"{name}_ps" for name in _STATISTICS), "figure")
_TOP_FUNCTIONS = 10
_BAR_PX = 18


@singledispatch
def frame_of(result: Any) -> pl.DataFrame:
    """A result as a frame."""
    raise TypeError(f"{type(result).__name__} has no frame")


@singledispatch
def chart_of(result: Any) -> Chart:
    """A result as a chart."""
    raise TypeError(f"{type(result).__name__} has no chart")


@singledispatch
def html_of(result: Any) -> str:
    """A result as HTML."""
    raise TypeError(f"{type(result).__name__} has no table")


@frame_of.register(Analysis)
def _(result: Analysis) -> pl.DataFrame:
    import polars as pl

    rows = [_row_of(capture) for capture in result.captures]
    schema = dict.fromkeys(_FIGURES, pl.Float64) | dict.fromkeys(("unit", "verdict"), pl.String)
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def _row_of(capture: Capture) -> dict[str, Any]:
    figure = capture.target.figure
    latency = capture.latency_ps or {}
    verdict = verdict_of(capture)
    return {
        "row": capture.path,
        "group": capture.group,
        "payload_bytes": capture.payload_bytes,
        "triggers": capture.triggers,
        "paired": capture.outcomes["paired"],
        **{f"{name}_ps": latency.get(name) for name in _STATISTICS},
        "figure": None if figure is None else float(figure.value),
        "unit": None if figure is None else figure.unit,
        "verdict": None if verdict is None else verdict.line,
    }


@chart_of.register(Analysis)
def _(result: Analysis) -> Chart:
    from airwire.report.figures import overview_figures
    from airwire.report.samples import views_of

    return _chart([figure for figure in overview_figures(views_of(result)) if figure.panels])


@html_of.register(Analysis)
def _(result: Analysis) -> str:
    rows = [(row.path, *_times(row), _verdict(row)) for row in result.captures[:MOST_ROWS]]
    left_out = len(result.captures) - len(rows)
    more = f" {left_out} more rows are in to_frame()." if left_out > 0 else ""
    errors = "".join(f" {failure.message}." for failure in result.errors[:3])
    return _table(("row", "median", "p95", "max", "lost", "verdict"), rows) + _note(
        f"{_summary(result)}.{more}{errors}"
    )


@frame_of.register(Capture)
def _(result: Capture) -> pl.DataFrame:
    return result.samples


@chart_of.register(Capture)
def _(result: Capture) -> Chart:
    from airwire.report.capture_figures import capture_figure
    from airwire.report.rate_figure import rate_figure
    from airwire.report.samples import views_of
    from airwire.report.waterfall_figure import waterfalls_figure

    (view,) = views_of(Analysis([result], [], "strict", 1))
    if view.waterfalls:
        figure = waterfalls_figure("waterfall", "Where the time goes", view.label, [(view.label, view.waterfalls)])
    else:
        figure = rate_figure(view) if view.is_bulk else capture_figure(view)
    return _chart([figure] if figure.panels else [])


@html_of.register(Capture)
def _(result: Capture) -> str:
    latency = result.latency_ps or {}
    cells = [table_time(latency[name]) if name in latency else "-" for name in _STATISTICS]
    return _table(_STATISTICS, [cells], caption=result.path) + _note(_verdict(result))


@frame_of.register(BoardRun)
def _(result: BoardRun) -> pl.DataFrame:
    import polars as pl

    rows = [{"function": one.name, "cycles": one.cycles, "share": one.share} for one in result.functions]
    return pl.DataFrame(rows, schema={"function": pl.String, "cycles": pl.Int64, "share": pl.Float64})


@chart_of.register(BoardRun)
def _(result: BoardRun) -> Chart:
    rows = [{"function": one.name, "share": one.share} for one in result.functions[:_TOP_FUNCTIONS]]
    bars = {
        "mark": "bar",
        "encoding": {
            "x": {"field": "share", "type": "quantitative", "title": None, "axis": {"format": ".0%"}},
            "y": {"field": "function", "type": "nominal", "title": None, "sort": None},
        },
    }
    return _own_chart(f"Share of the cycles of {result.board}", rows, [bars])


@html_of.register(BoardRun)
def _(result: BoardRun) -> str:
    text = f"{result.sentence[0].upper()}{result.sentence[1:]}."
    traffic = [
        (one.name, "-" if one.latency is None else table_time(one.latency.p99_ps), one.failure or one.summary)
        for one in result.traffic
    ]
    functions = [(one.name, percent(one.share)) for one in result.functions[:_TOP_FUNCTIONS]]
    tables = _table(("traffic", "p99", "result"), traffic) if traffic else ""
    return _note(text) + tables + (_table(("function", "cycles"), functions) if functions else "")


@frame_of.register(Choice)
def _(result: Choice) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame([_candidate(candidate) for candidate in result.accepted], infer_schema_length=None)


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "link": candidate.link,
        "settings": settings_phrase(candidate.changed),
        "margin": candidate.margin,
        "p50_ps": candidate.median_ps,
        "p95_ps": candidate.p95_ps,
        "loss": candidate.loss,
    }


@chart_of.register(Choice)
def _(result: Choice) -> Chart:
    rows = [
        {"link": f"{one.link} {settings_phrase(one.changed)}", "p50": one.median_ps / 1e9, "p95": one.p95_ps / 1e9}
        for one in result.accepted
        if one.median_ps is not None and one.p95_ps is not None
    ]
    y = {"field": "link", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 400}}
    x = {"field": "p50", "type": "quantitative", "title": "latency (ms): median to p95", "scale": {"type": "log"}}
    layers: list[dict[str, Any]] = [
        {"mark": "rule", "encoding": {"x": x, "x2": {"field": "p95"}, "y": y}},
        {"mark": {"type": "point", "filled": True}, "encoding": {"x": x, "y": y}},
    ]
    bound = result.bounds.p95_ps
    if bound is not None:
        layers.append({"mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"x": {"datum": bound / 1e9}}})
    return _own_chart(f"Links for {result.payload_bytes} B", rows, layers)


@html_of.register(Choice)
def _(result: Choice) -> str:
    rows = [
        (one.link, settings_phrase(one.changed), percent(one.margin), *map(_time, (one.median_ps, one.p95_ps)))
        for one in result.accepted
    ]
    refused = "".join(f"<li>{escape(one.link)}: {escape(one.sentence)}</li>" for one in result.refused)
    folded = f"<details><summary>{len(result.refused)} refused</summary><ul>{refused}</ul></details>" if refused else ""
    return _table(("link", "settings", "margin", "p50", "p95"), rows) + folded


def _times(capture: Capture) -> list[str]:
    latency = capture.latency_ps or {}
    lost = percent(capture.loss) if capture.loss else ""
    return [*(_time(latency.get(name)) for name in ("p50", "p95", "max")), lost]


def _time(ps: float | None) -> str:
    return "-" if ps is None else table_time(ps)


def _verdict(capture: Capture) -> str:
    verdict = verdict_of(capture)
    return "" if verdict is None else verdict.line


def _summary(analysis: Analysis) -> str:
    return repr(analysis).removeprefix("Analysis(").removesuffix(")")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{told}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _note(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _chart(figures: Sequence[Figure]) -> Chart:
    from airwire.report.spec import vegalite_of

    if not figures:
        raise AirwireError("there is nothing to draw: no message has a latency")
    return Chart(vegalite_of(figures[0]))


def _own_chart(title: str, rows: Sequence[dict[str, Any]], layers: Sequence[dict[str, Any]]) -> Chart:
    from airwire.report.spec import SCHEMA

    if not rows:
        raise AirwireError(f"{title}: there is nothing to draw")
    height = _BAR_PX * len(rows) + _BAR_PX
    return Chart(
        {
            "$schema": SCHEMA,
            "title": {"text": title},
            "data": {"values": list(rows)},
            "width": 460,
            "height": height,
            "layer": list(layers),
        }
    )
