"""One direction of dependency: which crate and which Python module may import which, and nothing else."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Collection
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "python" / "airwire"

# ARCHITECTURE.md draws the same; a crate that is not listed here may use nothing of ours.
CRATES = {
    "units": set(),
    "testing": {"units", "mcu"},
    "files": set(),
    "capture": {"units", "files"},
    "stats": {"units"},
    "packets": set(),
    "sim": {"units"},
    "fields": {"units"},
    "record": {"units", "files", "stats", "sim"},
    "links": {"units", "sim", "fields"},
    "usb-host": {"units"},
    "mcu": {"units"},
    "cortexm": {"units", "sim", "mcu"},
    "rp2040": {"units", "sim", "mcu", "cortexm", "usb-host"},
    "avr": {"units", "mcu"},
    "rtt": {"units", "mcu"},
    "traffic": {"units", "fields"},
    "wiznet": {"units", "sim"},
    "cyw43": {"units", "sim"},
    "ethernet": {"units", "sim", "fields"},
    "lan": {"units", "sim", "fields", "files", "stats", "links", "traffic", "wiznet", "cyw43", "ethernet"},
    "board": {
        "avr",
        "units",
        "files",
        "capture",
        "sim",
        "fields",
        "record",
        "cyw43",
        "lan",
        "mcu",
        "rp2040",
        "rtt",
        "traffic",
        "wiznet",
        "ethernet",
    },
    "attribution": {"units", "sim", "record", "lan", "mcu", "wiznet", "ethernet"},
    "bench": {
        "units",
        "files",
        "capture",
        "stats",
        "sim",
        "fields",
        "record",
        "links",
        "mcu",
        "traffic",
        "wiznet",
        "ethernet",
        "lan",
        "board",
        "attribution",
    },
    "py": {
        "units",
        "files",
        "fields",
        "capture",
        "stats",
        "packets",
        "record",
        "links",
        "lan",
        "board",
        "bench",
        "wiznet",
    },
}

# By package below `airwire`, and the modules beside them; all may use `kinds`. No two of them use each other.
PACKAGES: dict[str, set[str]] = {
    "": {
        "_core",
        "board",
        "bounds",
        "capture",
        "diagnosis",
        "explain",
        "link",
        "model",
        "report",
        "runs",
        "shown",
        "stage",
        "values",
    },
    "values": {"_core"},
    "shown": {"_core"},
    "notebook": {"_core", "board", "explain", "link", "model", "report", "shown"},
    "outputs": set(),
    "inputs": set(),
    "scratch": set(),
    "entry": {"cli"},
    "kinds": set(),
    "bounds": set(),
    "losses": set(),
    "stage": set(),
    "synthetic": {"outputs"},
    "link": {"_core", "shown", "stage", "values"},
    "board": {"_core", "inputs", "outputs", "shown", "values"},
    "address": {"_core", "board"},
    "model": {"_core", "address", "board", "bounds", "link", "losses", "shown"},
    "explain": {"_core", "address", "board", "bounds", "link", "losses", "model", "outputs", "stage", "values"},
    "runs": {"_core", "address", "board", "bounds", "explain", "inputs", "link", "model", "scratch", "stage", "values"},
    "diagnosis": {"_core", "board", "explain", "model", "runs", "scratch", "values"},
    "capture": {"_core", "model", "outputs", "runs", "values"},
    "twins": {
        "_core",
        "address",
        "board",
        "diagnosis",
        "explain",
        "model",
        "report",
        "runs",
        "scratch",
        "stage",
        "values",
    },
    "tune": {
        "_core",
        "board",
        "explain",
        "inputs",
        "link",
        "losses",
        "model",
        "outputs",
        "report",
        "runs",
        "scratch",
        "values",
    },
    "instruments": {"_core", "capture", "outputs", "scratch", "values"},
    "flash": {"_core", "inputs", "scratch"},
    "sweep": {
        "_core",
        "board",
        "explain",
        "inputs",
        "link",
        "losses",
        "outputs",
        "report",
        "runs",
        "scratch",
        "values",
    },
    "history": {"_core", "explain", "inputs", "model", "outputs", "report", "runs", "sweep", "values"},
    "report": {"_core", "address", "board", "bounds", "explain", "inputs", "link", "model", "outputs"},
    "live": {
        "_core",
        "board",
        "diagnosis",
        "explain",
        "history",
        "instruments",
        "inputs",
        "model",
        "outputs",
        "report",
        "runs",
        "stage",
        "values",
    },
    "fsdata": {"_core", "board", "outputs"},
    "pytest_plugin": {"", "_core", "board", "explain", "model", "runs", "values"},
    "cli": {
        "",
        "_core",
        "address",
        "board",
        "bounds",
        "diagnosis",
        "explain",
        "flash",
        "fsdata",
        "history",
        "inputs",
        "instruments",
        "link",
        "live",
        "losses",
        "model",
        "outputs",
        "report",
        "runs",
        "scratch",
        "stage",
        "sweep",
        "tune",
        "twins",
        "values",
    },
}


def _crate_edges() -> dict[str, set[str]]:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout)
    edges = {}
    for package in metadata["packages"]:
        ours = {d["name"].removeprefix("airwire-") for d in package["dependencies"] if d["name"].startswith("airwire-")}
        # Tests of any crate may use what all of them share.
        ours.discard("testing")
        edges[package["name"].removeprefix("airwire-")] = ours
    return edges


def test_crates_use_only_what_the_architecture_lists() -> None:
    edges = _crate_edges()
    assert set(edges) == set(CRATES), "list a new crate here and in ARCHITECTURE.md"
    unlisted = {(crate, used) for crate, uses in edges.items() for used in uses - CRATES[crate]}
    assert not unlisted


def _part(module: str) -> str:
    """The package that a dotted module belongs to: `airwire.cli.tables` to `cli`."""
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


def _name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _used_modules(file: Path, known: Collection[str]) -> set[str]:
    """The modules that one imports anywhere, but for what type checkers alone need."""
    used: set[str] = set()

    def look(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.ImportFrom) and child.module:
                # What is taken from a package may be a module of it.
                inner = (f"{child.module}.{alias.name}" for alias in child.names)
                used.update(name if name in known else str(child.module) for name in inner)
            elif isinstance(child, ast.Import):
                used.update(alias.name for alias in child.names)
            look(child)

    look(ast.parse(file.read_text(encoding="utf-8")))
    return used


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_python_modules_import_only_what_the_architecture_lists(file: Path) -> None:
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    own = "" if parts == ("__init__",) else parts[0]
    assert own in PACKAGES, "list a new package here and in ARCHITECTURE.md"
    unlisted = _imports(file) - PACKAGES[own] - {own, "kinds"}
    assert not unlisted


def test_no_python_package_uses_one_that_uses_it() -> None:
    # The interface at the top stands for all that it names, and the command line begins there.
    users = {package: uses - {""} for package, uses in PACKAGES.items()}
    list(TopologicalSorter(users).static_order())


def test_no_python_module_uses_one_that_uses_it() -> None:
    # Imports inside functions count: they are for what is heavy, and not for circles.
    names = {_name(file): file for file in PACKAGE.rglob("*.py")}
    # The interface at the top stands for all that it names.
    users = {name: _used_modules(file, names) & names.keys() - {"airwire"} for name, file in names.items()}
    list(TopologicalSorter(users).static_order())


def test_nothing_heavy_is_imported_before_the_command_is_known() -> None:
    probe = "import sys, airwire.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    heavy = {
        "polars",
        "vl_convert",
        "airwire._core",
        *(f"airwire.{name}" for name in ("capture", "runs", "report", "live")),
    }
    assert not heavy & set(loaded)
