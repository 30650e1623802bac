"""One direction of dependency: which crate and which Python module may import which, and nothing else."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "python" / "airwire"

# ARCHITECTURE.md draws the same; a crate that is not listed here may use nothing of ours.
CRATES = {
    "units": set(),
    "files": set(),
    "capture": {"units", "files"},
    "stats": {"units"},
    "sim": {"units"},
    "links": {"units", "sim"},
    "mcu": {"units", "sim"},
    "traffic": {"units"},
    "wiznet": {"units", "sim"},
    "ethernet": {"units", "sim"},
    "testbench": {"units", "files", "capture", "stats", "sim", "links", "mcu", "traffic", "wiznet", "ethernet"},
    "py": {"units", "capture", "stats", "links", "testbench", "wiznet"},
}

# By module below `airwire`; a package stands for all its modules and may import itself.
MODULES: dict[str, set[str]] = {
    "": {
        "_core",
        "bench",
        "board",
        "captures",
        "catalogue",
        "explain",
        "link_model",
        "model",
        "report",
        "selection",
        "spi_controller",
        "validation",
    },
    "board": {
        "_core",
        "board_catalogue",
        "board_devices",
        "board_memory",
        "board_model",
        "board_pins",
        "board_recordings",
        "board_settings",
        "catalogue",
        "network",
    },
    "board_catalogue": {"_core", "board_model"},
    "board_devices": {"_core", "board_model"},
    "board_recordings": {"_core", "board_model"},
    "board_memory": {"_core"},
    "board_pins": {"_core"},
    "board_settings": {"_core", "board_model", "catalogue", "outputs"},
    "board_row": set(),
    "network": {"_core", "board_model"},
    "board_model": set(),
    "spi_controller": {"_core"},
    "model": {"board_row", "link_model"},
    "link_model": set(),
    "outputs": set(),
    "synthetic": {"outputs"},
    "fsdata": {"_core", "board_catalogue", "outputs"},
    "catalogue": {"_core", "link_model"},
    "run_folder": {"_core", "board_row", "catalogue", "link_model"},
    "explain": {"_core", "board_row", "catalogue", "link_model", "model", "outputs"},
    "results": {"_core", "explain", "model"},
    "captures": {"_core", "model", "explain", "results", "run_folder"},
    "bench": {"_core", "board_row", "catalogue", "link_model", "model", "results", "run_folder"},
    "selection": {"_core", "bench", "catalogue", "explain", "link_model"},
    "validation": {"_core", "link_model"},
    "report": {"_core", "board_row", "explain", "link_model", "model", "outputs"},
    "cli": {
        "",
        "_core",
        "bench",
        "board",
        "board_model",
        "board_row",
        "captures",
        "catalogue",
        "explain",
        "fsdata",
        "link_model",
        "model",
        "network",
        "outputs",
        "report",
        "selection",
        "validation",
    },
}


def _crate_edges() -> dict[str, set[str]]:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout)
    edges = {}
    for package in metadata["packages"]:
        ours = {d["name"].removeprefix("airwire-") for d in package["dependencies"] if d["name"].startswith("airwire-")}
        edges[package["name"].removeprefix("airwire-")] = ours
    return edges


def test_crates_use_only_what_the_architecture_lists() -> None:
    edges = _crate_edges()
    assert set(edges) == set(CRATES), "list a new crate here and in ARCHITECTURE.md"
    unlisted = {(crate, used) for crate, uses in edges.items() for used in uses - CRATES[crate]}
    assert not unlisted


def _part(module: str) -> str:
    """The part of the package that a dotted module belongs to: `airwire.cli.tables` to `cli`."""
    return module.removeprefix("airwire").lstrip(".").split(".")[0]


def _imports(file: Path) -> set[str]:
    imported = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "airwire":
            if node.module == "airwire":
                imported |= {_part(f"airwire.{alias.name}") for alias in node.names}
            else:
                imported.add(_part(node.module))
        elif isinstance(node, ast.Import):
            imported |= {_part(alias.name) for alias in node.names if alias.name.split(".")[0] == "airwire"}
    return imported


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_python_modules_import_only_what_the_architecture_lists(file: Path) -> None:
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    own = "" if parts == ("__init__",) else parts[0]
    assert own in MODULES, "list a new module here and in ARCHITECTURE.md"
    unlisted = _imports(file) - MODULES[own] - {own}
    assert not unlisted


def test_nothing_heavy_is_imported_before_the_command_is_known() -> None:
    probe = "import sys, airwire.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"polars", "vl_convert", "airwire._core", "airwire.captures", "airwire.report"}
    assert not heavy & set(loaded)
