"""Parts of the firmware that are libraries of their own: each builds alone, and has neither variables nor needs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from http_host import FIRMWARE, HostBuild

LIBRARIES = {
    "drivers/wiznet": "airwire_wiznet",
    "drivers/cyw43": "airwire_cyw43",
    "protocols/http": "airwire_http",
    "protocols/fsdata": "airwire_fsdata",
}
STRINGS = {"memcpy", "memset", "memcmp", "strlen", "strcmp", "strncmp", "memchr"}
"""What a library may ask its program for: functions of <string.h>."""


def symbols(host_build: HostBuild, folder: str) -> list[tuple[str, str]]:
    """The kind of each symbol of a library and its name, without what sanitizers add. Code for a fixed place in memory,
    as a board's is, has constants with pointers among the constants."""
    if shutil.which("nm") is None:
        pytest.skip("nm is not on this machine (Debian: binutils)")
    archives = [
        archive for archive in host_build.libraries(folder, "-fno-pie", "-no-pie") if LIBRARIES[folder] in archive.name
    ]
    assert len(archives) == 1, archives
    told = subprocess.run(["nm", str(archives[0])], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(?:[0-9a-f]+)? +([A-Za-z]) (\S+)$", told, re.MULTILINE)
    return [(kind, name) for kind, name in found if not re.match(r"_|\.|asan", name)]


@pytest.mark.parametrize("folder", LIBRARIES)
def test_a_library_has_no_variables(host_build: HostBuild, folder: str) -> None:
    assert [name for kind, name in symbols(host_build, folder) if kind in "bBdDC"] == []


@pytest.mark.parametrize("folder", LIBRARIES)
def test_a_library_needs_nothing_but_what_every_program_has(host_build: HostBuild, folder: str) -> None:
    told = symbols(host_build, folder)
    own = {name for kind, name in told if kind != "U"}
    needed = {name for kind, name in told if kind == "U"} - own - STRINGS
    allowed = r"fsdata_\w+" if folder == "protocols/http" else "nothing"
    assert {name for name in needed if not re.fullmatch(allowed, name)} == set()


@pytest.mark.parametrize("folder", LIBRARIES)
def test_a_library_names_everything_with_its_prefix(host_build: HostBuild, folder: str) -> None:
    prefix = LIBRARIES[folder].removeprefix("airwire_")
    public = [name for kind, name in symbols(host_build, folder) if kind in "TRDB"]
    assert public
    assert [name for name in public if not name.startswith(f"{prefix}_")] == []


@pytest.mark.parametrize("folder", LIBRARIES)
def test_each_file_of_a_library_says_its_licence(folder: str) -> None:
    files = [file for file in (FIRMWARE / folder).rglob("*") if file.suffix in (".c", ".h")]
    assert files
    assert [file.name for file in files if not file.read_text().startswith("/* SPDX-License-Identifier: ")] == []


@pytest.mark.parametrize("folder", LIBRARIES)
def test_the_functions_that_a_readme_names_exist(folder: str) -> None:
    readme = (FIRMWARE / folder / "README.md").read_text()
    prefix = LIBRARIES[folder].removeprefix("airwire_")
    named = set(re.findall(rf"\b{prefix}_\w+(?=\()", readme))
    headers = "".join(file.read_text() for file in (FIRMWARE / folder).rglob("*.h"))
    assert named
    assert [name for name in sorted(named) if not re.search(rf"\b{name}\(", headers)] == []


@pytest.mark.parametrize("driver", ["wiznet", "cyw43"])
def test_no_header_of_a_driver_has_the_name_of_a_system_header(driver: str) -> None:
    headers = [file.name for file in (FIRMWARE / "drivers" / driver).glob("*.h")]
    assert headers
    assert [name for name in headers if not name.startswith(driver)] == []


def test_a_transport_that_others_take_has_no_knobs_of_the_bench(host: Path) -> None:
    objects = [*(host / "CMakeFiles" / "transport_lwip_raw.dir").rglob("*.o")]
    assert len(objects) == 3
    told = subprocess.run(["nm", *objects], capture_output=True, text=True, check=True).stdout
    assert "setting_nagle" in told
    knobs = ("output_rule", "timers_with_poll", "output_each", "frame_work_us", "byte_work_ns")
    assert [knob for knob in knobs if knob in told] == []
