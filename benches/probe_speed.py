"""Probes of real addresses beside what others measure with, in turns on loopback: a C program, wrk, iperf3, iperf.

    python benches/probe_speed.py [TURNS]

Prints medians over all turns and their ratios. Where a peer is not installed, its lines are left out. The time of the
processor (user and system) stands beside rates, since those of a busy machine say little; ours has the measurement of
this computer's own floor in it.

Percentiles of an open loop are held against arithmetic. Neither wrk2 nor k6 is to be had from Debian, PyPI or npm,
whose package of that name holds no program. So the peer is a server that answers nobody for a tenth of each second:
of the requests that are due at even times, a tenth waits for anything up to that long, evenly spread.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from airwire.runs.probe import probe

PEERS = Path(__file__).parent / "peers"
ROUNDS = 20_000
SECONDS = 2
CONNECTIONS = (1, 8, 64)
PAUSE_S, PAUSES_EVERY_S = 0.1, 1.0


def main() -> None:
    """Build the peers, and hold each against the probe that does the same."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        built = {name: build(name, Path(folder)) for name in ("pingpong", "http_server")}
        runs = Path(folder) / "runs"
        _pingpong(built["pingpong"], turns, runs)
        if shutil.which("wrk"):
            _http(built["http_server"], turns, runs)
        if shutil.which("iperf3"):
            _bulk(turns, runs)
        if shutil.which("iperf"):
            _bulk_of_iperf_2(turns, runs)
        _open_loop(turns, runs)


def _pingpong(peer: Path, turns: int, runs: Path) -> None:
    port = free_port()
    with running([str(peer), "server", str(port)], port):

        def theirs() -> tuple[float, ...]:
            done = subprocess.run([peer, "client", str(port), str(ROUNDS)], capture_output=True, text=True, check=True)
            median, slow = map(float, done.stdout.split())
            return median / 1e3, slow / 1e3

        def ours() -> tuple[float, ...]:
            row = probe("pingpong", f"127.0.0.1:{port}", options={"rounds": str(ROUNDS)}, out=new(runs)).captures[0]
            return row.statistic("p50") / 1e6, row.statistic("p99_9") / 1e6

        told(("ping-pong, median us", "ping-pong, p99.9 us"), in_turns(turns, theirs, ours))


def _http(server: Path, turns: int, runs: Path) -> None:
    port = free_port()
    with running([str(server), str(port)], port):
        for connections in CONNECTIONS:

            def theirs(connections: int = connections) -> tuple[float, ...]:
                command = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", f"http://127.0.0.1:{port}/"]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
                assert found is not None, done.stdout
                return (float(found[1]),)

            def ours(connections: int = connections) -> tuple[float, ...]:
                options = {"requests": "10000000", "concurrency": str(connections), "keep_alive": "true"}
                done = probe("http", f"127.0.0.1:{port}", options=options, limit=f"{SECONDS} s", out=new(runs))
                figure = done.captures[0].target.figure
                assert figure is not None
                return (figure.value,)

            told((f"HTTP requests/s, {connections} connections",), in_turns(turns, theirs, ours))


def _bulk(turns: int, runs: Path) -> None:
    port = free_port()
    # A test connection would be one to it, and it takes one test at a time.
    with running(["iperf3", "-s", "-p", str(port)], None):
        for way, reverse in (("sending", False), ("receiving", True)):

            def theirs(reverse: bool = reverse) -> tuple[float, ...]:
                command = ["iperf3", "-c", "127.0.0.1", "-p", str(port), "-t", str(SECONDS), "-J"]
                before = processor_s(resource.RUSAGE_CHILDREN)
                done = subprocess.run([*command, *(["-R"] if reverse else [])], capture_output=True, check=True)
                used = processor_s(resource.RUSAGE_CHILDREN) - before
                sent = json.loads(done.stdout)["end"]["sum_received"]
                return sent["bits_per_second"] / 1e9, used / sent["bytes"] * 1e9

            def ours(reverse: bool = reverse) -> tuple[float, ...]:
                options = {"time": f"{SECONDS}s", "reverse": str(reverse).lower()}
                before = processor_s(resource.RUSAGE_SELF)
                done = probe("iperf3", f"127.0.0.1:{port}", options=options, limit=f"{SECONDS + 5} s", out=new(runs))
                used = processor_s(resource.RUSAGE_SELF) - before
                figure = done.captures[0].target.figure
                assert figure is not None
                return figure.value / 1e9, used / (figure.value * SECONDS / 8) * 1e9

            names = (f"bulk {way}, Gbit/s", f"bulk {way}, processor s/GB")
            told(names, in_turns(turns, theirs, ours))


