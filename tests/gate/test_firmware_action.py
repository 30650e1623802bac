"""The composite action: its description is a right one, and its steps do on this machine what they do in a job."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ACTION = REPOSITORY / ".github" / "actions" / "firmware-gate"
GATE = ACTION / "gate.py"
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
SUITE = """
[boards.fast]
firmware = "wiznet_settings.elf"
settings = { interrupts = true, rounds = 200 }
skip = 1
[boards.fast.bounds]
messages_per_second = ">= 1000"
ram = "<= 64 KiB"
[boards.slow]
same_but = "fast"
settings = { spi_hz = "200 kHz" }
"""


def step(folder: Path, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """One step as a runner starts it, with its files for the summary and the outputs."""
    environment = {
        **os.environ,
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "outputs"),
        "AIRWIRE_SLOWER_THAN": "5%",
        **inputs,
    }
    return subprocess.run(
        [sys.executable, str(GATE), name], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def summary(folder: Path) -> str:
    return (folder / "summary.md").read_text(encoding="utf-8")


def suite(folder: Path, text: str = SUITE) -> str:
    (folder / "gate.toml").write_text(text)
    return "gate.toml"


def test_an_image_that_keeps_its_bounds_passes(images: Path, tmp_path: Path) -> None:
    done = step(tmp_path, "run", AIRWIRE_SUITE=suite(tmp_path), AIRWIRE_IMAGE=str(images / "wiznet_settings.elf"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "::error" not in done.stdout
    assert "2 of 2 bounds hold." in summary(tmp_path)
    assert re.search(
        r"\| fast \| messages_per_second >= 1 000 messages/s \| [\d ]+ messages/s \| yes \|", summary(tmp_path)
    )
    assert re.search(r"\| fast \| ram <= 65 536 B \| [\d ]+ B \| yes \|", summary(tmp_path))
    assert "- **slow**: " in summary(tmp_path)
    outputs = dict(line.split("=") for line in (tmp_path / "outputs").read_text().split())
    assert json.loads((tmp_path / outputs["run"] / "manifest.json").read_text())["suite"]["name"] == "gate"
    assert "<html" in (tmp_path / outputs["report"]).read_text(encoding="utf-8")


def test_an_image_that_breaks_a_bound_fails_the_job_and_says_why(images: Path, tmp_path: Path) -> None:
    broken = suite(tmp_path, SUITE.replace("true", "false").replace("rounds = 200", "rounds = 50, poll_ms = 20"))
    done = step(tmp_path, "run", AIRWIRE_SUITE=broken, AIRWIRE_IMAGE=str(images))
    assert done.returncode == 1
    (error,) = (line for line in done.stdout.splitlines() if line.startswith("::error"))
    assert error.startswith("::error title=Airwire::fast: messages_per_second >= 1000 messages/s is broken: ")
    assert " %25 waits for a poll every 20 ms: " in error, "a per cent sign is written as workflow commands take it"
    assert "1 of 2 bounds hold." in summary(tmp_path)
    assert "- :x: fast: messages_per_second >= 1000 messages/s is broken: " in summary(tmp_path)
    assert "| **no** |" in summary(tmp_path)


def test_a_row_that_is_slower_than_the_baseline_fails_the_job(images: Path, tmp_path: Path) -> None:
    inputs = {"AIRWIRE_SUITE": suite(tmp_path), "AIRWIRE_IMAGE": str(images)}
    assert step(tmp_path, "run", **inputs).returncode == 0
    (tmp_path / "airwire-run").rename(tmp_path / "main")
    suite(tmp_path, SUITE.replace("rounds = 200", "rounds = 200, spi_hz = '8 MHz'"))
    done = step(tmp_path, "run", **inputs, AIRWIRE_BASELINE="main")
    assert done.returncode == 1
    assert re.search(
        r"^::error title=Airwire::fast is slower by \d+ %25, more than 5 %25: .+ takes [\d.]+ us more$",
        done.stdout,
        re.MULTILINE,
    )
    assert "### Against the baseline" in summary(tmp_path)
    assert re.search(
        r"\| fast \| [\d ]+ messages/s \| [\d ]+ messages/s \| \+[\d.]+ % \| \*\*slower\*\* \|", summary(tmp_path)
    )


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"AIRWIRE_IMAGE": "nothing.elf"}, "image is nothing.elf, but there is no such file; build the firmware"),
        ({"AIRWIRE_SUITE": "nothing.toml"}, "nothing.toml: cannot read this suite"),
        ({}, "gate.toml:2: boards.fast.firmware: wiznet_settings.elf is not in "),
    ],
)
def test_what_cannot_be_used_is_one_sentence(tmp_path: Path, inputs: dict[str, str], says: str) -> None:
    done = step(tmp_path, "run", **{"AIRWIRE_SUITE": suite(tmp_path), **inputs})
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("::error title=Airwire::")


@pytest.mark.parametrize(
    ("version", "installs"),
    [("", "airwire"), ("0.2.0", "airwire==0.2.0"), ("dist/*.whl", "dist/airwire-0.2.0-cp311-abi3-any.whl")],
)
def test_a_version_or_a_wheel_is_installed(tmp_path: Path, version: str, installs: str) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "airwire-0.2.0-cp311-abi3-any.whl").touch()
    # Nothing is installed: a stand-in for pip says what it was asked for.
    (tmp_path / "pip.py").write_text("import sys; print(sys.argv[1:])")
    done = step(tmp_path, "install", AIRWIRE_VERSION=version, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout.strip()) == (0, str(["install", "--quiet", installs]))


def test_a_pattern_that_fits_no_wheel_is_refused(tmp_path: Path) -> None:
    done = step(tmp_path, "install", AIRWIRE_VERSION="dist/*.whl")
    assert (done.returncode, done.stderr) == (2, "gate: version is dist/*.whl, which 0 files fit; name one wheel\n")


@pytest.mark.parametrize("file", [ACTION / "action.yml", *WORKFLOWS], ids=lambda file: file.name)
def test_actions_and_workflows_are_as_their_schemas_say(file: Path) -> None:
    if find_spec("check_jsonschema") is None:
        pytest.skip("check-jsonschema is not installed: make test installs it")
    kind = "actions" if file.name == "action.yml" else "workflows"
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.github-{kind}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_action_gives_its_steps_every_input_as_an_environment_variable() -> None:
    text = (ACTION / "action.yml").read_text(encoding="utf-8")
    run_lines = re.findall(r"^ +run: (.*)$", text, re.MULTILINE)
    assert run_lines and not any("${{" in line for line in run_lines), "an input in a script would be run as one"
    read = set(re.findall(r'"(AIRWIRE_\w+)"', GATE.read_text(encoding="utf-8")))
    assert read == set(re.findall(r"^ +(AIRWIRE_\w+): ", text, re.MULTILINE))


def test_the_step_needs_no_package_but_airwire() -> None:
    imported = re.findall(r"^(?:import|from) (\w+)", GATE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(imported) <= sys.stdlib_module_names


def test_figures_of_a_summary_are_in_readable_units() -> None:
    shown = runpy.run_path(str(GATE))["shown"]
    figures: list[tuple[float | None, str]] = [
        (1.5e9, "ps"),
        (None, "ps"),
        (0.0012, "1"),
        (2.5e6, "bit/s"),
        (70000, "B"),
    ]
    assert [shown(*figure) for figure in figures] == ["1.5 ms", "none", "0.12 %", "2.5 Mbit/s", "70 000 B"]
