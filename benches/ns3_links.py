"""Links in virtual time: Airwire against ns-3 on the same exchange, with a check that both simulate the same times."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from benches.timing import Timing, interleave

NS3 = "ns3==3.44.post0"
MODULES = ("core", "network", "mobility", "propagation", "spectrum", "antenna", "lr-wpan")
REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "target" / "ns3"
MESSAGES = 100_000
PAYLOAD_BYTES = 12
TOLERANCE = 0.02

AIRWIRE = """
import json, sys, time
from airwire import _core
messages, payload_bytes, seed = map(int, sys.argv[1:])
start = time.perf_counter()
(row,) = _core.simulate(
    [("ieee802154", payload_bytes, {})],
    samples=messages, seed=seed, spans=0, trigger={"kind": "closed-loop"}, workers=1,
)
wall_s = time.perf_counter() - start
# The first message starts at 0 and the last one is done at the end.
print(json.dumps({
    "wall_s": wall_s, "messages": messages, "failed": messages - row.latency["n"],
    "one_way_us": row.latency["mean"] / 1e6, "cycle_us": row.end_ps / 1e6 / messages,
}))
"""

AIRWIRE_FROM_PYTHON = """
from airwire import _core
_core.simulate(
    [("ieee802154", 12, {})], samples=1000, seed=1, spans=0, trigger={"kind": "closed-loop"}, workers=1,
)
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one contender says of one round."""

    wall_s: float
    one_way_us: float
    cycle_us: float

    @classmethod
    def of(cls, command: list[str]) -> Exchange:
        """Run a contender that prints its result as JSON."""
        said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        if said["failed"] or said["messages"] != MESSAGES:
            raise RuntimeError(f"{Path(command[0]).name} did not deliver all of {MESSAGES} messages: {said}")
        return cls(said["wall_s"], said["one_way_us"], said["cycle_us"])


def run(rounds: int = 5) -> list[str]:
    """Rows of Markdown: messages per second, ratio, simulated means and how far they are apart."""
    peer = _peer("ieee802154")
    if peer is None:
        return ["ns-3 is left out: it needs g++ and the PyPI package ns3."]
    told: dict[str, list[Exchange]] = {"Airwire": [], "ns-3 3.44": []}
    for seed in range(1, rounds + 1):
        load = [str(MESSAGES), str(PAYLOAD_BYTES), str(seed)]
        told["Airwire"].append(Exchange.of([sys.executable, "-c", AIRWIRE, *load]))
        told["ns-3 3.44"].append(Exchange.of([str(peer), *load]))
    return [*_table(told), "", *_from_python()]


def _table(told: dict[str, list[Exchange]]) -> list[str]:
    rows = [
        f"| 802.15.4, {PAYLOAD_BYTES} B, {MESSAGES} messages | seconds | messages/s | Airwire is | one way | cycle |",
        "|---|---|---|---|---|---|",
    ]
    ours = Timing(tuple(exchange.wall_s for exchange in told["Airwire"])).median
    means: list[tuple[float, float]] = []
    for name, exchanges in told.items():
        timing = Timing(tuple(exchange.wall_s for exchange in exchanges))
        one_way = statistics.fmean(exchange.one_way_us for exchange in exchanges)
        cycle = statistics.fmean(exchange.cycle_us for exchange in exchanges)
        means.append((one_way, cycle))
        rows.append(
            f"| {name} | {timing} | {MESSAGES / timing.median:.0f} | {timing.median / ours:.1f} x "
            f"| {one_way:.1f} us | {cycle:.1f} us |"
        )
    apart = [ours / theirs - 1 for ours, theirs in zip(*means, strict=True)]
    if max(map(abs, apart)) > TOLERANCE:
        raise RuntimeError(f"the simulated means differ by more than {TOLERANCE:.0%}: {means}")
    rows.append(f"| difference of the means | | | | {apart[0]:+.2%} | {apart[1]:+.2%} |")
    return rows


def _from_python() -> list[str]:
    """Whole processes: 1000 messages from Python against ns-3's Python package that has only been imported."""

    def ours() -> None:
        subprocess.run([sys.executable, "-c", AIRWIRE_FROM_PYTHON], check=True)

    def theirs() -> None:
        subprocess.run([FOLDER / "bin" / "python", "-c", "from ns import ns"], check=True, capture_output=True)

    timings = interleave({"Airwire, 1000 messages": ours, "ns-3, import only": theirs}, rounds=3)
    least = timings["Airwire, 1000 messages"].median
    rows = ["| from Python, whole process | seconds | Airwire is |", "|---|---|---|"]
    return rows + [f"| {name} | {timing} | {timing.median / least:.1f} x |" for name, timing in timings.items()]


def _peer(name: str) -> Path | None:
    """The peer program, compiled; nothing where that is not possible."""
    package = _package()
    if package is None:
        return None
    source, program = REPOSITORY / "benches" / "ns3" / f"{name}.cc", FOLDER / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        libraries = package / "lib64"
        command = ["g++", "-std=c++20", "-O2", "-DNDEBUG", f"-I{package / 'include'}", str(source), "-o", str(program)]
        command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", *(f"-lns3.44-{module}" for module in MODULES)]
        subprocess.run(command, check=True)
    return program


def _package() -> Path | None:
    """Where the ns3 package is, installed beside the build if need be (half a gigabyte)."""
    if shutil.which("g++") is None:
        return None
    found = list(FOLDER.glob("lib/python3.*/site-packages/ns3"))
    if not found:
        venv.create(FOLDER, with_pip=True)
        install = [str(FOLDER / "bin" / "python"), "-m", "pip", "install", "--quiet", NS3]
        if subprocess.run(install, check=False).returncode:
            return None
        found = list(FOLDER.glob("lib/python3.*/site-packages/ns3"))
    return found[0]
