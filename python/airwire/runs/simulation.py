"""Predictions of single links, without a suite and without a run folder."""

from __future__ import annotations

from collections.abc import Sequence

from airwire import _core
from airwire.link.model import LinkRow
from airwire.model import Capture
from airwire.runs.rows import link_row
from airwire.values import Settings, setting_texts

DEFAULT_SAMPLES = 2000
DEFAULT_SPANS = 1000


def simulate(
    requests: Sequence[tuple[str, int, Settings]],
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    spans: int = DEFAULT_SPANS,
    trigger: Settings | None = None,
    workers: int | None = None,
) -> list[Capture[LinkRow]]:
    """Predict links, each given by name, payload in bytes and changed settings; nothing is written.

    ``spans`` is the number of first messages whose stages are kept. ``trigger`` is a suite's trigger table; by
    default triggers are dithered, so that every phase of every gate is met.

    Raises ``AirwireError`` for the first request that cannot be carried out.

    >>> capture, = airwire.simulate([("lora", 12, {"sf": 7})], samples=100)
    >>> capture.outcomes["paired"] + capture.outcomes["missed"]
    100
    """
    texts = [(name, payload_bytes, setting_texts(settings)) for name, payload_bytes, settings in requests]
    given = None if trigger is None else setting_texts(trigger)
    rows = _core.simulate(texts, samples=samples, seed=seed, spans=spans, trigger=given, workers=workers)
    return [link_row(raw, None) for raw in rows]
