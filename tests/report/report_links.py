"""A small synthetic run of links whose stages are known: a gate, the air, and a queue in one row."""

from __future__ import annotations

import dataclasses
from functools import partial
from random import Random

import polars as pl
from report_analysis import MS, statistics_of

from airwire.kinds import Cause
from airwire.link.model import LinkRow, PublishedMedian
from airwire.model import Analysis, Capture, rows_of_links
from airwire.stage import Stage

STAGES: tuple[tuple[str, Cause], ...] = (("wait for <the> slot", "gate"), ("on the air", "air"), ("firmware", "cpu"))
MESSAGES = 400


def frames(slot_ps: int, air_ps: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Samples and spans of messages that wait for a slot, are sent, and are followed by an acknowledgement."""
    random = Random(seed)
    samples: list[tuple[int, int, int, int, str]] = []
    spans: list[tuple[int, str, str, str, str, int, int, int]] = []
    for index in range(MESSAGES):
        trigger = index * 10 * slot_ps
        lengths = (random.randrange(slot_ps), air_ps, MS // 10)
        at = trigger
        for (name, kind), length in zip(STAGES, lengths, strict=True):
            spans.append((index, kind, "link", "part", name, at, at + length, 12))
            at += length
        spans.append((index, "protocol", "link", "part", "acknowledgement", at, at + 50 * MS, 0))
        samples.append((index, trigger, at, at - trigger, "paired"))
    numbers = {"index": pl.Int64, "trigger_ps": pl.Int64, "done_ps": pl.Int64, "latency_ps": pl.Int64}
    codes = dict.fromkeys(("cause", "site", "subject", "detail"), pl.String)
    columns = {"index": pl.Int64, **codes, **dict.fromkeys(("start_ps", "end_ps", "bytes"), pl.Int64)}
    return (
        pl.DataFrame(samples, schema={**numbers, "outcome": pl.String}, orient="row"),
        pl.DataFrame(spans, schema=columns, orient="row"),
    )


def link_row(entry: str, payload_bytes: int, slot_ps: int, air_ps: int, *, traced: bool = True) -> Capture:
    """A row of the run."""
    samples, spans = frames(slot_ps, air_ps, seed=payload_bytes)
    budget = [Stage(name, kind, float(MS)) for name, kind in STAGES]
    kept = spans if traced else spans.head(0)
    link = LinkRow("slotted", "A link & its slot", {"slot": "20 ms"}, "every 200 ms", 0, budget, lambda: kept)
    outcomes = dict.fromkeys(("missed", "glitch", "overlapped", "late", "duplicate", "spurious"), 0)
    statistics = statistics_of(samples)
    return Capture(
        f"{entry}/{payload_bytes}B",
        entry,
        payload_bytes,
        MESSAGES,
        {"paired": MESSAGES, **outcomes},
        statistics,
        None,
        None,
        (),
        lambda: samples,
        link,
    )


def published_run() -> Analysis:
    """The same where others published a median of the quick link's 12 B, above its p95, and nothing else."""
    run = link_run()
    rows = list(run.captures)
    link = rows_of_links(run)[2].target
    published = PublishedMedian(6 * MS, "table <2>", "another slot")
    rows[2] = dataclasses.replace(rows[2], target=dataclasses.replace(link, published=published))
    return dataclasses.replace(run, captures=rows)


def link_run(*, traced: bool = True) -> Analysis:
    """Two links with two payloads each, the slower link first."""
    row = partial(link_row, traced=traced)
    rows = [
        row("slow", 12, 40 * MS, 5 * MS),
        row("slow", 128, 40 * MS, 30 * MS),
        row("quick", 12, 2 * MS, MS),
        row("quick", 128, 2 * MS, 9 * MS),
    ]
    return dataclasses.replace(Analysis(rows, [], "known", 3), suite="two links")
