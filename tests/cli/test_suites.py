"""The suites that come with Airwire: they name every link, and any editor's schema agrees with what Airwire reads."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import airwire as package
from schemas import validate

Airwire = Callable[..., subprocess.CompletedProcess[str]]
ALL_LINKS = Path(__file__).resolve().parents[2] / "suites" / "links.toml"
PUBLISHED = ALL_LINKS.with_name("published.toml")
GATE = ALL_LINKS.with_name("gate.toml")
DEMO = ALL_LINKS.with_name("demo.toml")


def suite(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def links_of(content: dict[str, Any]) -> set[str]:
    return {entry.get("link", name) for name, entry in content["links"].items()}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return package.suite_schema()


def test_the_suite_of_all_links_names_every_link() -> None:
    assert links_of(suite(ALL_LINKS)) == {link.name for link in package.links()}


def test_the_demo_is_a_short_form_of_it() -> None:
    demo, full = suite(DEMO), suite(ALL_LINKS)
    assert links_of(demo) < links_of(full)
    assert demo["payloads"] == full["payloads"]


@pytest.mark.parametrize("path", [ALL_LINKS, DEMO, PUBLISHED, GATE], ids=lambda path: path.name)
def test_the_schema_accepts_what_airwire_runs(path: Path, schema: dict[str, Any]) -> None:
    validate(suite(path), schema)


@pytest.mark.parametrize(
    ("table", "is_right"),
    [
        ("[links.lora.bounds]\np95 = '<= 5 ms'\nloss = '< 1 %'\n", True),
        ("[boards.a.bounds]\nram = '<= 40 KiB'\nbits_per_second = '>= 10 Mbit/s'\n", True),
        ("[links.lora.bounds]\np95 = '5 ms'\n", False),
        ("[boards.a.bounds]\nrom = '<= 40 KiB'\n", False),
        ("[boards.a]\nbounds = { messages_per_second = 3000 }\n", False),
    ],
)
def test_the_schema_knows_bounds(schema: dict[str, Any], table: str, is_right: bool) -> None:
    assert jsonschema.validators.validator_for(schema)(schema).is_valid(tomllib.loads(table)) is is_right


def test_this_repositorys_images_keep_the_bounds_of_the_gate(airwire: Airwire, firmware: Path) -> None:
    done = airwire("run", GATE, "--firmware", firmware, "--out", "gate", "--json")
    assert done.returncode == 0, done.stderr
    bounds = json.loads(done.stdout)["bounds"]
    assert {bound["row"] for bound in bounds} == set(suite(GATE)["boards"])


def test_the_schema_takes_a_published_median_with_settings_of_its_row(schema: dict[str, Any]) -> None:
    figure = "{ payload = 12, sf = 7, bandwidth = '250 kHz', median = '21 ms', source = 'a table', note = 'a site' }"
    validate(tomllib.loads(f"[links.lora]\nsf = [7, 9]\npublished = [{figure}]\n"), schema)


def test_every_row_of_the_suite_of_all_links_arrives(airwire: Airwire, tmp_path: Path) -> None:
    done = airwire("run", ALL_LINKS, "--samples", "30", "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    medians = {row["row"]: row["value"] for row in rows if row["metric"] == "latency_p50"}
    assert len(medians) > 150
    assert all(value and value > 0 for value in medians.values())


@pytest.mark.parametrize(
    "text",
    [
        "[links.lorra]\n",
        "[links.lora]\nsf = 13\n",
        "[links.lora]\nsff = 9\n",
        "samples = 0\n[links.lora]\n",
        "payloads = [0]\n[links.lora]\n",
        "sampels = 10\n[links.lora]\n",
        "trigger = { kind = 'hourly' }\n[links.lora]\n",
        "seed = -1\n[links.lora]\n",
        "[links.lora]\npublished = []\n",
        "[links.lora]\npublished = [{ payload = 12, median = '41 ms' }]\n",
        "[links.lora]\npublished = [{ payload = 12, source = 'a table' }]\n",
        "[links.lora]\npublished = [{ payload = 0, median = '41 ms', source = 'a table' }]\n",
        "[links.lora]\npublished = [{ payload = 12, median = 41, source = 'a table' }]\n",
        "[links.lora]\npublished = [{ payload = 12, sf = 13, median = '41 ms', source = 'a table' }]\n",
        "[links.lora]\npublished = [{ payload = 12, sff = 9, median = '41 ms', source = 'a table' }]\n",
        "[boards.a]\npublished = { unit = 'messages/s', source = 's' }\n",
        "[boards.a]\npublished = { value = 1, at_most = 2, unit = 'messages/s', source = 's' }\n",
        "[boards.a]\npublished = { from = 1, unit = 'messages/s', source = 's' }\n",
        "[boards.a]\npublished = { value = 1, times = 2, unit = 'messages/s', source = 's' }\n",
        "[boards.a]\nmeasure = 'latency'\npublished = { value = 1, statistic = 'p95', unit = 'ms', source = 's' }\n",
    ],
)
def test_the_schema_and_airwire_refuse_the_same_mistakes(
    text: str, schema: dict[str, Any], airwire: Airwire, tmp_path: Path
) -> None:
    (tmp_path / "suite.toml").write_text(text, encoding="ascii")
    assert airwire("run", "suite.toml").returncode == 2
    with pytest.raises(jsonschema.ValidationError):
        validate(tomllib.loads(text), schema)
