"""What the package carries: suites by name, and the images that they name, with their SHA-256."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import airwire as package
from airwire.runs.packaged import find_suite, suite_names

Airwire = Callable[..., subprocess.CompletedProcess[str]]
REPOSITORY = Path(__file__).resolve().parents[2]
# What NOTICE names; ours are objects, not libraries.
NAMED = {
    "lwIP": r"liblwip_\w+\.a",
    "FreeRTOS": r"libfreertos\.a",
    "newlib": r"libc_nano\.a",
    "avr-libc": r"libc\.a",
    "libgcc": r"libgcc\.a",
}
MOST_BYTES = 4_500_000
"""Of all images together: 45 for Arm processors and 15 for AVRs."""


@pytest.fixture(scope="module")
def stripped(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The images as the wheel has them."""
    for family in ("arm-none-eabi", "avr"):
        if shutil.which(f"{family}-strip") is None:
            pytest.skip(f"{family}-strip is not on this machine (Debian: binutils-{family})")
    folder = tmp_path_factory.mktemp("stripped") / "images"
    tool = REPOSITORY / "tools" / "package" / "package_images.py"
    done = subprocess.run(["python3", tool, "strip", firmware, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def names_and_sums(folder: Path) -> dict[str, str]:
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return {name: sha256 for sha256, name in (line.split("  ") for line in lines)}


def test_the_suites_of_the_package_are_those_of_the_checkout() -> None:
    # The gate is this repository's own: it asks whether its images have become slower.
    assert {*suite_names(), "gate"} == {file.stem for file in (REPOSITORY / "suites").glob("*.toml")}
    for name in suite_names():
        assert find_suite(name) == REPOSITORY / "suites" / f"{name}.toml"


def test_the_images_are_those_that_the_suites_name_with_their_sums(stripped: Path) -> None:
    sums = names_and_sums(stripped)
    suites = [find_suite(name).read_text(encoding="utf-8") for name in suite_names()]
    named = {name for suite in suites for name in re.findall(r"[\w-]+/[\w-]+\.elf", suite)}
    assert set(sums) == named
    assert {str(file.relative_to(stripped)) for file in stripped.rglob("*.elf")} == named
    for name, sha256 in sums.items():
        assert hashlib.sha256((stripped / name).read_bytes()).hexdigest() == sha256
    assert sum(file.stat().st_size for file in stripped.rglob("*.elf")) < MOST_BYTES


def test_a_stripped_image_keeps_its_symbols_and_settings(airwire: Airwire, stripped: Path, firmware: Path) -> None:
    image = "w5500-evb-pico/pingpong_client-lwip_raw.elf"
    own, whole = (airwire("board", "settings", folder / image, "--json") for folder in (stripped, firmware))
    assert own.returncode == 0, own.stderr
    assert own.stdout.replace(str(stripped), "") == whole.stdout.replace(str(firmware), "")
    symbols = [
        subprocess.run(["arm-none-eabi-nm", folder / image], capture_output=True, text=True, check=True).stdout
        for folder in (stripped, firmware)
    ]
    # Symbols of kinds N and W are debug information.
    functions = [[line for line in text.splitlines() if line[9] not in "NW"] for text in symbols]
    assert len(functions[0]) > 100 and functions[0] == functions[1]


def test_every_library_that_is_linked_into_an_image_is_named_with_its_licence(stripped: Path, firmware: Path) -> None:
    notice = (REPOSITORY / "NOTICE").read_text(encoding="utf-8")
    linked: set[str] = set()
    for name in names_and_sums(stripped):
        map_file = (firmware / name).with_suffix(".map").read_text(encoding="utf-8")
        linked.update(re.findall(r"(?:^|/)(lib\w+\.a)\(", map_file, re.MULTILINE))
    unknown = [library for library in linked if not any(re.fullmatch(known, library) for known in NAMED.values())]
    assert linked and unknown == []
    for library, pattern in NAMED.items():
        assert library in notice
        assert any(re.fullmatch(pattern, one) for one in linked), f"{library} is named and not linked"
    for licence in re.findall(r"licenses/[\w-]+\.txt", notice):
        assert (REPOSITORY / licence).is_file()


def test_a_suite_goes_by_its_name(airwire: Airwire, tmp_path: Path) -> None:
    done = airwire("run", "links", "--only", "lora-sf7", "--samples", "20", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "lora-sf7" in done.stdout
    analysis = package.run("links", only=["gpio"], samples=20, out=tmp_path / "by-interface")
    assert analysis.captures


def test_a_file_that_is_there_goes_before_a_suite_of_its_name(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "links").write_text("samples = 20\npayloads = [1]\n[links.gpio]\n")
    done = airwire("run", "links", "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    assert '"row": "gpio/1B"' in done.stdout
    assert "lora" not in done.stdout


def test_a_folder_is_in_no_suites_way(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    assert airwire("run", "links", "--only", "gpio", "--samples", "20", "--out", "run").returncode == 0


@pytest.mark.parametrize(
    ("suite", "sentence"),
    [
        (
            "publishd",
            "publishd: there is no such file, and no suite of this name comes with the package; "
            "the nearest is published",
        ),
        (
            "x",
            "x: there is no such file, and no suite of this name comes with the package; "
            "there are avr, demo, ipv6, links, oneway, pico-w, published, rmii-by-pio, serial, spi-or-pio",
        ),
    ],
)
def test_an_unknown_name_is_one_sentence(airwire: Airwire, suite: str, sentence: str) -> None:
    done = airwire("run", suite)
    assert done.returncode == 2
    assert done.stderr == f"airwire: {sentence}\n"
