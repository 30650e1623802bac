"""Writes ``docs/explanation/tick-beat.md`` and its pictures.

    python tools/documents/tick_beat.py --captures ../shared/captures

The prose is in ``tick_beat_prose.py``, with places like ``[[name]]`` for figures; ``tick_beat_data.py`` computes them
from the real captures and the models. What the prose claims in words is checked before it is written.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import struct
import sys
import textwrap
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import tick_beat_figures
from tick_beat_data import (
    ACKED,
    BLIND,
    CLEARLY,
    ESP_NOW,
    EXPLAINED,
    LONG_RANGE,
    MS,
    NRF52840,
    ODD_INTERVAL,
    PI,
    PLAUSIBLE_PPM,
    SAMPLES,
    SEED,
    TCP,
    TICK_PS,
    WEBSOCKET,
    WEBSOCKET_C6,
    Row,
    Story,
    phases_met,
    quantiles,
    tell,
    triggers_to_come_round,
)
from tick_beat_prose import PROSE

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "explanation" / "tick-beat.md"
PICTURES = DOCS / "pictures"
SCALE = 1.4
GOLDEN_INTERVAL_US = 206_180
"""20.618 ticks: the interval that the page recommends where a generator cannot dither."""
_UNIT = re.compile(r"(\d) (?=(?:B|ms|us|ppm)\b|%)")
"""The space between a figure and its unit, at which no line ends."""
_PLACE = re.compile(r"\[\[(\w+)\]\]")


def main() -> int:
    """Write the page and its pictures."""
    parser = argparse.ArgumentParser(description="Write docs/explanation/tick-beat.md and its pictures.")
    parser.add_argument("--captures", type=Path, required=True, help="the folder of the real captures")
    folder: Path = parser.parse_args().captures
    if not folder.is_dir():
        print(f"{folder}: there is no such folder of captures; say with --captures where they are", file=sys.stderr)
        return 2
    story = tell(folder)
    PAGE.write_text(page(story), encoding="utf-8")
    import vl_convert

    for name, specification in tick_beat_figures.pictures(story).items():
        png = vl_convert.vegalite_to_png(specification, scale=SCALE)
        (PICTURES / f"{name}.png").write_bytes(compressed(png))
    return 0


def compressed(png: bytes) -> bytes:
    """The same picture with its data compressed as far as zlib can, to less than half."""
    parts, data, at = [png[:8]], b"", 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12
        if kind == b"IDAT":
            data += body
            continue
        if kind == b"IEND":
            parts.append(_chunk(b"IDAT", zlib.compress(zlib.decompress(data), 9)))
        parts.append(_chunk(kind, body))
    return b"".join(parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def page(story: Story) -> str:
    """The page, with every figure in its place."""
    _check(story)
    values = dict(_values(story))
    named = set(_PLACE.findall(PROSE))
    assert named == set(values), f"figures without a place, or places without a figure: {named ^ set(values)}"
    return _wrapped(_PLACE.sub(lambda match: values[match[1]], PROSE))


def _wrapped(text: str) -> str:
    """The text with lines of at most 120 characters; tables, pictures, headings and code stay as they are."""
    blocks = []
    for block in text.strip().split("\n\n"):
        if block.startswith(("|", "![", "#", "```")):
            blocks.append(block)
            continue
        items = re.split(r"\n(?=- )", block)
        fill = textwrap.TextWrapper(120, break_long_words=False, break_on_hyphens=False)
        fill.subsequent_indent = "  " if block.startswith("- ") else ""
        blocks.append("\n".join(fill.fill(_UNIT.sub("\\1\u00a0", " ".join(item.split()))) for item in items))
    return "\n\n".join(blocks).replace("\u00a0", " ") + "\n"


def _check(story: Story) -> None:
    """What the prose says in words rather than in figures; a model that changes may make it untrue."""
    rows = {(row.subject.label, size): row.medians() for size, each in story.rows.items() for row in each}
    small, large = rows[WEBSOCKET.label, 12], rows[WEBSOCKET.label, 1024]
    far, near = rows[LONG_RANGE.label, 12], rows[ESP_NOW.label, 12]
    ppm = {board: [run.ppm for run in story.tick_runs if run.subject.board == board] for board in ("ESP32", "ESP32-C6")}
    # The TCP run crosses the tick, so that its own waits are known; without them and with half a tick it is phase-free.
    unfrozen = rows[TCP.label, 12][0] - statistics.median(story.tick_run(TCP, 12).wait_ps) + TICK_PS / 2
    claims = {
        "larger WebSocket messages were captured as faster and are not": small[0] > large[0] and small[1] < large[1],
        "long range was captured as faster and is not": far[0] < near[0] and far[1] > near[1],
        "each board creeps one way": min(ppm["ESP32"]) > 0 > max(ppm["ESP32-C6"]),
        "woken, ESP-NOW comes first": min(story.rows[12], key=lambda row: row.woken["p50"]).subject is ESP_NOW,
        "the tick of the TCP run is known, and it is crossed once": story.tick_run(TCP, 12).wait_ps[0] > TICK_PS / 2,
        "every interval is whole ticks": all(round(run.interval_ps / MS) % 10 == 0 for run in story.tick_runs),
        "long range stays behind the Pi": story.bounds_ps(LONG_RANGE)[0] > rows[PI.label, 12][1],
        "TCP stays behind the Pi": unfrozen > rows[PI.label, 12][1],
        "no run met half of the tick": all(run.covered_ps < TICK_PS / 2 for run in story.tick_runs),
    }
    untrue = [claim for claim, holds in claims.items() if not holds]
    if untrue:
        raise SystemExit(f"The page claims that {untrue[0]}; that is no longer so: write it anew.")


def _values(story: Story) -> Iterator[tuple[str, str]]:
    yield from _values_of_runs(story)
    yield from _values_of_pairs(story)
    yield "table", "\n".join(_table(story))
    yield "beats", "\n".join(_beat_lines(story))
    for size, rows in story.rows.items():
        yield f"falls_{size}", "\n".join(_overtaken(rows, 1)) or "- None."
        yield f"woken_{size}", "\n".join(_overtaken(rows, 2)) or "- None."
    yield "samples", f"{SAMPLES:,}".replace(",", " ")
    yield "seed", str(SEED)
    yield "clearly", f"{CLEARLY - 1:.0%}".replace("%", " %")
    yield "golden", f"{GOLDEN_INTERVAL_US / 1000:.2f}"
    yield "golden_phases", str(phases_met(GOLDEN_INTERVAL_US, TICK_PS // 1_000_000)[0])
    yield "fast_tick", ms(story.fast_tick_median_ps)


def _values_of_runs(story: Story) -> Iterator[tuple[str, str]]:
    runs = story.tick_runs
    tcp, blind = story.tick_run(TCP, 12), story.tick_run(BLIND, 12)
    round_trip = triggers_to_come_round(tcp.creep_ps)
    yield "tcp_interval", f"{tcp.interval_ps / MS:.0f}"
    yield "tcp_ppm", f"{tcp.ppm:.2f}"
    yield "tcp_creep", f"{tcp.creep_ps / 1e6:.2f}"
    yield "tcp_round", str(round_trip)
    yield "tcp_minutes", f"{round_trip * tcp.interval_ps / 60e12:.0f}"
    yield "blind_round", str(triggers_to_come_round(blind.creep_ps))
    yield "blind_sent", str(len(blind.trigger_ps))
    yield "told", str(len(runs))
    yield "untold", str(len(story.untold))
    yield "explained", f"{EXPLAINED * 100:.0f} %"
    yield "plausible", str(PLAUSIBLE_PPM)
    yield "least_met", ms(min(run.covered_ps for run in runs))
    yield "most_met", ms(max(run.covered_ps for run in runs))
    for name, board in (("esp32", "ESP32"), ("c6", "ESP32-C6")):
        ppm = sorted(run.ppm for run in runs if run.subject.board == board)
        yield f"{name}_runs", str(len(ppm))
        yield f"{name}_ppm", f"{ppm[0]:+.1f} to {ppm[-1]:+.1f}"
    early = [trigger for trigger, wait in zip(tcp.trigger_ps, tcp.wait_ps, strict=True) if wait > TICK_PS / 2]
    samples = story.captures[TCP.captures[12]].samples
    before = samples.filter(samples["outcome"] == "paired", samples["trigger_ps"] <= early[-1])["latency_ps"].to_list()
    floor_ps = min(tcp.wait_ps[: len(early)])
    yield "tcp_before", str(len(before))
    yield "tcp_too_early", str(sum(latency < floor_ps for latency in before))


def _values_of_pairs(story: Story) -> Iterator[tuple[str, str]]:
    blind, acked = story.row(BLIND, 12), story.row(ACKED, 12)
    waits = {subject.label: statistics.median(story.tick_run(subject, 12).wait_ps) for subject in (BLIND, ACKED)}
    yield "ack_gap", ms(acked.captured["p50"] - blind.captured["p50"])
    yield "ack_waits", ms(waits[ACKED.label] - waits[BLIND.label])
    yield "ack_cost", ms(acked.woken["p50"] - blind.woken["p50"])
    for name, row in (
        ("blind", blind),
        ("acked", acked),
        ("near", story.row(ESP_NOW, 12)),
        ("far", story.row(LONG_RANGE, 12)),
        ("small", story.row(WEBSOCKET, 12)),
        ("large", story.row(WEBSOCKET, 1024)),
        ("c6", story.row(WEBSOCKET_C6, 12)),
    ):
        yield f"{name}_captured", ms(row.captured["p50"])
        yield f"{name}_free", ms(row.phase_free["p50"])
    ratio = [
        was / other
        for was, other in zip(story.row(WEBSOCKET, 12).medians(), story.row(WEBSOCKET_C6, 12).medians(), strict=True)
    ]
    yield "c6_ratio_captured", f"{ratio[0]:.1f}"
    yield "c6_ratio_free", f"{ratio[1]:.1f}"
    air_ps = story.air_ps[BLIND.label]
    yield "blind_air", ms(air_ps)
    yield "blind_fastest", ms(blind.captured["min"])
    yield "blind_lowest", ms(air_ps + TICK_PS / 2)
    yield "blind_highest", ms(blind.captured["min"] + TICK_PS / 2)
    yield "blind_woken", ms(blind.woken["p50"])
    rows = story.rows[12]
    first, second = sorted(rows, key=lambda row: row.woken["p50"])[:2]
    yield "second", second.subject.label
    yield "first_margin", ms(second.woken["p50"] - first.woken["p50"])
    yield "firmware", story.assumed_firmware
    bounded = (BLIND, ACKED, ESP_NOW, LONG_RANGE, WEBSOCKET_C6)
    yield "bounds", "; ".join(f"{each.label}: {' to '.join(map(ms, story.bounds_ps(each)))}" for each in bounded)
    swept = story.row(NRF52840, 12)
    triggers = story.captures[NRF52840.captures[12]].samples["trigger_ps"].to_list()
    intervals = sorted(after - before for before, after in itertools.pairwise(triggers))
    yield "swept_least", f"{intervals[0] / MS:.0f}"
    yield "swept_most", f"{intervals[-1] / MS:.0f}"
    yield "swept_captured", ms(swept.captured["p50"])
    yield "swept_free", ms(swept.phase_free["p50"])
    odd = story.captures[ODD_INTERVAL.captures[12]]
    times = odd.samples["trigger_ps"].to_list()
    odd_ms = round((times[-1] - times[0]) / (len(times) - 1) / MS)
    yield "odd_interval", str(odd_ms)
    yield "odd_phases", str(phases_met(odd_ms, 30)[0])
    yield "odd_captured", ms(quantiles(odd)["p50"])


def ms(ps: float) -> str:
    """Milliseconds in three significant digits or so, without the unit."""
    value = ps / MS
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _beat_lines(story: Story) -> Iterator[str]:
    yield "| link | trigger every | gate | opens every | phases met | apart |"
    yield "|---|--:|---|--:|--:|--:|"
    for beat in story.beats:
        count, apart_us = beat.phases
        times = (beat.interval_us, beat.gate_us, apart_us)
        interval, gate, apart = (f"{time_us / 1000:g} ms" for time_us in times)
        yield f"| {beat.subject.label} | {interval} | {beat.gate} | {gate} | {count} | {apart if count > 1 else '-'} |"


def _table(story: Story) -> Iterator[str]:
    columns = "captured | fit | phase-free | woken | place"
    yield f"| link | {' | '.join(f'{size} B {columns}' for size in story.rows)} |"
    yield f"|---|{'--:|' * (5 * len(story.rows))}"
    for row in story.rows[12]:
        cells = [row.subject.label]
        for rows in story.rows.values():
            cells += _cells(rows, next((each for each in rows if each.subject is row.subject), None))
        yield f"| {' | '.join(cells)} |"


def _cells(rows: Sequence[Row], row: Row | None) -> list[str]:
    if row is None:
        return [""] * 5
    captured, free, woken = map(ms, row.medians())
    found = tick_beat_figures.places(rows, row)
    moved = ", ".join(map(str, found))
    place = f"**{moved}**" if max(found) - min(found) > 1 else moved
    return [captured, ms(row.this_run_median_ps), free, woken if row.subject.has_tick else "-", place]


def _overtaken(rows: Sequence[Row], then: int) -> Iterator[str]:
    """Links that stood clearly before others as captured, and clearly behind them afterwards."""
    for row in sorted(rows, key=lambda row: row.medians()[0]):
        own = row.medians()
        passed = [
            f"{other.subject.label} ({ms(median[0])}, now {ms(median[then])})"
            for other in rows
            if (median := other.medians())[0] >= own[0] * CLEARLY and own[then] >= median[then] * CLEARLY
        ]
        if passed:
            yield f"- **{row.subject.label}** ({ms(own[0])}, now {ms(own[then])}) falls behind {_listed(passed)}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


if __name__ == "__main__":
    sys.exit(main())
