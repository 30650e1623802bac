"""The version stands in several files, and pins of what is installed in two: they say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def version() -> str:
    return str(tomllib.loads(text("Cargo.toml"))["workspace"]["package"]["version"])


@pytest.mark.parametrize("lock", ["Cargo.lock", "fuzz/Cargo.lock"])
def test_lock_files_have_the_version_of_the_workspace(lock: str) -> None:
    packages = tomllib.loads(text(lock))["package"]
    own = {one["name"]: one["version"] for one in packages if one["name"].startswith("airwire-")}
    own.pop("airwire-fuzz", None)
    assert len(own) > 15
    assert set(own.values()) == {version()}


def test_changelog_and_citation_have_the_version_and_its_date() -> None:
    headings = re.findall(r"^## \[(.+)\](?: - (\S+))?$", text("CHANGELOG.md"), re.MULTILINE)
    released = [heading for heading in headings if heading[0] != "Unreleased"]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for _, date in released), released
    citation = text("CITATION.cff")
    cited = (
        re.search(r"^version: (.+)$", citation, re.MULTILINE),
        re.search(r"^date-released: (.+)$", citation, re.MULTILINE),
    )
    assert tuple(found[1] for found in cited if found) == released[0]
    assert released[0][0] == version()


def pins(name: str) -> dict[str, list[str]]:
    """Each pinned package with its hashes."""
    blocks = re.findall(r"^(\S+==\S+) \\\n((?:    --hash=\S+(?: \\)?\n)+)", text(name), re.MULTILINE)
    return {package: re.findall(r"--hash=(\S+)", hashes) for package, hashes in blocks}


def test_what_builds_airwire_is_pinned_as_what_tests_it() -> None:
    build, tests = pins("requirements.txt"), pins("requirements-dev.txt")
    assert {"maturin", "cmake", "ninja", "polars"} <= {package.partition("==")[0] for package in build}
    assert {package: tests.get(package) for package in build} == build
