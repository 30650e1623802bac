"""The steps of the composite action: install Airwire, run a suite, and tell the job what was measured.

    python gate.py install        reads AIRWIRE_VERSION
    python gate.py run            reads AIRWIRE_SUITE, AIRWIRE_IMAGE, AIRWIRE_BASELINE and AIRWIRE_SLOWER_THAN

Only Python's own library is used, and Airwire by its command line and its JSON, so that any version of it will do. The
exit code is that of Airwire: 0, 1 where a bound is broken or a row is slower than the baseline, 2 for bad input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RUN = Path("airwire-run")
REPORT = Path("airwire-report.html")
BAD_INPUT = 2
Environment = Mapping[str, str]


def main(step: str, environment: Environment) -> int:
    """One step of the action."""
    steps = {"install": install, "run": run}
    return steps[step](environment)


def install(environment: Environment) -> int:
    """Install a version, or a wheel that was built before; a pattern must fit one file."""
    wanted = environment.get("AIRWIRE_VERSION", "").strip()
    requirement = f"airwire=={wanted}" if wanted else "airwire"
    if wanted.endswith(".whl"):
        found = sorted(Path().glob(wanted)) if not Path(wanted).is_absolute() else [Path(wanted)]
        if len(found) != 1:
            return refuse(f"version is {wanted}, which {len(found)} files fit; name one wheel")
        requirement = str(found[0])
    return subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", requirement], check=False).returncode


def run(environment: Environment) -> int:
    """Run the suite, compare it with the baseline, write the job's summary and its annotations."""
    image, baseline = environment.get("AIRWIRE_IMAGE", ""), environment.get("AIRWIRE_BASELINE", "")
    if image and not Path(image).exists():
        return refuse(f"image is {image}, but there is no such file; build the firmware before this step")
    command = ["run", environment["AIRWIRE_SUITE"], "--out", str(RUN), "--report", str(REPORT), "--json"]
    if image:
        command += ["--firmware", image if Path(image).is_dir() else str(Path(image).parent)]
    done = airwire(command)
    if not done.stdout:
        return refuse(done.stderr.strip() or "the suite could not be run", done.returncode)
    sys.stderr.write(done.stderr)
    measured = json.loads(done.stdout)
    told = [summary(measured)]
    for sentence in broken(measured):
        print(f"::error title=Airwire::{escaped(sentence)}")
    code = done.returncode
    if baseline:
        compared = airwire(
            ["compare", baseline, str(RUN), "--slower-than", environment["AIRWIRE_SLOWER_THAN"], "--json"]
        )
        for line in compared.stderr.splitlines():
            print(f"::error title=Airwire::{escaped(line.removeprefix('airwire: '))}")
        if compared.stdout:
            told.append(comparison(json.loads(compared.stdout)))
        code = max(code, compared.returncode)
    append(environment.get("GITHUB_STEP_SUMMARY"), "\n".join(told))
    append(environment.get("GITHUB_OUTPUT"), f"run={RUN}\nreport={REPORT}\n")
    return code


def airwire(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The command line of Airwire, in this process's Python."""
    command = [sys.executable, "-m", "airwire.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def broken(measured: Mapping[str, Any]) -> list[str]:
    """A sentence for each bound that is broken, and for each row without a figure."""
    without = [f"{row['row']}: no figure: {row['problem']}" for row in measured["boards"] if row["figure"] is None]
    return [*without, *(bound["sentence"] for bound in measured["bounds"] if not bound["holds"])]


def summary(measured: Mapping[str, Any]) -> str:
    """The job's summary in Markdown: what is broken, then the bounds, then why each row takes what it takes."""
    wrong = broken(measured)
    bounds = measured["bounds"]
    lines = [
        "## Airwire",
        "",
        f"{len(bounds) - sum(not one['holds'] for one in bounds)} of {len(bounds)} bounds hold.",
        "",
    ]
    lines += [f"- :x: {cell(sentence)}" for sentence in wrong]
    if bounds:
        lines += ["", "| row | bound | measured | holds |", "|---|---|--:|---|"]
        lines += [
            f"| {cell(one['row'])} | {one['quantity']} {one['relation']} {shown(one['limit'], one['unit'])} "
            f"| {shown(one['measured'], one['unit'])} | {'yes' if one['holds'] else '**no**'} |"
            for one in bounds
        ]
    verdicts = [(row["row"], row["verdict"]) for row in measured["boards"]]
    if verdicts:
        lines += ["", "<details><summary>Where the time goes</summary>", ""]
        lines += [f"- **{cell(row)}**: {cell(verdict)}" for row, verdict in verdicts]
        lines += ["", "</details>"]
    return "\n".join([*lines, "", "Measured on virtual boards in virtual time.", ""])


def comparison(compared: Mapping[str, Any]) -> str:
    """The rows that have become slower or faster than those of the baseline, in Markdown."""
    changed = [row for row in compared["rows"] if row["shift"] != "same"]
    if not changed:
        return "No row differs from the baseline.\n"
    lines = ["### Against the baseline", "", "| row | before | after | slower by | change |", "|---|--:|--:|--:|---|"]
    for row in changed:
        before, after = (shown(row[name], row["unit"]) for name in ("before", "after"))
        slower = "" if row["slower"] is None else f"{100 * row['slower']:+.2f} %"
        shift = row["shift"].replace("_", " ")
        shift = f"**{shift}**" if row["fails"] else shift
        lines.append(f"| {cell(row['row'])} | {before} | {after} | {slower} | {shift} |")
    return "\n".join([*lines, ""])


def shown(value: float | None, unit: str) -> str:
    """A figure in a table."""
    if value is None:
        return "none"
    if unit == "ps":
        scale, name = next(((s, n) for s, n in ((1e12, "s"), (1e9, "ms"), (1e6, "us")) if value >= s), (1e3, "ns"))
        return f"{value / scale:.5g} {name}"
    if unit == "1":
        return f"{100 * value:.4g} %"
    if unit == "bit/s":
        scale, name = next(((s, n) for s, n in ((1e6, "Mbit/s"), (1e3, "kbit/s")) if value >= s), (1.0, unit))
        return f"{value / scale:.4g} {name}"
    return f"{value:,.0f} {unit}".replace(",", " ") if value >= 1000 or unit == "B" else f"{value:.4g} {unit}"


def cell(text: str) -> str:
    """A text that breaks neither a table nor a list."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def escaped(message: str) -> str:
    """A message as workflow commands take it."""
    return message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def append(file: str | None, text: str) -> None:
    """Add to one of the files that a runner gives; elsewhere to standard output."""
    if file is None:
        print(text)
        return
    with Path(file).open("a", encoding="utf-8") as opened:
        opened.write(text + "\n")


def refuse(sentence: str, code: int = BAD_INPUT) -> int:
    """Say in the job's log and as an annotation what cannot be used."""
    sentence = sentence.removeprefix("airwire: ")
    print(f"::error title=Airwire::{escaped(sentence)}")
    print(f"gate: {sentence}", file=sys.stderr)
    return code or BAD_INPUT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], os.environ))
