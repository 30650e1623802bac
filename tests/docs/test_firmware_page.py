"""``docs/reference/firmware.md`` and ``settings.md``: their settings and sizes are those of the images."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from docs_console import REPOSITORY

from airwire.board import image_settings, write_image

TEXT = (REPOSITORY / "docs" / "reference" / "firmware.md").read_text(encoding="utf-8")
REFRESH = "`python tools/documents/firmware_sizes.py` writes the tables anew"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(REPOSITORY / "tools" / "documents")
    return importlib.import_module("firmware_sizes")


@pytest.fixture
def settings_script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(REPOSITORY / "tools" / "documents")
    return importlib.import_module("firmware_settings")


def table(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n(.*?)\n<!-- end of {mark} -->", TEXT, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_page_of_settings_is_that_of_the_images(settings_script: Any, firmware: Path) -> None:
    page = settings_script.PAGE.read_text(encoding="utf-8")
    assert page == settings_script.settings_page(), "`python tools/documents/firmware_settings.py` writes the page anew"


@pytest.mark.parametrize("images", ["w5500-evb-pico/*.elf", "pico-w/ping-*.elf"])
def test_every_default_is_a_value_that_its_setting_takes(firmware: Path, tmp_path: Path, images: str) -> None:
    for image in sorted(firmware.glob(images)):
        settings = image_settings(image)
        assert all(one.meaning for one in settings), image.name
        write_image(image, tmp_path / "again.elf", {one.name: one.text for one in settings})
        assert (tmp_path / "again.elf").read_bytes() == image.read_bytes(), image.name


def test_the_sizes_are_those_of_the_images(script: Any, firmware: Path) -> None:
    compiler = subprocess.run(["arm-none-eabi-gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout
    if not compiler.startswith("12.2"):
        pytest.skip(f"the page has the sizes of GCC 12.2, and this machine has {compiler.strip()}")
    assert table("sizes") == script.size_table(), REFRESH
    assert table("sizes of pico-w") == script.size_table(script.PICO_W), REFRESH
    assert table("parts") == script.part_table(), REFRESH


def test_the_sizes_for_avrs_are_those_of_the_images(script: Any, firmware: Path) -> None:
    if shutil.which("avr-gcc") is None:
        pytest.skip("avr-gcc is not on this machine (Debian: gcc-avr)")
    assert table("sizes of avr") == script.avr_table(), REFRESH
