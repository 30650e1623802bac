"""One case, run so many times in the namespace that the process is in."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from airwire import _core
from airwire.explain.address.run import address_verdict, outside_verdicts
from airwire.explain.verdict import Verdict
from airwire.model import rows_of_addresses
from airwire.runs.probe import probe
from benches.outside.boards import TAP, is_built, served
from benches.outside.cases import Case
from benches.outside.wire import FAR, NEAR, forward, tap

_PEERS = Path(__file__).resolve().parents[2] / "tests" / "outside_peers.py"
_LONGEST_START_S = 20.0


def run_case(case: Case, runs: int) -> None:
    """Prints a row of the table."""
    subprocess.run(["ip", "link", "set", "lo", "up", "mtu", "1500"], check=True)
    program = _interpreter(case)
    lacks = "MicroPython is not installed" if program is None else ""
    if case.is_board and not is_built(case):
        lacks = "its image is not built: make firmware"
    if program is None or lacks:
        print(f"| {case.name} | left out: {lacks} | | | |", flush=True)
        return
    by_samples: Counter[str] = Counter()
    by_packets: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, _peer([*program, str(_PEERS)], case) as address:
        for number in range(runs):
            alone, with_packets = run_once(case, address, Path(folder) / str(number))
            by_samples[alone] += 1
            by_packets[with_packets] += 1
    packets_right = case.right if case.packets is None else case.packets
    cells = [_cell(by_samples, case.right, runs), _cell(by_packets, packets_right, runs)]
    print(f"| {case.name} | {' | '.join(cells)} |", flush=True)


def run_once(case: Case, address: str, folder: Path) -> tuple[str, str]:
    """The kinds of the first verdict from the samples alone and with packets; ``-`` where no cause is named."""
    with _recorded(folder.with_suffix(".pcapng"), _interface(case), case.port) as recording:
        analysis = probe(
            case.probe,
            f"{address}:{case.port}",
            options=case.options,
            samples=case.samples,
            limit=case.limit,
            out=folder,
        )
    (row,) = rows_of_addresses(analysis)
    if row.target.figure is None:
        return (f"no figure: {address_verdict(row).line}",) * 2
    packets = _core.packet_report(recording, address) if recording.exists() else None
    return _first(outside_verdicts(row)), _first(outside_verdicts(row, packets))


def _interface(case: Case) -> str:
    if case.is_board:
        return TAP
    return "wire" if case.wire else "lo"


def _first(verdicts: Sequence[Verdict]) -> str:
    return verdicts[0].kind if verdicts else "-"


def _cell(counts: Counter[str], right: frozenset[str], runs: int) -> str:
    named = sum(counts[kind] for kind in right or {"-"})
    said = ", ".join(f"{kind} {number}" for kind, number in counts.most_common())
    return f"{said} | {named} of {runs}"


def _interpreter(case: Case) -> list[str] | None:
    if not case.micropython:
        return [sys.executable]
    beside = Path(sys.executable).parent / "micropython"
    return [str(beside)] if beside.exists() else None


@contextmanager
def _peer(program: Sequence[str], case: Case) -> Iterator[str]:
    """The peer; gives its address."""
    if case.is_board:
        with served(case) as board:
            _await(board, case.port)
            yield board
        return
    command = [*program, case.peer, str(case.port), str(case.ms)]
    address = FAR if case.wire else "127.0.0.1"
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if case.wire:
        ends = [str(far.fileno()), *map(str, case.wire), *command]
        command = ["unshare", "--net", sys.executable, "-m", "benches.outside.wire", *ends]
        threading.Thread(target=forward, args=(tap(NEAR), near, 0.0, 0.0, 0.0), daemon=True).start()
    process = subprocess.Popen(command, pass_fds=[far.fileno()])
    far.close()
    try:
        _await(address, case.port)
        yield address
    finally:
        process.kill()
        process.wait()


def _await(address: str, port: int) -> None:
    end = time.monotonic() + _LONGEST_START_S
    while time.monotonic() < end:
        with socket.socket() as asked:
            asked.settimeout(1)
            if asked.connect_ex((address, port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"no peer at {address} within {_LONGEST_START_S:.0f} s")


@contextmanager
def _recorded(file: Path, interface: str, port: int) -> Iterator[Path]:
    program = shutil.which("dumpcap")
    if program is None:
        yield file
        return
    recorder = subprocess.Popen(
        [program, "-q", "-i", interface, "-s", "100", "-f", f"tcp port {port}", "-w", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(0.4)
        yield file
        time.sleep(0.3)
    finally:
        recorder.send_signal(signal.SIGINT)
        recorder.wait(10)
