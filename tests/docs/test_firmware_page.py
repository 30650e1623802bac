"""``docs/reference/firmware.md``: its settings and sizes are those of the images."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from docs_console import REPOSITORY

from airwire.board import image_settings

TEXT = (REPOSITORY / "docs" / "reference" / "firmware.md").read_text(encoding="utf-8")
REFRESH = "`python docs/firmware_sizes.py` writes the tables anew"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(REPOSITORY / "docs")
    return importlib.import_module("firmware_sizes")


def table(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n(.*?)\n<!-- end of {mark} -->", TEXT, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_settings_are_those_of_a_client_on_lwip(firmware: Path) -> None:
    section = TEXT.split("## Settings")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    image = firmware / "w5500-evb-pico" / "pingpong_client-lwip_raw.elf"
    assert described == {setting.name for setting in image_settings(image)}


def test_the_sizes_are_those_of_the_images(script: Any, firmware: Path) -> None:
    compiler = subprocess.run(["arm-none-eabi-gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout
    if not compiler.startswith("12.2"):
        pytest.skip(f"the page has the sizes of GCC 12.2, and this machine has {compiler.strip()}")
    assert table("sizes") == script.size_table(), REFRESH
    assert table("parts") == script.part_table(), REFRESH
