"""Every Rust package in the lock file has a licence that goes with MIT OR Apache-2.0."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}


def _acceptable(expression: str) -> bool:
    """Whether an SPDX expression can be met with the allowed licences: any of an OR, all of an AND."""
    for alternative in expression.replace("/", " OR ").replace("(", "").replace(")", "").split(" AND "):
        if not any(choice.strip() in ALLOWED for choice in alternative.split(" OR ")):
            return False
    return True


def test_every_dependency_has_an_acceptable_licence() -> None:
    repository = Path(__file__).resolve().parents[2]
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    metadata = json.loads(subprocess.run(command, cwd=repository, capture_output=True, check=True).stdout)
    refused = {
        package["name"]: package["license"]
        for package in metadata["packages"]
        if not (package["license"] and _acceptable(package["license"]))
    }
    assert refused == {}


def test_every_package_that_the_live_page_is_built_with_has_an_acceptable_licence_and_a_sum() -> None:
    repository = Path(__file__).resolve().parents[2]
    locked = json.loads((repository / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    packages = {path: package for path, package in locked.items() if path}
    assert "node_modules/uplot" in packages
    assert [path for path, package in packages.items() if not _acceptable(package["license"])] == []
    assert [path for path, package in packages.items() if not package["integrity"].startswith("sha512-")] == []
