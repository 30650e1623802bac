"""Predictions of single links, without a suite and without a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from airwire import _core
from airwire.link.model import LinkRow
from airwire.model import Capture
from airwire.runs.rows import link_row
from airwire.values import Settings, SettingValue, check_numbers, parse_size, setting_texts

DEFAULT_SAMPLES = 2000
DEFAULT_SPANS = 1000


@overload
def simulate(
    requests: Sequence[tuple[str, int, Settings]],
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    spans: int = DEFAULT_SPANS,
    trigger: Settings | None = None,
    workers: int | None = None,
) -> list[Capture[LinkRow]]: ...


@overload
def simulate(
    requests: str,
    *,
    payload: int | str,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    spans: int = DEFAULT_SPANS,
    trigger: Settings | None = None,
    workers: int | None = None,
    **settings: SettingValue,
) -> Capture[LinkRow]: ...


def simulate(
    requests: str | Sequence[tuple[str, int, Settings]],
    *,
    payload: int | str | None = None,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    spans: int = DEFAULT_SPANS,
    trigger: Settings | None = None,
    workers: int | None = None,
    **settings: SettingValue,
) -> Capture[LinkRow] | list[Capture[LinkRow]]:
    """Predict a link, or a list of them; nothing is written.

    A single link is given by its name, the ``payload`` (bytes, or ``"12B"``) and its changed settings. In a list each
    has a name, a payload in bytes and a mapping of settings.

    ``spans`` is the number of first messages whose stages are kept. ``trigger`` is a suite's trigger table; by
    default triggers are dithered, so that every phase of every gate is met.

    Raises ``AirwireError`` for the first request that cannot be carried out.

    >>> airwire.simulate("lora", payload=12, sf=9, samples=100).triggers
    100
    >>> capture, = airwire.simulate([("lora", 12, {"sf": 7})], samples=100)
    >>> capture.outcomes["paired"] + capture.outcomes["missed"]
    100
    """
    if isinstance(requests, str):
        if payload is None:
            raise _core.AirwireError(f"the payload of {requests} is not given; give it, such as payload=12")
        size = parse_size(payload) if isinstance(payload, str) else payload
        (row,) = simulate(
            [(requests, size, settings)], samples=samples, seed=seed, spans=spans, trigger=trigger, workers=workers
        )
        return row
    if payload is not None or settings:
        raise _core.AirwireError("payload and settings of a list stand in it; give them there")
    check_numbers(samples=samples, seed=seed, spans=spans, workers=workers)
    for request in requests:
        if not isinstance(request, tuple | list) or len(request) != 3:
            raise _core.AirwireError(
                f"{request!r:.60} is no request; give a link, a payload and settings, such as ('lora', 12, {{'sf': 9}})"
            )
        check_numbers(payload_bytes=request[1])
    texts = [(name, payload_bytes, setting_texts(settings)) for name, payload_bytes, settings in requests]
    if trigger is not None and not isinstance(trigger, Mapping):
        raise _core.AirwireError(f"trigger is {trigger!r:.60}, but it takes a table, such as {{'period': '10 ms'}}")
    given = None if trigger is None else setting_texts(trigger)
    rows = _core.simulate(texts, samples=samples, seed=seed, spans=spans, trigger=given, workers=workers)
    return [link_row(raw, None) for raw in rows]
