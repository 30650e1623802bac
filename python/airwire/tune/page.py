"""The report of a search: the verdict, the Pareto picture, each knob's worth, before and after, all in one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from airwire.outputs import write_file
from airwire.report.document import document
from airwire.report.html import charts, sentence, text
from airwire.report.spec import Columns, Figure, LegendEntry, Panel, Spec, tooltip
from airwire.tune.answer import Tuning
from airwire.tune.candidates import Measured
from airwire.tune.metrics import METRICS, Metric, words
from airwire.tune.sentences import before_and_after, counted, verdict_line, worth_head, worth_row

_HEIGHT = 320
_WIDE = 15
"""So many times the least, beyond which an axis is logarithmic."""
_SCALES = {
    "bit/s": (1e6, "Mbit/s"),
    "/s": (1.0, "per second"),
    "ps": (1e9, "ms"),
    "B": (1024.0, "KiB"),
    "J": (1e-6, "uJ"),
}
_KINDS = (
    LegendEntry("other candidates", "var(--unknown)", "circle"),
    LegendEntry("breaks a bound", "var(--series2)", "cross"),
    LegendEntry("on the front: no other is better by all goals", "var(--series1)", "circle"),
    LegendEntry("before", "var(--series5)", "square"),
    LegendEntry("the answer", "var(--series3)", "diamond"),
)


def write_page(found: Tuning, path: Path) -> None:
    """Write the report; the same search gives the same bytes."""
    write_file(path, page(found))


def page(found: Tuning) -> str:
    """The report as one HTML document."""
    heading = f"Tuned: {found.subject.name}"
    sections = [_picture(found), _worths(found), _figures(found), _changes(found)]
    facts = [
        counted(found),
        f"seed {found.seed}",
        *(str(goal) for goal in found.goals),
        *(limit.text for limit in found.limits),
    ]
    if found.interrupted:
        facts.append("interrupted before the budget was used")
    header = (
        "<a class='skip' href='#main'>Skip to the results</a>"
        f"<header><h1>{text(heading)}</h1><p class='facts'>{text(' · '.join(facts))}</p>"
        f"<p class='result' id='result'>{sentence(verdict_line(found))}.</p></header>"
    )
    return document(
        heading, f"{header}<main id='main'>{''.join(sections)}</main><div id='tooltip' role='status' hidden></div>"
    )


def pareto_figure(found: Tuning) -> Figure | None:
    """Every candidate by the first goal and by what it costs; nothing where there is one figure alone."""
    across, up = _axes(found)
    if across is None:
        return None
    points: Columns = {"x": [], "y": [], "kind": [], "what": []}
    told = [_point(found, one, across, up) for one in found.candidates if one.refused is None]
    # What is told last lies on top.
    order = [entry.label for entry in _KINDS]
    for point in sorted(told, key=lambda one: order.index(one[2])):
        for column, value in zip(points.values(), point, strict=True):
            column.append(value)
    panel = Panel(
        f"{up.name} by {across.name}",
        _spec(across, up, points),
        {"points": points},
        f"{len(points['x'])} candidates by {across.name} and {up.name}; {verdict_line(found)}.",
        wide=True,
    )
    return Figure(
        "pareto", "Pareto picture", "Each mark is a candidate, measured on the virtual bench.", [panel], _KINDS
    )


def _axes(found: Tuning) -> tuple[Metric | None, Metric]:
    """What costs across, the first goal up."""
    first = found.goals[0].metric
    others = [goal.metric for goal in found.goals[1:]]
    spare = [METRICS[name] for name in ("ram", "airtime", "energy", "p95", "loss") if name in found.best.figures]
    across = next((metric for metric in (*others, *spare) if metric.name != first.name), None)
    return across, first


def _point(found: Tuning, one: Measured, across: Metric, up: Metric) -> tuple[float, float, str, str]:
    if one.key == found.best.key:
        kind = _KINDS[4].label
    elif all(one.values[knob.name] == knob.start for knob in found.subject.knobs):
        kind = _KINDS[3].label
    elif any(one.key == other.key for other in found.front):
        kind = _KINDS[2].label
    elif not all(limit.keeps(one.figures.get(limit.metric.name, float("inf"))) for limit in found.limits):
        kind = _KINDS[1].label
    else:
        kind = _KINDS[0].label
    x, y = (one.figures[metric.name] / _SCALES.get(metric.unit, (0.01, "%"))[0] for metric in (across, up))
    values = ", ".join(f"{name} {value}" for name, value in sorted(one.values.items()))
    figures = ", ".join(f"{metric.name} {words(metric, one.figures[metric.name])}" for metric in (up, across))
    return float(f"{x:.6g}"), float(f"{y:.6g}"), kind, f"{figures}: {values}"


def _spec(across: Metric, up: Metric, points: Columns) -> Spec:
    def axis(field: str, metric: Metric) -> Spec:
        unit = _SCALES.get(metric.unit, (0.01, "%"))[1]
        scale: Spec = {"zero": False, "nice": True}
        least, most = min(points[field]), max(points[field])
        if least > 0 and most > _WIDE * least:
            scale = {"type": "log", "nice": True}
        return {"field": field, "type": "quantitative", "title": f"{metric.name} in {unit}", "scale": scale}

    kinds = [entry.label for entry in _KINDS]
    return {
        "height": _HEIGHT,
        "width": "container",
        "data": {"name": "points"},
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.85},
        "encoding": {
            "x": axis("x", across),
            "y": axis("y", up),
            "color": {
                "field": "kind",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": kinds, "range": [entry.colour for entry in _KINDS]},
            },
            "shape": {
                "field": "kind",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": kinds, "range": [entry.shape for entry in _KINDS]},
            },
            "tooltip": tooltip(("what", "candidate"), ("kind", "it")),
        },
    }


def _picture(found: Tuning) -> str:
    figure = pareto_figure(found)
    if figure is None:
        return ""
    return (
        f"<section id='picture'><h2>{text(figure.title)}</h2><p class='note'>{text(figure.caption)}</p>"
        f"{charts(figure, figure.name)}</section>"
    )


def _worths(found: Tuning) -> str:
    if not found.worths:
        return ""
    head = worth_head(found)
    rows = [worth_row(worth, found) for worth in found.worths]
    return f"<section id='rows'><h2>What each knob is worth</h2>{_table(head, rows)}</section>"


def _figures(found: Tuning) -> str:
    note = "Measured anew, with another seed than the search's; 95 % intervals where a figure has one."
    table = _table(("figure", "before", "after"), before_and_after(found))
    return f"<section id='summary'><h2>Before and after</h2><p class='note'>{note}</p>{table}</section>"


def _changes(found: Tuning) -> str:
    rows = [(knob, before, after) for knob, (before, after) in sorted(found.changed.items())]
    if not rows:
        return ""
    return f"<section id='notes'><h2>The change</h2>{_table(('knob', 'before', 'after'), rows)}</section>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    names = "".join(f"<th scope='col'>{text(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<div class='scroll'><table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table></div>"
