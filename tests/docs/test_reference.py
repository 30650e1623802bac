"""Reference pages say what the code does: the command line, JSON, run folders, and links between documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import polars as pl
import pytest
from docs_console import CLI_PAGE, DOCUMENTS, REPOSITORY, Command, run

from airwire.cli.reference import reference_page

Run = Callable[..., CompletedProcess[str]]
JSON_PAGE = REPOSITORY / "docs" / "reference" / "json.md"
RUN_FOLDER_PAGE = REPOSITORY / "docs" / "run-folder.md"
# Stands for an object whose fields follow.
OBJECT = object()
# Keyed by the kind of finding; docs/explanation/findings.md lists them.
FREE_KEYS = "captures[].findings[].evidence"


def sections(page: Path) -> dict[str, list[list[str]]]:
    """The table rows below each heading of a page, as lists of cells."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| `"):
            found.setdefault(heading, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def fields_in(page: Path, heading: str) -> dict[str, str]:
    """Fields and types of a table; a cell may name several fields."""
    return {name.strip("` "): row[1] for row in sections(page)[heading] for name in row[0].split(", ")}


def paths_of(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of a JSON object with its path, lists of objects as ``name[]``."""
    for name, inner in value.items():
        path = f"{at}.{name}" if at else name
        if isinstance(inner, dict) and path != FREE_KEYS:
            yield path, OBJECT
            yield from paths_of(inner, path)
        elif isinstance(inner, list) and (not inner or isinstance(inner[0], dict)):
            yield f"{path}[]", inner
            for element in inner:
                yield from paths_of(element, f"{path}[]")
        else:
            yield path, inner


def fits(value: Any, described: str) -> bool:
    """Whether a JSON value has the type that a table names."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "text": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "object": dict,
        "null": type(None),
        "list": list,
        "list of 2 numbers": list,
    }
    return any(isinstance(value, kinds[kind]) for kind in described.split(" or "))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    code, printed = run(Command("airwire demo", ""), folder)
    assert code == 0, printed
    return folder / "runs" / "demo"


def check_json(described: dict[str, str], value: Any) -> set[str]:
    """The fields of a JSON object, each found to be described; objects count by their own fields."""
    seen = {path: inner for path, inner in paths_of(value) if path in described or not is_object(path, described)}
    for path, inner in seen.items():
        assert path in described, f"{JSON_PAGE.name} does not describe {path}"
        assert inner is OBJECT or fits(inner, described[path]), f"{path} is {inner!r}, not {described[path]}"
    return set(seen)


def is_object(path: str, described: dict[str, str]) -> bool:
    return any(name.startswith(f"{path}.") for name in described)


def test_the_command_line_reference_is_up_to_date() -> None:
    remedy = "run `python -m airwire.cli.reference > docs/reference/cli.md`"
    assert CLI_PAGE.read_text(encoding="utf-8") == reference_page(), remedy


def test_every_field_of_an_analysis_in_json_is_described_and_every_described_one_is_there(
    airwire: Run, demo: Path
) -> None:
    bad = demo / "bad.csv"
    bad.write_text("no capture", encoding="ascii")
    done = airwire("analyze", demo / "12B-slotted.csv", bad, "--no-run-folder", "--json")
    fields = fields_in(JSON_PAGE, "airwire.analyze/1")
    assert check_json(fields, json.loads(done.stdout)) == set(fields)


def test_every_field_of_a_comparison_in_json_is_described_and_every_described_one_is_there(
    airwire: Run, demo: Path
) -> None:
    done = airwire("compare", demo / "run", demo / "12B-slotted.csv", "--json")
    fields = fields_in(JSON_PAGE, "airwire.compare/1")
    assert check_json(fields, json.loads(done.stdout)) == set(fields)


@pytest.mark.parametrize("table", ["samples", "edges"])
def test_the_columns_of_run_folders_are_those_that_are_described(table: str, demo: Path) -> None:
    types = {"text": pl.String(), "integer": pl.Int64()}
    described = {name: types[kind] for name, kind in fields_in(RUN_FOLDER_PAGE, table).items()}
    assert dict(pl.read_parquet(demo / "run" / table / "*.parquet").schema) == described


def test_the_fields_of_manifests_are_those_that_are_described(demo: Path) -> None:
    manifest = json.loads((demo / "run" / "manifest.json").read_text(encoding="utf-8"))
    names = fields_in(RUN_FOLDER_PAGE, "manifest.json")
    described = {f"captures[]{name}" if name.startswith(".") else name for name in names}
    assert {path for path, inner in paths_of(manifest) if inner is not OBJECT} == described


def test_the_manifest_is_the_same_for_the_same_captures_and_the_environment_is_not(
    airwire: Run, tmp_path: Path, demo: Path
) -> None:
    for name in ("a", "b"):
        airwire("analyze", demo / "12B-slotted.csv", "--out", name)
    a, b = ((tmp_path / name / "manifest.json").read_bytes() for name in ("a", "b"))
    assert a == b
    environments = [(tmp_path / name / "environment.json").read_bytes() for name in ("a", "b")]
    assert environments[0] != environments[1]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    targets = [t for t in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in t and not t.startswith("#")]
    for target in targets:
        file, _, anchor = target.partition("#")
        path = (document.parent / file).resolve()
        assert path.exists(), f"{target} leads nowhere"
        assert not anchor or anchor in anchors_of(path), f"{target} names no heading"


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
