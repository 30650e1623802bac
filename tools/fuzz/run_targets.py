"""Runs libFuzzer's targets one after the other, each for so many seconds, and goes on where it was interrupted.

What each has done stands in a file of JSON: seconds, inputs, coverage and the inputs that broke it. A target that was
built anew begins anew. ``make fuzz-targets`` and ``make fuzz-firmware`` call it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

# An interruption loses no more than this.
SLICE_SECONDS = 120
_COVERAGE = re.compile(r"^#\d+\s+(?:DONE|INITED|NEW|REDUCE|pulse)\s+cov: (\d+)", re.MULTILINE)
_INPUTS = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)


@dataclass
class Done:
    """What a target has done since it was built."""

    program: str
    """The hash of the program that did it."""
    seconds: int = 0
    inputs: int = 0
    coverage: int = 0
    broken_by: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Target:
    """A target with its program and its folders."""

    name: str
    program: Path
    corpus: Path
    found: Path
    options: tuple[str, ...]

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run it once; its exit code and what it said, which also goes to a file beside what it found."""
        command = [str(self.program), *self.options, *arguments]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        (self.found / "log.txt").write_text(ran.stdout, encoding="utf-8")
        return ran.returncode, ran.stdout

    def fuzz(self, seconds: int) -> tuple[int, str]:
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

    def __init__(self, path: Path) -> None:
        """Read what was done before, if anything was."""
        self._path = path
        texts = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        self._done = {name: Done(**one) for name, one in texts.items()}

    def of(self, target: Target) -> Done:
        """What a target has done; nothing if it was built anew since."""
        program = hashlib.sha256(target.program.read_bytes()).hexdigest()
        if target.name not in self._done or self._done[target.name].program != program:
            self._done[target.name] = Done(program)
        return self._done[target.name]

    def keep(self) -> None:
        """Write it, whole or not at all."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside = self._path.with_suffix(".new")
        beside.write_text(
            json.dumps({name: asdict(one) for name, one in self._done.items()}, indent=1), encoding="utf-8"
        )
        beside.replace(self._path)


def broken_still(target: Target) -> list[str]:
    """Inputs of earlier runs that still break it; those that do so no longer are removed."""
    still = []
    for path in target.broke():
        code, _ = target.run(path)
        if code == 0:
            Path(path).unlink()
        else:
            still.append(path)
    return still


def run_target(target: Target, state: State, seconds: int) -> Done:
    """Fuzz a target until it has had its seconds, or something breaks it."""
    target.found.mkdir(parents=True, exist_ok=True)
    done = state.of(target)
    done.broken_by = broken_still(target)
    while done.seconds < seconds and not done.broken_by:
        part = min(SLICE_SECONDS, seconds - done.seconds)
        code, said = target.fuzz(part)
        inputs, coverage = _INPUTS.search(said), _COVERAGE.findall(said)
        done.inputs += int(inputs[1]) if inputs else 0
        done.coverage = int(coverage[-1]) if coverage else done.coverage
        done.broken_by = target.broke()
        if code != 0 and not done.broken_by:
            sys.exit(f"{target.program}: it ended with code {code}, and found nothing; see {target.found / 'log.txt'}")
        done.seconds += part if code == 0 else 0
        state.keep()
    state.keep()
    return done


def line_of(name: str, done: Done) -> str:
    """A line of the table on the page about fuzzing."""
    broken = ", ".join(done.broken_by) or "none"
    spaced = f"{done.inputs:,}".replace(",", " ")
    return f"| {name} | {done.seconds} | {spaced} | {done.coverage} | {broken} |"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, required=True, help="for each target, in all")
    parser.add_argument("--program", required=True, help="the path of a target's program, with {} for its name")
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--found", type=Path, required=True, help="the folder for what is found")
    parser.add_argument("--state", type=Path, required=True, help="the file that says what was done")
    parser.add_argument("--option", action="append", default=[], help="for libFuzzer, such as -max_len=4096")
    parser.add_argument("targets", nargs="+", metavar="TARGET[=CORPUS]")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run them all; 1 where something broke one."""
    told = parsed(arguments)
    state = State(told.state)
    is_broken = False
    print("| target | seconds | inputs | coverage (edges) | broken by |\n|---|--:|--:|--:|---|", flush=True)
    for text in told.targets:
        name, _, corpus = text.partition("=")
        program = Path(told.program.format(name))
        target = Target(name, program, told.corpus / (corpus or name), told.found / name, tuple(told.option))
        done = run_target(target, state, told.seconds)
        print(line_of(name, done), flush=True)
        is_broken |= bool(done.broken_by)
    return int(is_broken)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("Stopped by Ctrl-C; the next run goes on from here.", file=sys.stderr)
        sys.exit(130)
