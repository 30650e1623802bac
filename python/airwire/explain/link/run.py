"""A run of links, or a capture of one, explained: waterfall, sentence, and what to change first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airwire import _core
from airwire.explain.address.run import address_explanation, own_packets
from airwire.explain.board.run import board_explanation
from airwire.explain.link.published import published_sentence
from airwire.explain.link.sentences import capture_sentence, overload, time_goes
from airwire.explain.row import RowExplanation
from airwire.explain.verdict import NO_FIGURE, Verdict
from airwire.explain.waterfall import budget_waterfall, link_waterfalls
from airwire.explain.what_if import Question, changes_of
from airwire.link.model import CaptureExplanation, Change, FittedGate, LinkRow, QuantilePair
from airwire.losses import why_none_arrived
from airwire.model import Analysis, is_of_address, is_of_link
from airwire.stage import link_stage
from airwire.values import Settings, check_kind, check_numbers, setting_texts

if TYPE_CHECKING:
    from airwire._core import RawPackets
    from airwire.model import Capture

WHAT_IF_SAMPLES = 2000
# More than these are not listed.
_FEW_ENTRIES = 8
_EXPLAINED = ("address", "board", "link")


def explain_run(
    analysis: Analysis,
    *,
    only: Sequence[str] = (),
    samples: int = WHAT_IF_SAMPLES,
    workers: int | None = None,
    packets: str | Path | None = None,
) -> list[RowExplanation]:
    """Say of every row of a run of links where its time goes and what to change first.

    ``only`` names the entries, links or rows to explain. ``samples`` is the length of each run of the model that a
    change is predicted from; 0 leaves changes out. ``packets`` is a recording (pcap, pcapng) that this computer made
    while it measured a board at an address; by default the one of the run folder, if it has one.

    Raises ``AirwireError`` where the run holds no links, or none of that name.
    """
    check_kind("the run", analysis, Analysis, "airwire.run or airwire.load_run")
    check_numbers(samples=samples or None, workers=workers)
    rows = _chosen(analysis, only)
    questions = [
        Question(row.target.name, row.payload_bytes or 0, row.target.settings) for row in rows if is_of_link(row)
    ]
    tried = changes_of(questions, samples=samples, seed=analysis.seed, workers=workers) if samples else []
    changes = iter(tried)
    recorded = None if packets is None else _recorded(rows, packets)
    return [_explanation(row, changes, recorded or _own_packets(analysis, row)) for row in rows]


def _own_packets(analysis: Analysis, row: Capture) -> RawPackets | None:
    return own_packets(analysis, row) if is_of_address(row) else None


def _recorded(rows: Sequence[Capture], packets: str | Path) -> RawPackets:
    """What a recording says of the one board at an address among the rows."""
    measured = [row for row in rows if is_of_address(row)]
    if len(measured) != 1:
        raise _core.AirwireError(
            f"{packets}: a recording explains one row that measured a board at an address, here are {len(measured)}; "
            "name the row behind the run folder"
        )
    found = _core.packet_report(packets, measured[0].target.resolved)
    if not found["segments"]:
        raise _core.AirwireError(
            f"{packets}: holds no TCP segment of {measured[0].target.resolved}; record here while it measures"
        )
    return found


def _chosen(analysis: Analysis, only: Sequence[str]) -> list[Capture]:
    rows = [row for row in analysis.captures if row.target.kind in _EXPLAINED]
    where = analysis.run_folder or "this run"
    if not rows:
        raise _core.AirwireError(
            f"{where}: holds captures, not links; explain one of its captures with --link, or see airwire report"
        )
    unknown = [name for name in only if not any(_is_of(row, name) for row in rows)]
    if unknown:
        raise _core.AirwireError(f"{where}: has no entry {unknown[0]}; {_others(unknown[0], rows)}")
    return [row for row in rows if not only or any(_is_of(row, name) for name in only)]


def _others(name: str, rows: Sequence[Capture]) -> str:
    """What there is in the place of an entry that nobody knows: the nearest, or some of them."""
    entries = list(dict.fromkeys(row.group for row in rows))
    near = _core.nearest_name(name, [*entries, *dict.fromkeys(row.path for row in rows)])
    if near is not None:
        return f"the nearest is {near}"
    more = f" and {len(entries) - _FEW_ENTRIES} more" if len(entries) > _FEW_ENTRIES else ""
    return f"it has {', '.join(entries[:_FEW_ENTRIES])}{more}"


def _is_of(row: Capture, name: str) -> bool:
    return name in (row.path, row.group) or (is_of_link(row) and name == row.target.name)


def link_verdicts(row: Capture[LinkRow]) -> list[Verdict]:
    """What takes most of a row's time, the largest first; before all that messages come too fast, where they do."""
    link = row.target
    if row.latency_ps is None:
        return []
    found = link_waterfalls(row) or [budget_waterfall(link)]
    overloaded = overload(found[-1], link.longest_queue)
    return [*([overloaded] if overloaded else []), *time_goes(found[0])]


