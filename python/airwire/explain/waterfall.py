"""Where the time of typical and of slow messages goes: the stages of the messages nearest to a percentile.

A mean over all messages would show a latency that none has where a gate or a retry splits them; those near one
percentile took about the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.link_model import LinkRow, Stage, Waterfall

if TYPE_CHECKING:
    import polars as pl

    from airwire.model import Capture

PERCENTILES = (50, 95)
# Enough messages to even out a clock's phase, few enough to be of one latency.
_NEAREST_SHARE = 0.04
_FEWEST = 5


def waterfalls(capture: Capture, percentiles: Sequence[int] = PERCENTILES) -> list[Waterfall]:
    """The stages at each percentile of a row's latencies; none where nothing arrived or no spans were kept."""
    if capture.link is None or capture.latency_ps is None:
        return []
    latencies = _traced_latencies(capture)
    if latencies is None or latencies.height == 0:
        return []
    order = [stage.name for stage in capture.link.budget]
    return [
        _waterfall(percentile, capture.latency_ps[f"p{percentile}"], latencies, capture.link.spans, order)
        for percentile in percentiles
    ]


def budget_waterfall(link: LinkRow) -> Waterfall:
    """The stages of the closed-form budget, in place of a waterfall where no spans were kept."""
    total = sum(stage.ps for stage in link.budget)
    return Waterfall(50, total, 0, [stage for stage in link.budget if stage.ps > 0])


def _traced_latencies(capture: Capture) -> pl.DataFrame | None:
    """Index, done edge and latency of the messages that arrived and of which spans were kept."""
    assert capture.link is not None, "the caller looked"
    spans = capture.link.spans
    if spans.height == 0:
        return None
    arrived = capture.samples.filter(capture.samples["outcome"] == "paired")
    return arrived.select("index", "done_ps", "latency_ps").join(spans.select("index").unique(), on="index", how="semi")


def _waterfall(
    percentile: int, latency_ps: float, latencies: pl.DataFrame, spans: pl.DataFrame, order: Sequence[str]
) -> Waterfall:
    import polars as pl

    count = min(latencies.height, max(_FEWEST, round(latencies.height * _NEAREST_SHARE)))
    distance = (pl.col("latency_ps") - latency_ps).abs()
    near = latencies.sort(distance, "index").head(count)
    # Spans after the done edge are the sender's acknowledgement.
    own = spans.join(near.select("index", "done_ps"), on="index").filter(pl.col("start_ps") < pl.col("done_ps"))
    stages = (
        own.group_by("stage", "kind")
        .agg((pl.col("end_ps") - pl.col("start_ps")).sum().alias("ps"))
        .filter(pl.col("ps") > 0)
        .sort("stage")
    )
    found = [Stage(name, kind, ps / count) for name, kind, ps in stages.select("stage", "kind", "ps").iter_rows()]
    return Waterfall(percentile, latency_ps, count, sorted(found, key=lambda stage: _place(stage.name, order)))


def _place(name: str, order: Sequence[str]) -> int:
    """Waiting behind other messages comes before all that the link does itself."""
    return order.index(name) if name in order else -1
