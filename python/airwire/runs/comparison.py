"""Latencies of two captures or rows side by side, and the distribution of one. Whole runs are in ``compared_runs``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airwire import _core
from airwire.model import Capture, Comparison
from airwire.values import check_kind, check_numbers

if TYPE_CHECKING:
    import polars as pl


def compare(a: Capture, b: Capture, *, seed: int = 1, names: tuple[str, str] | None = None) -> Comparison:
    """Say how the latencies of ``b`` differ from those of ``a``.

    ``names`` are what the sentence calls them: by default their own names, with what differs where these are the same.

    Raises ``AirwireError`` when one of them has no paired message.
    """
    from airwire.explain.comparison import comparison_sentence, names_apart

    check_numbers(seed=seed)
    if names is not None and (isinstance(names, str) or len(names) != 2):
        raise _core.AirwireError(f"names is {names!r:.60}, but it takes two, of A and of B")
    latencies = [latencies_of(capture) for capture in (a, b)]
    raw = _core.compare(latencies[0], latencies[1], seed)
    if raw is None:
        empty = a if not latencies[0] else b
        raise _core.AirwireError(f"{empty.path}: no message was paired, so that there is nothing to compare")
    one, other = names or names_apart(a, b)
    return Comparison(
        a=one,
        b=other,
        sentence=comparison_sentence(one, other, raw),
        messages=(a.messages, b.messages),
        loss=(a.loss, b.loss),
        **raw,
    )


def ecdf(capture: Capture) -> pl.DataFrame:
    """The empirical cumulative distribution of a capture's latencies.

    One row per distinct latency in ascending order: ``latency_ps`` and ``share``, the share of paired messages that
    took at most that long.
    """
    import polars as pl

    values, shares = _core.ecdf(latencies_of(capture))
    return pl.DataFrame({"latency_ps": values, "share": shares}, schema={"latency_ps": pl.Int64, "share": pl.Float64})


def latencies_of(capture: Capture) -> list[int]:
    """The latencies of the messages that arrived."""
    check_kind("the capture", capture, Capture, "airwire.analyze or airwire.run")
    latencies: list[int] = capture.samples["latency_ps"].drop_nulls().to_list()
    return latencies
