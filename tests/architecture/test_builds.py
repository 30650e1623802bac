"""A machine without anything compiles each crate once: the package and the tests ask for the same features of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FEATURES = ["--features", "airwire-py/extension-module"]


def asked_for(*selection: str) -> set[str]:
    """Every crate of a build, with its version and its features."""
    command = [
        "cargo",
        "tree",
        "--locked",
        "--offline",
        *FEATURES,
        *selection,
        "--prefix",
        "none",
        "--format",
        "{p} [{f}]",
    ]
    tree = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert tree.returncode == 0, tree.stderr
    return {line.removesuffix(" (*)") for line in tree.stdout.splitlines() if line}


def test_tests_ask_no_crate_of_the_package_for_more_than_the_package_does() -> None:
    package = asked_for("--package", "airwire-py", "--edges", "normal,build")
    twice = package - asked_for("--workspace", "--edges", "normal,build,dev")
    assert not twice, f"compiled again for tests; ask for their features in crates/py/Cargo.toml: {sorted(twice)}"
