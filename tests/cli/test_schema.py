"""``airwire schema``: what commands print and what run folders hold is as its schema says, by a validator of others."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import airwire as package
from airwire.cli.environment import environment
from airwire.synthetic import SlottedLink

Airwire = Callable[..., subprocess.CompletedProcess[str]]
SUITE = "samples = 100\npayloads = [12]\n[links.lora]\nsf = [7, 9]\n[links.uart]\n"


def schema_of(airwire: Airwire, name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(airwire("schema", name).stdout)
    return schema


def wrong_in(schema: dict[str, Any], content: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(content)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Captures, a run folder of them and one of a suite."""
    folder = tmp_path_factory.mktemp("made")
    SlottedLink(messages=300).write_csv(folder / "12B-slotted.csv")
    SlottedLink(messages=300, slot_ns=10_000_000, seed=8).write_csv(folder / "12B-faster.csv")
    (folder / "suite.toml").write_text(SUITE)
    package.run(folder / "suite.toml", out=folder / "run", environment=environment())
    package.analyze(folder / "12B-slotted.csv", out=folder / "captures", environment=environment())
    return folder


@pytest.fixture
def measured(made: Path, tmp_path: Path) -> Path:
    """The folder of the test with a copy of these."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


COMMANDS: dict[str, tuple[str, ...]] = {
    "analyze": ("analyze", "12B-slotted.csv", "no-such.csv"),
    "capture": (
        *("capture", "--instrument", "sigrok:demo", "--done", "D3", "--rate", "100kHz", "--samples", "10"),
        *("--out", "demo.csv"),
    ),
    "compare": ("compare", "12B-slotted.csv", "12B-faster.csv"),
    "run": ("run", "suite.toml", "--out", "again"),
    "sweep": ("sweep", "suite.toml", "--over", "sf=7,8", "--seeds", "2", "--out", "swept"),
    "explain": ("explain", "run"),
    "choose": ("choose", "--payload", "12B", "--p95", "100ms", "--link", "lora", "--link", "uart"),
    "links": ("links",),
    "link": ("link", "lora", "--payload", "12B"),
    "board-list": ("board", "list"),
    "board-check": ("board", "check", "pico"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_prints_is_as_its_schema_says(airwire: Airwire, measured: Path, name: str) -> None:
    printed = json.loads(airwire(*COMMANDS[name], "--json").stdout)
    schema = schema_of(airwire, name)
    assert wrong_in(schema, printed) == []
    missing = dict(list(printed.items())[:-1])
    assert wrong_in(schema, missing) != [], "a field that is missing is noticed"


def test_an_explained_capture_is_as_the_schema_says(airwire: Airwire, measured: Path) -> None:
    printed = json.loads(airwire("explain", "12B-slotted.csv", "--link", "lora", "--json").stdout)
    assert "capture" in printed
    assert wrong_in(schema_of(airwire, "explain"), printed) == []


def test_a_history_prints_what_its_schemas_say(airwire: Airwire, measured: Path) -> None:
    (measured / "slow.toml").write_text(SUITE.replace("uart]", "uart]\nbaud = 9600"))
    package.run(measured / "slow.toml", out=measured / "slow", environment=environment())
    rows = ("uart/12B", "--good", "fast", "--bad", "slow")
    for name, command in {
        "history-add": ("history", "add", "run", "--label", "fast"),
        "history-list": ("history", "list"),
        "history-trend": ("history", "trend", "uart/12B"),
        "history-first-bad": ("history", "first-bad", *rows),
    }.items():
        printed = json.loads(airwire(*command, "--json").stdout)
        assert wrong_in(schema_of(airwire, name), printed) == [], name
        if name == "history-add":
            airwire("history", "add", "slow", "--label", "slow")
    exported = airwire("history", "export", "all.json")
    assert (exported.returncode, json.loads((measured / "all.json").read_text())["schema"]) == (0, "airwire.history/1")


def test_boards_that_run_print_what_their_schemas_say(airwire: Airwire, images: Path) -> None:
    image = images / "hello_uart.elf"
    for name, command in {
        "board-run": ("board", "run", image, "--for", "1ms"),
        "board-profile": ("board", "profile", image, "--for", "1ms"),
        "board-settings": ("board", "settings", image),
    }.items():
        printed = json.loads(airwire(*command, "--json").stdout)
        assert wrong_in(schema_of(airwire, name), printed) == [], name


def test_rows_of_boards_are_as_the_schemas_say(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    suite = Path(__file__).resolve().parents[2] / "suites" / "published.toml"
    only = ("--only", "pingpong", "--only", "wifi-ping", "--only", "options-default", "--only", "ping-w5200")
    found = airwire("run", suite, "--firmware", firmware, *only, "--out", "boards", "--json")
    printed = json.loads(found.stdout)
    assert {row["measure"] for row in printed["boards"]} == {"messages", "latency", "bulk"}
    assert wrong_in(schema_of(airwire, "run"), printed) == []
    manifest = json.loads((tmp_path / "boards" / "manifest.json").read_text())
    assert wrong_in(schema_of(airwire, "manifest"), manifest) == []


@pytest.mark.parametrize("folder", ["run", "captures"])
def test_a_run_folder_is_as_the_schemas_say(airwire: Airwire, measured: Path, folder: str) -> None:
    for name in ("manifest", "environment"):
        content = json.loads((measured / folder / f"{name}.json").read_text())
        schema = schema_of(airwire, name)
        assert wrong_in(schema, content) == []
        del content["seed" if name == "manifest" else "run_id"]
        assert wrong_in(schema, content) != []


def test_a_folder_of_pages_is_as_its_schema_says(airwire: Airwire, tmp_path: Path) -> None:
    site = Path(__file__).resolve().parents[2] / "firmware" / "sites" / "demo"
    printed = json.loads(airwire("fsdata", site, "--out", "pages.c", "--json").stdout)
    assert wrong_in(schema_of(airwire, "fsdata"), printed) == []


def test_every_name_has_a_schema(airwire: Airwire) -> None:
    names = airwire("schema").stdout.split()
    assert {"suite", "board", "network", "manifest", "environment", *COMMANDS} <= set(names)
    from airwire.cli.schemas import schema_of as direct

    for name in names:
        Draft202012Validator.check_schema(direct(name))


def test_a_name_without_a_schema_is_refused_with_the_nearest(airwire: Airwire) -> None:
    refused = airwire("schema", "bord")
    assert refused.returncode == 2
    assert "there is no schema `bord`; the nearest is board" in " ".join(refused.stderr.split())
