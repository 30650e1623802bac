"""The wheel in an empty environment, without compilers: a board's verdict within a minute of installing it."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from airwire.live.page import ASSETS
from airwire.runs.packaged import suite_names
from artefacts import REPOSITORY, locked

BUILT = REPOSITORY / "build" / "wheel"
IMAGES = REPOSITORY / "python" / "airwire" / "images"
MINUTE = 60.0


@pytest.fixture(scope="module")
def wheel(firmware: Path) -> Path:
    """The wheel of this checkout, as `make wheel` builds it; what cargo has compiled already is not compiled again."""
    maturin = Path(sys.executable).with_name("maturin")
    for family in ("arm-none-eabi", "avr"):
        if shutil.which(f"{family}-strip") is None:
            pytest.skip(f"{family}-strip is not on this machine (Debian: binutils-{family})")
    with locked(BUILT):
        shutil.rmtree(BUILT, ignore_errors=True)
        strip: list[str | Path] = [sys.executable, "tools/package/package_images.py", "strip", firmware, IMAGES]
        build: list[str | Path] = [maturin, "build", "--release", "--locked", "--quiet", "--out", BUILT]
        for command in (strip, build):
            done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
    (built,) = BUILT.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The wheel in an environment of its own; and how many seconds of the processors installing took."""
    folder = tmp_path_factory.mktemp("empty") / "environment"
    before = cpu_seconds()
    venv.create(folder, with_pip=True)
    options = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    command: list[str | Path] = [folder / "bin" / "pip", "install", *options, wheel]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "bin" / "airwire", cpu_seconds() - before


def cpu_seconds() -> float:
    """Of all processes that have ended: other work on the machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(airwire: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command without anything in the path."""
    (folder / "nothing").mkdir(exist_ok=True)
    return subprocess.run(
        [airwire, *arguments],
        cwd=folder,
        env={"PATH": str(folder / "nothing"), "HOME": str(folder), "COLUMNS": "80", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_board_has_its_verdict_within_a_minute_of_installing(installed: tuple[Path, float], tmp_path: Path) -> None:
    airwire, seconds = installed
    before = cpu_seconds()
    shown = run(airwire, tmp_path, "demo")
    row = run(airwire, tmp_path, "run", "published", "--only", "pingpong-lwip-timer")
    assert seconds + cpu_seconds() - before < MINUTE
    for done in (shown, row):
        assert done.returncode == 0, done.stderr
        assert "3.906 messages/s" in done.stdout
        assert "tcp_output()" in done.stdout
    lines = shown.stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, shown.stdout
    assert (tmp_path / "runs" / "demo" / "report.html").is_file()


@pytest.mark.slow
def test_a_suite_with_an_image_of_ones_own_says_what_to_do(installed: tuple[Path, float], tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('[boards.mine]\nfirmware = "mine.elf"\n')
    done = run(installed[0], tmp_path, "run", "mine.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("airwire: mine.toml:1: boards.mine.firmware: mine.elf is not in ")
    assert "this machine has no arm-none-eabi-gcc to build it with" in done.stderr
    assert "or say where it is with --firmware" in done.stderr


@pytest.mark.slow
def test_an_image_that_was_changed_is_not_run(installed: tuple[Path, float], tmp_path: Path) -> None:
    site = next((installed[0].parents[1] / "lib").glob("python*/site-packages/airwire"))
    image = site / "images" / "w5500-evb-pico" / "pingpong_client-hardware.elf"
    content = image.read_bytes()
    image.write_bytes(content + b"\0")
    try:
        done = run(installed[0], tmp_path, "run", "published", "--only", "pingpong")
    finally:
        image.write_bytes(content)
    assert done.returncode == 2
    assert "is not the image that the package was built with; install it anew" in done.stderr


def test_the_wheel_has_the_live_page(wheel: Path) -> None:
    built = [f"airwire/live/assets/{name}" for name in ASSETS]
    if not all((REPOSITORY / "python" / name).is_file() for name in built):
        pytest.skip("the live page is not built: make web")
    assert set(built) <= set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_has_suites_images_and_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    suites = {f"airwire/suites/{name}.toml" for name in suite_names()}
    images = {f"airwire/images/{line.split()[1]}" for line in (IMAGES / "SHA256SUMS").read_text().splitlines()}
    assert suites | images | {"airwire/images/SHA256SUMS"} <= set(names)
    licences = {Path(name).name for name in names if "dist-info/licenses/" in name}
    expected = {
        "LICENSE",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "NOTICE",
        *(file.name for file in (REPOSITORY / "licenses").iterdir()),
    }
    assert licences == expected
    assert wheel.stat().st_size < 12_000_000
