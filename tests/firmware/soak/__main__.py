"""``python -m soak``: soaks every transport, several at a time, and goes on where it was interrupted."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from airwire import AirwireError
from soak.cycles import BOARD, LOSS, AnotherSoakError, InterruptedSoakError, Kept, Soak, read_kept, run_soak
from soak.plan import BREADTHS, REPOSITORY

CYCLE_S = 20 * 60
HOUR_S = 3600
IMAGES = REPOSITORY / "build" / "firmware" / BOARD
INTERRUPTED = 130


def main() -> int:
    """Run it; 0 where nothing was wrong, 1 where something was, 130 after Ctrl-C."""
    arguments = _parser().parse_args()
    try:
        return _soak_one(arguments) if arguments.only else _soak_all(arguments)
    except (AirwireError, AnotherSoakError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (InterruptedSoakError, KeyboardInterrupt):
        print("stopped; the same command goes on from the last snapshot", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=24, help="virtual time of each transport (default 24)")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "runs" / "soak", help="the folder to keep it in")
    parser.add_argument("--seed", type=int, default=1, help="decides sizes, times and losses (default 1)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="transports at a time (default: all cores)"
    )
    parser.add_argument("--only", choices=sorted(BREADTHS), help="one transport, in this process")
    return parser


def _soak_of(arguments: argparse.Namespace, transport: str) -> Soak:
    image = IMAGES / f"mixed_server-{transport}.elf"
    if not image.is_file():
        raise AirwireError(f"{image} is not there: build it with make firmware")
    return Soak(image, transport, max(1, round(arguments.hours * HOUR_S / CYCLE_S)), CYCLE_S, arguments.seed)


def _soak_one(arguments: argparse.Namespace) -> int:
    soak = _soak_of(arguments, arguments.only)
    kept = run_soak(soak, arguments.out / arguments.only, lambda line: print(line, flush=True))
    return 1 if kept.wrong else 0


def _soak_all(arguments: argparse.Namespace) -> int:
    begun = time.monotonic()
    soaks = {transport: _soak_of(arguments, transport) for transport in BREADTHS}
    statuses = _run_processes(arguments, list(soaks))
    kept = {transport: read_kept(soak, arguments.out / transport) for transport, soak in soaks.items()}
    _write_results(arguments, kept)
    for transport, of_one in kept.items():
        print(f"{transport}: {_summary(of_one)}")
    print(f"{time.monotonic() - begun:.0f} s of wall time; {arguments.out / 'soak.json'}, {arguments.out / 'soak.svg'}")
    return max(statuses)


def _run_processes(arguments: argparse.Namespace, transports: list[str]) -> list[int]:
    """Each transport in a process; Ctrl-C reaches all of them, and this one waits until they have stopped."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    waiting = list(transports)
    running: list[subprocess.Popen[bytes]] = []
    statuses: list[int] = []
    try:
        while waiting or running:
            while waiting and len(running) < max(arguments.jobs, 1) and INTERRUPTED not in statuses:
                running.append(_start(arguments, waiting.pop(0)))
            statuses.append(running.pop(0).wait())
            if INTERRUPTED in statuses:
                waiting.clear()
    finally:
        signal.signal(signal.SIGINT, before)
    return statuses


def _start(arguments: argparse.Namespace, transport: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "soak", "--only", transport, "--hours", str(arguments.hours)]
    command += ["--out", str(arguments.out), "--seed", str(arguments.seed)]
    return subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def _summary(kept: Kept) -> str:
    moved = sum(cycle.bytes_moved for cycle in kept.cycles)
    pages = sum(cycle.pages for cycle in kept.cycles)
    hours = kept.cycles[-1].end_s / HOUR_S if kept.cycles else 0
    verdict = "; ".join(kept.wrong) or "nothing was lost, wrong or leaked"
    return f"{hours:.1f} h, {moved / 1e6:.0f} MB, {pages} pages: {verdict}"


def _write_results(arguments: argparse.Namespace, kept: dict[str, Kept]) -> None:
    from soak.picture import draw

    content = {
        "schema": "airwire.soak/1",
        "board": BOARD,
        "impairments": LOSS,
        "seed": arguments.seed,
        "transports": {
            transport: {
                "hours": of_one.cycles[-1].end_s / HOUR_S if of_one.cycles else 0,
                "cycles": len(of_one.cycles),
                "bytes_moved": sum(cycle.bytes_moved for cycle in of_one.cycles),
                "pages": sum(cycle.pages for cycle in of_one.cycles),
                "failed_in_rough_slots": sum(cycle.failed_in_rough_slot for cycle in of_one.cycles),
                "pools_at_start": of_one.start_pools,
                "pools_at_end": of_one.cycles[-1].pools if of_one.cycles else {},
                "wall_s": round(sum(cycle.wall_s for cycle in of_one.cycles), 1),
                "wrong": of_one.wrong,
            }
            for transport, of_one in kept.items()
        },
    }
    (arguments.out / "soak.json").write_text(json.dumps(content, indent=1) + "\n")
    if any(of_one.cycles for of_one in kept.values()):
        draw(kept, arguments.out / "soak.svg")


if __name__ == "__main__":
    sys.exit(main())
