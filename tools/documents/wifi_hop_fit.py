"""Writes the table of docs/explanation/fidelity-network.md: the constants of the Wi-Fi hop, from the published ping.

    make firmware && python tools/documents/wifi_hop_fit.py

Pings behind the hop, without times of its own, are run at the loads of the channel in question. The least published
ping gives the time that every ping takes besides; the mean gives the load. Deviation and maximum are left to show what
the hop lacks, and what was published of HTTP is not looked at.
"""

from __future__ import annotations

import re
import tempfile
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

import airwire

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "explanation" / "fidelity-network.md"
TABLE = re.compile(r"(<!-- wifi hop -->\n).*?(<!-- end of wifi hop -->)", re.DOTALL)
PINGS = 2000
LOADS = range(100)
PS_PER_MS = 1e9
_ROW = """
[boards.load-{load}]
firmware = "w5500-evb-pico/http_server-lwip_raw.elf"
network = {{ wifi = {{ medium_load = {load} }} }}
traffic = ["ping to=board count={pings} interval=100ms"]
measure = "latency"
limit = "300 s"
"""


@dataclass(frozen=True)
class Pings:
    """What ``ping`` prints at its end, in ms."""

    least: float
    mean: float
    most: float
    deviation: float

    def later(self, ms: float) -> Pings:
        """The same pings, each so much later."""
        return Pings(self.least + ms, self.mean + ms, self.most + ms, self.deviation)


@dataclass(frozen=True)
class Fit:
    """The constants, and the pings that they make."""

    access_point_time_ms: float
    station_time_ms: float
    medium_load: int
    pings: Pings


PUBLISHED = Pings(least=3.23, mean=5.37, most=40.5, deviation=3.21)


def measured(loads: list[int], firmware: Path) -> dict[int, Pings]:
    """Pings behind a hop that takes no time of its own, by the load of its channel."""
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite.toml"
        suite.write_text("".join(_ROW.format(load=load, pings=PINGS) for load in loads), encoding="utf-8")
        rows = airwire.run(suite, firmware=firmware, out=Path(folder) / "run").captures
        return {
            load: _pings(row.samples["latency_ps"].drop_nulls().to_list())
            for load, row in zip(loads, rows, strict=True)
        }


def _pings(latencies_ps: list[int]) -> Pings:
    times = [ps / PS_PER_MS for ps in latencies_ps]
    mean = sum(times) / len(times)
    # As ping computes it: of all of them, not of a sample.
    deviation = (sum((time - mean) ** 2 for time in times) / len(times)) ** 0.5
    return Pings(min(times), mean, max(times), deviation)


def fitted(firmware: Path) -> Fit:
    """The load whose mean is nearest once the least ping is as published."""
    load, pings = _nearest(firmware)
    # Four crossings of a device, two of each, and nothing in a ping tells them apart: both take the same.
    each_ms = round((PUBLISHED.least - pings.least) / 4, 3)
    return Fit(each_ms, each_ms, load, pings.later(4 * each_ms))


def _nearest(firmware: Path) -> tuple[int, Pings]:
    """By halving the range of loads: the more load, the longer the mean ping."""
    wanted = PUBLISHED.mean - PUBLISHED.least
    known: dict[int, Pings] = {}

    def too_long(load: int) -> float:
        if load not in known:
            known.update(measured([load], firmware))
        return known[load].mean - known[load].least - wanted

    first_too_long = bisect_left(LOADS, True, key=lambda load: too_long(load) > 0)
    candidates = {max(first_too_long - 1, LOADS[0]), min(first_too_long, LOADS[-1])}
    load = min(candidates, key=lambda load: abs(too_long(load)))
    return load, known[load]


def table(fit: Fit) -> str:
    """Constants and what is left, as lines of a page."""
    lines = [
        "| constant | value | from |",
        "|---|--:|---|",
        f"| `access_point_time`, `station_time` | {fit.access_point_time_ms} ms each | the least ping |",
        f"| `medium_load` | {fit.medium_load} % | the mean ping, above the least |",
        "",
        "| ping, ms | published | here | left |",
        "|---|--:|--:|--:|",
    ]
    for name in ("least", "mean", "deviation", "most"):
        theirs, ours = getattr(PUBLISHED, name), getattr(fit.pings, name)
        lines.append(f"| {name} | {theirs:.2f} | {ours:.2f} | {round(theirs - ours, 2) + 0:+.2f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fit, write the table into its page, and print it."""
    fit = fitted(REPOSITORY / "build" / "firmware")
    text, count = TABLE.subn(rf"\g<1>{table(fit)}\g<2>", PAGE.read_text(encoding="utf-8"))
    assert count == 1, f"{PAGE} has its table once"
    PAGE.write_text(text, encoding="utf-8")
    print(table(fit), end="")


if __name__ == "__main__":
    main()
