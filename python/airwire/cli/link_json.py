"""The stable JSON of the commands of the virtual bench; ``docs/reference/json.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isinf
from typing import Any

from airwire.cli.output import whole
from airwire.explain.link.published import ratio
from airwire.explain.link.run import overload_sentence, row_verdict
from airwire.link_model import (
    Candidate,
    CaptureExplanation,
    Change,
    Choice,
    Ledger,
    Link,
    LinkBudget,
    RowExplanation,
    Waterfall,
)
from airwire.model import Analysis, Capture
from airwire.stage import Stage

_LATENCIES = ("p50", "p75", "p95", "p99", "mean")
_PUBLISHED_METRIC = "latency_p50"
_NOT_PUBLISHED: Mapping[str, None] = dict.fromkeys(
    ("published", "published_source", "published_note", "ratio", "verdict")
)


def links_json(known: Sequence[Link]) -> dict[str, Any]:
    """The content of ``airwire.links/1``."""
    return {"links": [asdict(link) for link in known]}


def budget_json(budget: LinkBudget) -> dict[str, Any]:
    """The content of ``airwire.link/1``."""
    return {
        "total_ps": whole(budget.total_ps),
        "stages": _stages(budget.stages),
        "link": budget.link,
        "title": budget.title,
        "payload_bytes": budget.payload_bytes,
        "settings": dict(budget.settings),
        "loss": budget.loss,
        "gates": [asdict(gate) for gate in budget.gates],
    }


def run_json(analysis: Analysis) -> dict[str, Any]:
    """The content of ``airwire.run/1``: one row per figure."""
    from airwire.cli.board_rows import board_rows_json

    rows = [
        {
            "suite": analysis.suite,
            "row": capture.path,
            "metric": metric,
            "unit": unit,
            "value": value,
            **(_published(capture) if metric == _PUBLISHED_METRIC else _NOT_PUBLISHED),
        }
        for capture in analysis.captures
        if capture.board is None
        for metric, unit, value in _metrics(capture.latency_ps, capture.outcomes, capture.triggers)
    ]
    overloaded = [(capture.path, overload_sentence(capture)) for capture in analysis.captures]
    return {
        "run": analysis.run_folder,
        "seed": analysis.seed,
        "interrupted": analysis.interrupted,
        "rows": [*rows, *_board_figures(analysis)],
        "boards": board_rows_json(analysis),
        "warnings": [{"row": row, "message": message} for row, message in overloaded if message],
        "errors": [{"path": error.path, "message": error.message} for error in analysis.errors],
    }


def _published(capture: Capture) -> Mapping[str, Any]:
    """What others published of a row of a link, and its verdict."""
    published = None if capture.link is None else capture.link.published
    if published is None:
        return _NOT_PUBLISHED
    return {
        "published": published.median_ps,
        "published_source": published.source,
        "published_note": published.note,
        "ratio": ratio(capture),
        "verdict": row_verdict(capture),
    }


def _board_figures(analysis: Analysis) -> list[dict[str, Any]]:
    """A row for the figure of every row that ran on a board, with what was published of it."""
    from airwire.explain.board.run import board_sentence

    rows = []
    for capture in analysis.captures:
        board = capture.board
        if board is None:
            continue
        compared = board.published is not None and board.published.compare == "absolute"
        theirs = board.published.in_unit if compared and board.published else None
        rows.append(
            {
                "suite": analysis.suite,
                "row": capture.path,
                "metric": board.measure,
                "unit": None if board.figure is None else board.figure.unit,
                "value": None if board.figure is None else whole(board.figure.value),
                "published": None if theirs is None else whole(theirs),
                "published_source": None if board.published is None else board.published.source,
                "published_note": None if board.published is None else board.published.note,
                "ratio": board.published.measured_share if compared and board.published else None,
                "verdict": board_sentence(capture),
            }
        )
    return rows


def _metrics(
    latency: Mapping[str, float] | None, outcomes: Mapping[str, int], triggers: int
) -> list[tuple[str, str, float | int | None]]:
    found: list[tuple[str, str, float | int | None]] = [
        (f"latency_{name}", "ps", None if latency is None else whole(latency[name])) for name in _LATENCIES
    ]
    return [*found, ("loss", "1", 1 - outcomes["paired"] / triggers if triggers else None)]


def explain_json(run: str, rows: Sequence[RowExplanation]) -> dict[str, Any]:
    """The content of ``airwire.explain/1`` for a run."""
    return {
        "run": run,
        "rows": [
            {
                "row": row.run,
                "link": row.link or None,
                "board": row.board,
                "title": row.title,
                "payload_bytes": row.payload_bytes,
                "settings": dict(row.settings),
                "sentence": row.sentence,
                "waterfalls": [_waterfall(waterfall) for waterfall in row.waterfalls],
                "changes": [_change(change) for change in row.changes],
            }
            for row in rows
        ],
    }


def explain_capture_json(found: CaptureExplanation) -> dict[str, Any]:
    """The content of ``airwire.explain/1`` for a capture."""
    return {
        "capture": found.path,
        "link": found.link,
        "payload_bytes": found.payload_bytes,
        "settings": dict(found.settings),
        "sentence": found.sentence,
        "messages": found.messages,
        "explained_share": found.explained_share,
        "left_over_ps": whole(found.left_over_ps),
        "median_ps": whole(found.median_ps),
        "model_median_ps": whole(found.model_median_ps),
        "p95_ps": whole(found.p95_ps),
        "model_p95_ps": whole(found.model_p95_ps),
        "ks": found.ks,
        "phases": [asdict(phase) for phase in found.phases],
        "stages": _stages(found.stages),
        "quantiles": [asdict(pair) for pair in found.quantiles],
        "changes": [_change(change) for change in found.changes],
    }


def choice_json(choice: Choice) -> dict[str, Any]:
    """The content of ``airwire.choose/1``."""
    return {
        "payload_bytes": choice.payload_bytes,
        "bounds": asdict(choice.bounds),
        "samples": choice.samples,
        "seed": choice.seed,
        "accepted": [_candidate(candidate) for candidate in choice.accepted],
        "refused": [
            {
                "link": refusal.link,
                "title": refusal.title,
                "sentence": refusal.sentence,
                "nearest": None if refusal.nearest is None else _candidate(refusal.nearest),
            }
            for refusal in choice.refused
        ],
    }


def ledger_json(ledger: Ledger) -> dict[str, Any]:
    """The content of ``airwire.validate/1``."""
    rows = []
    for row in ledger.rows:
        named = asdict(row)
        rows.append({("class" if name == "understood" else name): value for name, value in named.items()})
    return {
        "interrupted": ledger.interrupted,
        "rows": rows,
        "errors": [{"path": path, "message": message} for path, message in ledger.errors],
        "without_rule": list(ledger.without_rule),
    }


def _stages(stages: Sequence[Stage]) -> list[dict[str, Any]]:
    return [{"name": stage.name, "kind": stage.cause, "ps": whole(stage.ps)} for stage in stages]


def _waterfall(waterfall: Waterfall) -> dict[str, Any]:
    return {
        "percentile": waterfall.percentile,
        "latency_ps": whole(waterfall.latency_ps),
        "messages": waterfall.messages,
        "stages": _stages(waterfall.stages),
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "setting": change.setting,
        "before": change.before,
        "after": change.after,
        "median_ps": [whole(value) for value in change.median_ps],
        "p95_ps": [whole(value) for value in change.p95_ps],
        "loss": list(change.loss),
        "sentence": change.sentence,
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "link": candidate.link,
        "title": candidate.title,
        "settings": dict(candidate.changed),
        "median_ps": None if candidate.median_ps is None else whole(candidate.median_ps),
        "p95_ps": None if candidate.p95_ps is None else whole(candidate.p95_ps),
        "loss": candidate.loss,
        "margin": None if isinf(candidate.margin) else candidate.margin,
    }
