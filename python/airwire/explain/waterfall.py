"""Where the time of typical and of slow messages goes: the stages of the messages nearest to a percentile.

A mean over all messages would show a latency that none has where a gate or a retry splits them; those near one
percentile took about the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from airwire import _core
from airwire.explain.words import stage_of
from airwire.kinds import Cause
from airwire.link.model import LinkRow, Waterfall
from airwire.model import Capture, is_of_board, is_of_link
from airwire.stage import Stage

if TYPE_CHECKING:
    import polars as pl

    from airwire.board.row import BoardRow

PERCENTILES = (50, 95)
# Enough messages to even out a clock's phase, few enough to be of one latency.
_NEAREST_SHARE = {50: 0.04, 95: 0.04}
# Of boards the messages that were traced are those near the median and, a fifth of them, near p95.
_NEAREST_SHARE_OF_CHOSEN = {50: 0.5, 95: 0.1}
_FEWEST = 5
FAR_ABOVE = 3
_CODES = ("cause", "site", "subject", "detail")
# How many functions of the firmware are named.
_FUNCTIONS = 4
_WORTH_A_LINE = 0.02
# What the board does, then what it waits for.
_ORDER: tuple[Cause, ...] = (
    "bus",
    "cpu",
    "console",
    "chip",
    "wire",
    "delay",
    "window",
    "pc",
    "protocol",
    "gate",
    "sleep",
    "empirical",
)


def waterfalls(capture: Capture, percentiles: Sequence[int] = PERCENTILES) -> list[Waterfall]:
    """The stages at each percentile of a row's latencies; none where nothing arrived or no spans were kept."""
    if is_of_link(capture):
        return link_waterfalls(capture, percentiles)
    return board_waterfalls(capture, percentiles) if is_of_board(capture) else []


def link_waterfalls(row: Capture[LinkRow], percentiles: Sequence[int] = PERCENTILES) -> list[Waterfall]:
    """The same of a link, its stages in the order of its budget."""
    order = [stage.name for stage in row.target.budget]
    return [
        replace(waterfall, stages=sorted(waterfall.stages, key=lambda stage: _place(stage.name, order)))
        for waterfall in _near(row, percentiles, _NEAREST_SHARE)
    ]


def board_waterfalls(row: Capture[BoardRow], percentiles: Sequence[int] = PERCENTILES) -> list[Waterfall]:
    """The same of a board, its stages in the order of their causes."""
    found = _near(row, percentiles, _NEAREST_SHARE_OF_CHOSEN)
    return [replace(waterfall, stages=board_stages(waterfall.stages)) for waterfall in found]


def _near(row: Capture[LinkRow | BoardRow], percentiles: Sequence[int], shares: Mapping[int, float]) -> list[Waterfall]:
    """The stages at each percentile, of its share of the traced messages, in no order that means anything."""
    if row.latency_ps is None:
        return []
    spans = row.target.spans
    latencies = _traced_latencies(row, spans)
    if latencies is None or latencies.height == 0:
        return []
    return [
        _waterfall(percentile, row.latency_ps[f"p{percentile}"], latencies, spans, shares[percentile])
        for percentile in percentiles
    ]


def tail_waterfall(row: Capture[BoardRow]) -> Waterfall | None:
    """The mean of a board's traced messages that took far longer than the median; nothing where none did.

    Where a few messages take most of the time they set the rate, and the median explains nothing of it.
    """
    latency = row.latency_ps
    if latency is None or latency["mean"] < _core.HEAVY_TAIL * latency["p50"]:
        return None
    spans = row.target.spans
    traced = _traced_latencies(row, spans)
    slow = None if traced is None else traced.filter(traced["latency_ps"] > FAR_ABOVE * latency["p50"])
    if slow is None or slow.height == 0:
        return None
    mean = float(slow["latency_ps"].sum()) / slow.height
    found = _waterfall(100, mean, slow, spans, 1.0)
    return replace(found, stages=board_stages(found.stages))


def budget_waterfall(link: LinkRow) -> Waterfall:
    """The stages of the closed-form budget, in place of a waterfall where no spans were kept."""
    total = sum(stage.ps for stage in link.budget)
    return Waterfall(50, total, 0, [stage for stage in link.budget if stage.ps > 0])


def board_stages(stages: Sequence[Stage]) -> list[Stage]:
    """The stages of a board in the order of their causes, then those of its peer; the longest of a cause first.

    Functions that take little stand together.
    """
    own, theirs = ([stage for stage in stages if (stage.site == "peer") is peers] for peers in (False, True))
    return [*_in_order(own), *_in_order(theirs)]


def _in_order(stages: Sequence[Stage]) -> list[Stage]:
    total = sum(stage.ps for stage in stages)
    functions = sorted((stage for stage in stages if stage.subject == "function"), key=lambda stage: -stage.ps)
    named = [stage for stage in functions[:_FUNCTIONS] if stage.ps >= _WORTH_A_LINE * total]
    rest = functions[len(named) :]
    others = [stage_of("cpu", rest[0].site, "function", None, sum(stage.ps for stage in rest))] if rest else []
    kept = [stage for stage in stages if stage.subject != "function"]
    kept.sort(key=lambda stage: (_place_of(stage.cause), -stage.ps))
    place = next((place for place, stage in enumerate(kept) if _place_of(stage.cause) > _place_of("cpu")), len(kept))
    return [*kept[:place], *named, *others, *kept[place:]]


def _place_of(cause: Cause) -> int:
    return _ORDER.index(cause) if cause in _ORDER else len(_ORDER)


def _traced_latencies(capture: Capture, spans: pl.DataFrame) -> pl.DataFrame | None:
    """Index, done edge and latency of the messages that arrived and of which spans were kept."""
    if spans.height == 0:
        return None
    arrived = capture.samples.filter(capture.samples["outcome"] == "paired")
    return arrived.select("index", "done_ps", "latency_ps").join(spans.select("index").unique(), on="index", how="semi")


def _waterfall(
    percentile: int, latency_ps: float, latencies: pl.DataFrame, spans: pl.DataFrame, share: float
) -> Waterfall:
    import polars as pl

    count = min(latencies.height, max(_FEWEST, round(latencies.height * share)))
    distance = (pl.col("latency_ps") - latency_ps).abs()
    near = latencies.sort(distance, "index").head(count)
    # Spans after the done edge are the sender's acknowledgement.
    own = spans.join(near.select("index", "done_ps"), on="index").filter(pl.col("start_ps") < pl.col("done_ps"))
    times = (pl.col("end_ps") - pl.col("start_ps")).sum().alias("ps")
    sums = own.group_by(*_CODES).agg(times).filter(pl.col("ps") > 0)
    rows = sums.select(*_CODES, "ps").iter_rows()
    found = [stage_of(cause, site, subject, detail, ps / count) for cause, site, subject, detail, ps in rows]
    return Waterfall(percentile, latency_ps, count, sorted(found, key=lambda stage: stage.name))


def _place(name: str, order: Sequence[str]) -> int:
    """Waiting behind other messages comes before all that the link does itself."""
    return order.index(name) if name in order else -1
