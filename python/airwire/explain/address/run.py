"""Rows of boards at addresses in sentences: what the answers and the packets betray, and how much is this computer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from airwire import _core
from airwire.address.row import AddressRow
from airwire.board.row import Figure
from airwire.explain.address.packets import DECIDED, packet_facts, packet_verdicts
from airwire.explain.address.timing import CLIENTS, timing_verdicts
from airwire.explain.board.figures import quantity, vague_sentence
from airwire.explain.board.published import published_sentence
from airwire.explain.quantities import count, percent, rough_time
from airwire.explain.row import RowExplanation
from airwire.explain.verdict import NO_FIGURE, NOTHING_STANDS_OUT, Verdict
from airwire.kinds import Answered
from airwire.model import Analysis, Capture

if TYPE_CHECKING:
    from airwire._core import RawPackets

_WRONG: Answered = "wrong"

OWN = "own"
"""The kind of a verdict that blames this computer."""


def recording_of(run_folder: str, row: str) -> Path:
    """Where a run folder has the packets that were recorded while a row was measured."""
    return Path(run_folder) / "wire" / f"{row}.pcapng"


def own_packets(analysis: Analysis, row: Capture[AddressRow]) -> RawPackets | None:
    """What the packets say that the run folder has of a row; nothing where it has none."""
    if analysis.run_folder is None:
        return None
    recording = recording_of(analysis.run_folder, row.path)
    return _core.packet_report(recording, row.target.resolved) if recording.is_file() else None


def address_verdict(row: Capture[AddressRow], packets: RawPackets | None = None) -> Verdict:
    """What takes most of a row's time, as far as that is seen from outside; or why there is no figure.

    ``packets`` is what a recording of its packets says; it decides what the samples leave open.
    """
    target = row.target
    if target.figure is None:
        return Verdict(0.0, f"No figure: {target.problem or 'nothing was measured'}", NO_FIGURE)
    details = [*(packet_facts(packets) if packets else ()), *_details(row)]
    causes = outside_verdicts(row, packets)
    if causes:
        first, *others = causes
        further = [f"Also {other.line}." for other in others]
        return replace(first, details=[*first.details, *further, *details])
    floor = target.floor
    if floor is not None and floor.share is not None and floor.is_most:
        cause = f"of the {_what(target)} is what this computer does by itself"
        change = "measure with several boards at once, or with a faster computer"
        return Verdict(floor.share, cause, OWN, change, details=details)
    cause = f"The board and the network between {_what_they_take(row, target.figure)}"
    return Verdict(0.0, cause, NOTHING_STANDS_OUT, details=details)


def address_verdicts(row: Capture[AddressRow], packets: RawPackets | None = None) -> list[Verdict]:
    """The same, one for each cause; none without a figure."""
    if row.target.figure is None:
        return []
    return outside_verdicts(row, packets) or [address_verdict(row, packets)]


def outside_verdicts(row: Capture[AddressRow], packets: RawPackets | None = None) -> list[Verdict]:
    """The causes that samples and packets betray, the largest share first."""
    of_timing = timing_verdicts(row)
    if packets is None or not packets["segments"]:
        return of_timing
    proved = packet_verdicts(packets, row)
    open_still = [verdict for verdict in of_timing if verdict.kind not in DECIDED]
    return sorted([*proved, *open_still], key=lambda verdict: -verdict.share)


def address_explanation(row: Capture[AddressRow], packets: RawPackets | None = None) -> RowExplanation:
    """What is known of a row, as of a link or a virtual board."""
    target = row.target
    return RowExplanation(
        run=row.path,
        link=None,
        title=f"{target.title}, {target.traffic} at {target.address}",
        payload_bytes=0,
        settings={},
        verdict=address_verdict(row, packets),
        verdicts=address_verdicts(row, packets),
        waterfalls=[],
        changes=[],
        board=target.address,
    )


def _what(target: AddressRow) -> str:
    return "time of a message" if target.unit == "ps" else "rate"


def _what_they_take(row: Capture[AddressRow], figure: Figure) -> str:
    """What messages take, or the rate of what has none."""
    if row.latency_ps is None or row.target.unit == "bit/s":
        return f"set the rate of {quantity(figure.value, figure.unit)}"
    half, most = (rough_time(row.latency_ps[name]) for name in ("p50", "p99"))
    return f"take {half} for half of the messages, {most} for 99 %"


def _share_of_floor(share: float, unit: str) -> str:
    """What this computer takes of the row's figure. A higher rate is a smaller part of the time, not of the rate."""
    if unit == "ps":
        return f", {percent(share)} of what was measured"
    return f", so that it takes {percent(share)} of the time"


def _details(row: Capture[AddressRow]) -> Iterator[str]:
    target = row.target
    if target.problem is not None:
        yield f"It ended before its time: {target.problem}."
    wrong = _wrong_answers(row)
    if wrong:
        which = "The only one" if len(wrong) == 1 else "The first"
        first = "" if wrong[0] is None else f" {which}: {wrong[0].rstrip('.')}."
        yield f"{len(wrong)} of {count(row.triggers, 'message')} got a wrong answer.{first}"
    vague = vague_sentence(target.figure)
    if vague is not None:
        yield vague
    floor = target.floor
    if floor is None:
        yield "What this computer takes by itself was not measured: it has no server of that kind."
    else:
        share = "" if floor.share is None else _share_of_floor(floor.share, target.unit)
        yield f"By itself this computer reaches {quantity(floor.figure, target.unit)} over loopback{share}."
    clock = "the kernel's" if target.arrival_clock == "kernel" else "this program's"
    yield f"Arrivals bear {clock} time stamps, and what is sent bears this program's."
    published = published_sentence(target)
    if published is not None:
        yield published
    for finding in row.findings:
        # Where every message was answered, none was lost on its way: retries and interference are no causes.
        if finding.kind != "loss_as_latency" or len(wrong) < row.outcomes["missed"]:
            yield f"{finding.sentence} {finding.next_step}"


def _wrong_answers(row: Capture[AddressRow]) -> list[str | None]:
    """What was wrong with each answer that was not the one to its message, as far as its client says it."""
    if row.outcomes["missed"] == 0 or row.target.traffic.split(" ")[0] not in CLIENTS:
        return []
    samples = row.samples
    if "answer" not in samples.columns:
        return []
    errors: list[str | None] = samples.filter(samples["answer"] == _WRONG)["error"].to_list()
    return errors
