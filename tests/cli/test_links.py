"""``airwire links`` and ``airwire link``: what there is, and where the time of one link goes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airwire as package
from terminal import run_in_terminal

Airwire = Callable[..., subprocess.CompletedProcess[str]]


def parsed(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def test_every_link_is_listed_with_its_settings(airwire: Airwire) -> None:
    listed = airwire("links").stdout
    for link in package.links():
        assert f"\n{link.name} " in f"\n{listed}"
        assert link.title in listed
    assert "sf" in listed


def test_names_and_payloads_are_never_cut(tmp_path: Path) -> None:
    for columns in (60, 80, 139, 140):
        _, shown = run_in_terminal("airwire links", tmp_path, columns=columns)
        lines = shown.splitlines()
        assert max(map(len, lines)) <= columns
        for link in package.links():
            assert any(line.split()[:2] == [link.name, f"1..{link.max_payload_bytes}"] for line in lines), columns
            assert all(setting.name in shown for setting in link.settings)


@pytest.mark.parametrize("link", [link.name for link in package.links()])
def test_every_link_has_a_budget_without_a_word_more(airwire: Airwire, link: str) -> None:
    result = airwire("link", link)
    assert result.returncode == 0, result.stderr
    most = next(own.max_payload_bytes for own in package.links() if own.name == link)
    assert f", {min(128, most)} B: " in result.stdout


def test_a_link_in_detail_says_what_each_setting_takes_and_where_constants_come_from(airwire: Airwire) -> None:
    shown = airwire("links", "lora").stdout
    assert "sf = 7: spreading factor" in shown
    assert "takes a whole number from 6 to 12" in shown
    assert "fitted on" in shown


def test_links_in_json_are_those_of_the_interface(airwire: Airwire) -> None:
    content = parsed(airwire("links", "--json"))
    assert content["schema"] == "airwire.links/1"
    assert [link["name"] for link in content["links"]] == [link.name for link in package.links()]
    assert [link["name"] for link in parsed(airwire("links", "lora", "--json"))["links"]] == ["lora"]


def test_the_budget_in_json_adds_up(airwire: Airwire) -> None:
    content = parsed(airwire("link", "lora", "--payload", "128B", "--set", "sf=9", "--json"))
    assert list(content)[:3] == ["schema", "total_ps", "stages"]
    assert content["schema"] == "airwire.link/1"
    assert content["total_ps"] == sum(stage["ps"] for stage in content["stages"])
    assert content["settings"]["sf"] == "9"
    assert content["payload_bytes"] == 128


def test_the_bars_of_a_budget_lie_behind_one_another(airwire: Airwire) -> None:
    lines = airwire("link", "lora", "--payload", "12").stdout.splitlines()
    bars = [line.split("%", 1)[1] for line in lines if "%" in line]
    begun = [len(bar) - len(bar.lstrip(" ")) for bar in bars]
    assert begun == sorted(begun)
    assert sum(bar.count("█") for bar in bars) >= 40


def test_the_schema_of_suites_names_every_link_and_its_settings(airwire: Airwire) -> None:
    schema = airwire("schema", "suite").stdout
    assert json.loads(schema)["$schema"].startswith("https://json-schema.org/")
    for link in package.links():
        assert f'"{link.name}"' in schema
        assert all(f'"{setting.name}"' in schema for setting in link.settings)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["link", "lorra"], "there is no link lorra; the nearest is lora"),
        (["links", "lorra"], "there is no link lorra; the nearest is lora"),
        (["link", "lora", "--set", "sfx=9"], "lora has no setting sfx; the nearest is sf"),
        (["link", "lora", "--set", "sf=13"], "sf is 13, but it takes a whole number from 6 to 12"),
        (["link", "lora", "--set", "sf"], "write it as NAME=VALUE"),
        (["link", "lora", "--payload", "0"], "the payload is 0 bytes, but lora carries 1 to"),
        (["link", "lora", "--payload", "much"], "much"),
        (["link", "lora", "--set", "sf=7", "--set", "sf=9"], "sf is given twice, as 7 and as 9"),
        (["link", "lora", "--payload", "12", "--every", "10ms"], "a message of 12 B is on the air for 41.2 ms"),
    ],
)
def test_a_mistake_is_one_sentence_that_says_what_would_be_right(
    airwire: Airwire, arguments: list[str], says: str
) -> None:
    result = airwire(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert says in result.stderr
    assert "Traceback" not in result.stderr
