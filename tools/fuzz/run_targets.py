"""Runs libFuzzer's targets, each for so many seconds of a processor, and goes on where it was interrupted.

As many run at once as there are processors. What each has done stands in a file of JSON: seconds, inputs, coverage and
the inputs that broke it. A target that was built anew begins anew, unless ``--across-builds`` is given: then its hours
add up. ``make fuzz-targets`` and ``make fuzz-firmware`` call it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

# An interruption loses no more than this.
SLICE_SECONDS = 120
# A part that takes less of a processor than this share of its time waits for something: it would never be done.
LEAST_SHARE = 0.01
_COVERAGE = re.compile(r"^#\d+\s+(?:DONE|INITED|NEW|REDUCE|pulse)\s+cov: (\d+)", re.MULTILINE)
_INPUTS = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)


class TargetError(Exception):
    """A target ended, or waited, and nothing was found that breaks it."""


@dataclass
class Done:
    """What a target has done since it was built, or by all builds."""

    program: str
    """The hash of the program that did it, or of the last one."""
    seconds: float = 0.0
    """Of a processor: beside other work an hour takes longer than an hour."""
    inputs: int = 0
    coverage: int = 0
    broken_by: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ran:
    """One run of a target."""

    code: int
    said: str
    seconds: float
    """Of a processor."""


def processor_seconds(usage: resource.struct_rusage) -> float:
    """What a program took of processors."""
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Target:
    """A target with its program and its folders."""

    name: str
    program: Path
    corpus: Path
    found: Path
    options: tuple[str, ...]

    def run(self, *arguments: str) -> Ran:
        """Run it once; what it says also goes to a file beside what it found."""
        command = [str(self.program), *self.options, *arguments]
        log = self.found / "log.txt"
        with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as ran:
            _, status, usage = os.wait4(ran.pid, 0)
            ran.returncode = os.waitstatus_to_exitcode(status)
        said = log.read_text(encoding="utf-8", errors="replace")
        return Ran(ran.returncode, said, processor_seconds(usage))

    def fuzz(self, seconds: int) -> Ran:
        """Fuzz for so long."""
        inputs = self.found / "inputs"
        inputs.mkdir(exist_ok=True)
        told = f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={self.found}/"
        return self.run(*told, str(inputs), str(self.corpus))

    def broke(self) -> list[str]:
        """The inputs that broke it."""
        names = ("crash-*", "timeout-*", "oom-*", "leak-*")
        return sorted(str(path) for name in names for path in self.found.glob(name))


class State:
    """What all targets have done, in a file."""

    def __init__(self, path: Path, across_builds: bool) -> None:
        """Read what was done before, if anything was. What earlier builds did may count."""
        self._path = path
        self._across_builds = across_builds
        self._lock = threading.Lock()
        texts = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        self._done = {name: Done(**one) for name, one in texts.items()}

    def of(self, target: Target) -> Done:
        """What a target has done; nothing if it was built anew since, and only this build counts."""
        program = hashlib.sha256(target.program.read_bytes()).hexdigest()
        with self._lock:
            done = self._done.get(target.name)
            if done is None or (done.program != program and not self._across_builds):
                done = self._done[target.name] = Done(program)
            done.program = program
            return done

    def keep(self) -> None:
        """Write it, whole or not at all."""
        beside = self._path.with_suffix(".new")
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({name: asdict(one) for name, one in self._done.items()}, indent=1)
            beside.write_text(text, encoding="utf-8")
            beside.replace(self._path)


def broken_still(target: Target) -> list[str]:
    """Inputs of earlier runs that still break it; those that do so no longer are removed."""
    still = []
    for path in target.broke():
        if target.run(path).code == 0:
            Path(path).unlink()
        else:
            still.append(path)
    return still


def run_target(target: Target, state: State, seconds: int) -> Done:
    """Fuzz a target until it has had its seconds, or something breaks it."""
    target.found.mkdir(parents=True, exist_ok=True)
    done = state.of(target)
    done.broken_by = broken_still(target)
    while seconds - done.seconds >= 1 and not done.broken_by:
        part = min(SLICE_SECONDS, math.ceil(seconds - done.seconds))
        ran = target.fuzz(part)
        inputs, coverage = _INPUTS.search(ran.said), _COVERAGE.findall(ran.said)
        done.inputs += int(inputs[1]) if inputs else 0
        done.coverage = int(coverage[-1]) if coverage else done.coverage
        done.broken_by = target.broke()
        if not done.broken_by and (ran.code != 0 or ran.seconds < LEAST_SHARE * part):
            raise TargetError(
                f"{target.program}: it ended with code {ran.code} after {ran.seconds:.1f} s of a processor, "
                f"and found nothing; see {target.found / 'log.txt'}"
            )
        done.seconds += ran.seconds if ran.code == 0 else 0
        state.keep()
        told = f"{target.name}: {done.seconds:.0f} of {seconds} s, {spaced(done.inputs)} inputs"
        print(told, file=sys.stderr, flush=True)
    state.keep()
    return done


def spaced(number: int) -> str:
    """A number with a space at each thousand."""
    return f"{number:,}".replace(",", " ")


def line_of(name: str, done: Done) -> str:
    """A line of the table on the page about fuzzing."""
    broken = ", ".join(done.broken_by) or "none"
    return f"| {name} | {done.seconds:.0f} | {spaced(done.inputs)} | {done.coverage} | {broken} |"


def has_failed(run: Future[Done]) -> bool:
    """Whether a target could not be run, which is told at once; the others go on."""
    error = run.exception()
    if error is None:
        return False
    if not isinstance(error, TargetError):
        raise error
    print(error, file=sys.stderr, flush=True)
    return True


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, required=True, help="of a processor, for each target, in all")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many targets run at once")
    parser.add_argument("--program", required=True, help="the path of a target's program, with {} for its name")
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--found", type=Path, required=True, help="the folder for what is found")
    parser.add_argument("--state", type=Path, required=True, help="the file that says what was done")
    parser.add_argument("--option", action="append", default=[], help="for libFuzzer, such as -max_len=4096")
    parser.add_argument("--across-builds", action="store_true", help="count what earlier builds of a target did")
    parser.add_argument("targets", nargs="+", metavar="TARGET[=CORPUS]")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run them all; 1 where something broke one."""
    told = parsed(arguments)
    state = State(told.state, told.across_builds)
    targets = []
    for text in told.targets:
        name, _, corpus = text.partition("=")
        program = Path(told.program.format(name))
        targets.append(Target(name, program, told.corpus / (corpus or name), told.found / name, tuple(told.option)))
    with ThreadPoolExecutor(told.workers) as pool:
        runs = {pool.submit(run_target, target, state, told.seconds): target for target in targets}
        try:
            failures = sum(has_failed(run) for run in as_completed(runs))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    print("| target | seconds | inputs | coverage (edges) | broken by |\n|---|--:|--:|--:|---|")
    done = {target.name: run.result() for run, target in runs.items() if run.exception() is None}
    for name, one in done.items():
        print(line_of(name, one))
    return int(failures > 0 or any(one.broken_by for one in done.values()))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("Stopped by Ctrl-C; the next run goes on from here.", file=sys.stderr)
        sys.exit(130)
