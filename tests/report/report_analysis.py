"""A small synthetic analysis with a finding of every kind, made from a seeded random generator."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import polars as pl

from airwire.kinds import FindingKind
from airwire.model import Analysis, Capture, CaptureFailure, CaptureFile, Finding, Interval

MS = 1_000_000_000
Latency = Callable[[int, Random], int]


def samples_of(count: int, latency: Latency, *, missed_every: int = 0, seed: int = 1) -> pl.DataFrame:
    random = Random(seed)
    rows: list[tuple[int, int, int | None, int | None, str]] = []
    trigger = 0
    for index in range(count):
        trigger += 10 * MS + random.randrange(10 * MS)
        if missed_every and index % missed_every == 0:
            rows.append((index, trigger, None, None, "missed"))
        else:
            took = latency(trigger, random)
            rows.append((index, trigger, trigger + took, took, "paired"))
    schema = {"index": pl.Int64, "trigger_ps": pl.Int64, "done_ps": pl.Int64, "latency_ps": pl.Int64}
    return pl.DataFrame(rows, schema={**schema, "outcome": pl.String}, orient="row")


def statistics_of(samples: pl.DataFrame) -> dict[str, float] | None:
    latencies = samples.get_column("latency_ps").drop_nulls()
    if latencies.is_empty():
        return None

    def quantile(fraction: float) -> float:
        value = latencies.quantile(fraction, interpolation="linear")
        assert value is not None
        return float(value)

    names = {
        "p1": 0.01,
        "p5": 0.05,
        "p25": 0.25,
        "p50": 0.5,
        "p75": 0.75,
        "p95": 0.95,
        "p99": 0.99,
        "p99_9": 0.999,
    }
    statistics = {name: quantile(fraction) for name, fraction in names.items()}
    ordered = sorted(latencies.to_list())
    mean = math.fsum(ordered) / len(ordered)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / max(len(ordered) - 1, 1))
    statistics |= {"n": len(ordered), "min": ordered[0], "max": ordered[-1], "mean": mean, "std": deviation}
    return statistics | {"iqr": statistics["p75"] - statistics["p25"]}


def make_capture(
    path: str,
    latency: Latency,
    *,
    group: str = "radio",
    payload_bytes: int | None = 12,
    count: int = 120,
    missed_every: int = 0,
    findings: Sequence[Finding] = (),
) -> Capture:
    samples = samples_of(count, latency, missed_every=missed_every)
    paired = samples.get_column("latency_ps").drop_nulls().len()
    statistics = statistics_of(samples)
    interval = None
    if statistics:
        median = statistics["p50"]
        interval = Interval(median * 0.99, median * 1.01, 0.95, 80.0, "this phase only")
    outcomes = {"paired": paired, "missed": count - paired, "glitch": 0, "overlapped": 0}
    outcomes |= {"late": 0, "duplicate": 0, "spurious": 0}
    return Capture(
        path,
        group,
        payload_bytes,
        count,
        outcomes,
        statistics,
        interval,
        interval,
        tuple(findings),
        lambda: samples,
        CaptureFile(),
    )


def constant(trigger_ps: int, random: Random) -> int:
    return 5 * MS


def jittered(trigger_ps: int, random: Random) -> int:
    return int(2 * MS * random.lognormvariate(0, 0.4))


def gated(trigger_ps: int, random: Random) -> int:
    return MS + -trigger_ps % (15 * MS)


def combed(trigger_ps: int, random: Random) -> int:
    return MS // 2 + random.choice((0, 0, 1, 2)) * MS


def finding(kind: FindingKind, confidence: float, **evidence: object) -> Finding:
    period = 15 * MS if kind in ("gate", "frozen_phase", "phase_coverage") else None
    return Finding(kind, confidence, f"This is a {kind}.", f"Act on the {kind}.", period, evidence)


def every_finding() -> list[Finding]:
    return [
        finding("gate", 0.97, period_ps=15 * MS),
        finding("frozen_phase", 0.6, period_ps=15 * MS),
        finding("phase_coverage", 0.55, period_ps=15 * MS, covered_share=0.4),
        finding("comb", 0.8, quantum_ps=MS, offset_ps=MS // 2),
        finding("steps", 0.7, levels_ps=[MS, 2 * MS, 4 * MS]),
        finding("drift", 0.5, slope_ps_per_s=0.1 * MS),
        finding("bursts", 0.65, starts_ps=[100 * MS, 900 * MS], duration_ps=200 * MS),
        finding("loss_as_latency", 0.75, late_offset_ps=6 * MS),
    ]


@cache
def small_analysis() -> Analysis:
    """Six captures of four groups and one file that failed."""
    captures = [
        make_capture("runs/ble/12B-slot.csv", gated, group="ble", findings=every_finding()),
        make_capture("runs/ble/128B-slot.csv", gated, group="ble", payload_bytes=128, missed_every=10),
        make_capture(
            "runs/nrf/32B-comb.csv",
            combed,
            group="nrf",
            payload_bytes=32,
            findings=[finding("comb", 0.9, quantum_ps=MS, offset_ps=MS // 2)],
        ),
        make_capture("runs/wire/constant.sr", constant, group="wire", payload_bytes=None),
        make_capture("runs/wire/one.sr", jittered, group="wire", payload_bytes=1024, count=1),
        make_capture("runs/dead/nothing.csv", constant, group="dead", count=20, missed_every=1),
    ]
    failures = [CaptureFailure("runs/bad.sr", "runs/bad.sr: no member metadata was found; export it again.")]
    return Analysis(captures, failures, "strict", 7)
