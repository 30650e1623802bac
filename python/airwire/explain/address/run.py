"""Rows of boards at addresses in sentences: how much of a figure is this computer, and what the answers betray."""

from __future__ import annotations

from collections.abc import Iterator

from airwire.address.row import AddressRow
from airwire.explain.board.figures import quantity
from airwire.explain.board.published import published_sentence
from airwire.explain.quantities import percent, rough_time
from airwire.explain.row import RowExplanation
from airwire.explain.verdict import NO_FIGURE, NOTHING_STANDS_OUT, Verdict
from airwire.model import Capture

OWN = "own"
"""The kind of a verdict that blames this computer."""


def address_verdict(row: Capture[AddressRow]) -> Verdict:
    """What takes most of a row's time, as far as that is seen from outside; or why there is no figure."""
    target = row.target
    if target.figure is None:
        return Verdict(0.0, f"No figure: {target.problem or 'nothing was measured'}", NO_FIGURE)
    details = list(_details(row))
    floor = target.floor
    if floor is not None and floor.share is not None and floor.is_most:
        cause = f"of the {_what(target)} is what this computer does by itself"
        change = "measure with several boards at once, or with a faster computer"
        return Verdict(floor.share, cause, OWN, change, details=details)
    cause = f"the board and the network between take {_per_message(row)}"
    return Verdict(0.0, cause[0].upper() + cause[1:], NOTHING_STANDS_OUT, details=details)


def address_verdicts(row: Capture[AddressRow]) -> list[Verdict]:
    """The same, one for each cause; none without a figure."""
    return [] if row.target.figure is None else [address_verdict(row)]


def address_explanation(row: Capture[AddressRow]) -> RowExplanation:
    """What is known of a row, as of a link or a virtual board."""
    target = row.target
    return RowExplanation(
        run=row.path,
        link=None,
        title=f"{target.title}, {target.traffic} at {target.address}",
        payload_bytes=0,
        settings={},
        verdict=address_verdict(row),
        verdicts=address_verdicts(row),
        waterfalls=[],
        changes=[],
        board=target.address,
    )


def _what(target: AddressRow) -> str:
    return "time of a message" if target.unit == "ps" else "rate"


def _per_message(row: Capture[AddressRow]) -> str:
    figure = row.target.figure
    if row.latency_ps is None or row.target.unit == "bit/s":
        return "all of the time" if figure is None else f"all of the time: {quantity(figure.value, figure.unit)}"
    return f"{rough_time(row.latency_ps['p50'])} for half of the messages, {rough_time(row.latency_ps['p99'])} for 99 %"


def _details(row: Capture[AddressRow]) -> Iterator[str]:
    target = row.target
    if target.problem is not None:
        yield f"It ended before its time: {target.problem}."
    floor = target.floor
    if floor is None:
        yield "What this computer takes by itself was not measured: it has no server of that kind."
    else:
        share = "" if floor.share is None else f", {percent(floor.share)} of what was measured"
        yield f"By itself this computer reaches {quantity(floor.figure, target.unit)} over loopback{share}."
    clock = "the kernel's" if target.arrival_clock == "kernel" else "this program's"
    yield f"Arrivals bear {clock} time stamps, and what is sent bears this program's."
    published = published_sentence(target)
    if published is not None:
        yield published
    for finding in row.findings:
        yield f"{finding.sentence} {finding.next_step}"