def _bulk_of_iperf_2(turns: int, runs: Path) -> None:
    port = free_port()
    with running(["iperf", "-s", "-p", str(port)], None):
        for way, direction in (("sending", "send"), ("receiving", "reverse")):

            def theirs(direction: str = direction) -> tuple[float, ...]:
                command = ["iperf", "-c", "127.0.0.1", "-p", str(port), "-t", str(SECONDS), "-f", "m"]
                command += ["-R"] if direction == "reverse" else []
                before = processor_s(resource.RUSAGE_CHILDREN)
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                used = processor_s(resource.RUSAGE_CHILDREN) - before
                megabits = float(re.findall(r"([\d.]+) Mbits/sec", done.stdout)[-1])
                return megabits / 1e3, used / (megabits * 1e6 * SECONDS / 8) * 1e9

            def ours(direction: str = direction) -> tuple[float, ...]:
                options = {"time": f"{SECONDS}s", "direction": direction}
                before = processor_s(resource.RUSAGE_SELF)
                limit = f"{SECONDS + 5} s"
                done = probe("throughput", f"127.0.0.1:{port}", options=options, limit=limit, out=new(runs))
                used = processor_s(resource.RUSAGE_SELF) - before
                figure = done.captures[0].target.figure
                assert figure is not None
                return figure.value / 1e9, used / (figure.value * SECONDS / 8) * 1e9

            names = (f"iperf 2 {way}, Gbit/s", f"iperf 2 {way}, processor s/GB")
            told(names, in_turns(turns, theirs, ours))


def _open_loop(turns: int, runs: Path) -> None:
    port = free_port()
    shares = {"p95": 0.05, "p99": 0.01, "p99_9": 0.001}
    with running(
        [sys.executable, str(PEERS / "pausing_server.py"), str(port), str(PAUSE_S), str(PAUSES_EVERY_S)], port
    ):

        def expected() -> tuple[float, ...]:
            return tuple(1e3 * PAUSE_S * (1 - share * PAUSES_EVERY_S / PAUSE_S) for share in shares.values())

        def ours() -> tuple[float, ...]:
            options = {"requests": "10000000", "concurrency": "128", "keep_alive": "true", "rate": "500"}
            row = probe("http", f"127.0.0.1:{port}", options=options, limit="10 s", out=new(runs)).captures[0]
            return tuple(row.statistic(name) / 1e9 for name in shares)

        told(tuple(f"open loop, {name} ms" for name in shares), in_turns(turns, expected, ours))


def processor_s(whose: int) -> float:
    """The time of the processor so far, of this process or of its children that have ended."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def build(name: str, folder: Path) -> Path:
    """A peer of our own in C, compiled as a distribution would."""
    built = folder / name
    command = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]
    subprocess.run([*command, str(PEERS / f"{name}.c"), "-o", str(built)], check=True)
    return built


def in_turns(turns: int, *measured: Callable[[], tuple[float, ...]]) -> list[list[tuple[float, ...]]]:
    """Each once a turn, so that what disturbs the machine disturbs both."""
    found: list[list[tuple[float, ...]]] = [[] for _ in measured]
    for _ in range(turns):
        for place, measure in enumerate(measured):
            found[place].append(measure())
    return found


def told(names: tuple[str, ...], found: list[list[tuple[float, ...]]]) -> None:
    """A line for each figure: the peer's median, ours, and the median of the ratios of a turn."""
    theirs, ours = found
    for place, name in enumerate(names):
        ratios = [own[place] / other[place] for own, other in zip(ours, theirs, strict=True)]
        medians = [statistics.median(one[place] for one in side) for side in (theirs, ours)]
        print(f"{name:34} peer {medians[0]:12,.1f}  airwire {medians[1]:12,.1f}  ratio {statistics.median(ratios):.3f}")


def new(runs: Path) -> Path:
    """A run folder that is not there yet."""
    return runs / str(time.monotonic_ns())


def free_port() -> int:
    """A port that nobody has, a moment ago."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


@contextmanager
def running(command: list[str], port: int | None, environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """A server, from when it listens at a port; without one from a second after its start."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        if port is None:
            time.sleep(1)
        for _ in range(0 if port is None else 100):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