def link_verdict(row: Capture[LinkRow]) -> Verdict:
    """What takes most of a row's time, and how its median compares with a published one."""
    found = link_verdicts(row)
    if not found:
        return Verdict(0.0, why_none_arrived(row.messages).capitalize(), NO_FIGURE)
    first, *others = found
    details = [*first.details]
    for other in others:
        details += [f"{other.line}.", *other.details]
    return replace(first, details=[*details, *filter(None, [published_sentence(row)])])


def link_verdict_near(row: Capture[LinkRow], percentile: int) -> Verdict | None:
    """What takes most of the time of the messages near a percentile; ``None`` where none arrived."""
    found = link_waterfalls(row, (percentile,))
    return time_goes(found[0])[0] if found else None


def overload_sentence(row: Capture[LinkRow]) -> str | None:
    """That messages of a row come faster than the link carries them, if they do."""
    link = row.target
    # Without a queue there is no need to read the spans.
    if row.latency_ps is None or link.longest_queue < 2:
        return None
    found = link_waterfalls(row) or [budget_waterfall(link)]
    overloaded = overload(found[-1], link.longest_queue)
    return None if overloaded is None else overloaded.text


def _explanation(row: Capture[Any], changes: Iterator[Sequence[Change]], packets: RawPackets | None) -> RowExplanation:
    """``changes`` gives those of the next link."""
    if is_of_link(row):
        return _link_explanation(row, next(changes, []))
    if is_of_address(row):
        return address_explanation(row, packets)
    return board_explanation(row)


def _link_explanation(row: Capture[LinkRow], changes: Sequence[Change]) -> RowExplanation:
    link = row.target
    return RowExplanation(
        run=row.path,
        link=link.name,
        title=link.title,
        payload_bytes=row.payload_bytes or 0,
        settings=link.settings,
        verdict=link_verdict(row),
        verdicts=link_verdicts(row),
        waterfalls=link_waterfalls(row),
        changes=changes,
    )


def explain_capture(
    path: str | Path,
    link: str,
    *,
    settings: Settings | None = None,
    payload_bytes: int | None = None,
    trigger: str | int = 0,
    done: str | int = 1,
    seed: int = 1,
    samples: int = WHAT_IF_SAMPLES,
    workers: int | None = None,
) -> CaptureExplanation:
    """Say how far the model of ``link`` explains a capture, with gate phases fitted to it, and what to change first.

    ``payload_bytes`` comes from the file's name where it is not given.

    Raises ``AirwireError`` for a capture that cannot be read, or a link, setting or payload that does not fit.
    """
    check_numbers(payload_bytes=payload_bytes, seed=seed, samples=samples or None, workers=workers)
    given = setting_texts(settings or {})
    raw = json.loads(
        _core.explain_capture(str(path), link, payload_bytes, given, trigger=str(trigger), done=str(done), seed=seed)
    )
    question = Question(raw["link"], raw["payload_bytes"], given)
    changes = changes_of([question], samples=samples, seed=seed, workers=workers)[0] if samples else []
    phases = [FittedGate(**phase) for phase in raw["phases"]]
    return CaptureExplanation(
        path=str(path),
        link=raw["link"],
        payload_bytes=raw["payload_bytes"],
        settings=raw["settings"],
        sentence=capture_sentence(raw["link"], raw["explained_share"], raw["left_over_ps"], len(phases)),
        phases=phases,
        messages=raw["n"],
        explained_share=raw["explained_share"],
        left_over_ps=raw["left_over_ps"],
        median_ps=raw["median_ps"],
        model_median_ps=raw["model_median_ps"],
        p95_ps=raw["p95_ps"],
        model_p95_ps=raw["model_p95_ps"],
        ks=raw["ks"],
        stages=[link_stage(stage) for stage in raw["stages"]],
        quantiles=[QuantilePair(**pair) for pair in raw["quantiles"]],
        changes=changes,
    )
