"""``airwire fsdata``: what it writes, prints and refuses."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from airwire.fsdata import build

Airwire = Callable[..., subprocess.CompletedProcess[str]]
DEMO = Path(__file__).resolve().parents[2] / "firmware" / "sites" / "demo"


def test_the_image_is_written_as_c_with_its_header(airwire: Airwire, tmp_path: Path) -> None:
    result = airwire("fsdata", DEMO, "--gzip")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].endswith(" bytes in fsdata.c, fsdata.h")
    assert "/live.json.shtml" in result.stdout
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "fsdata.c"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def test_the_manifest_is_json_and_agrees_with_the_interface(airwire: Airwire, tmp_path: Path) -> None:
    content = json.loads(airwire("fsdata", DEMO, "--out", "demo.bin", "--json").stdout)
    data = build(DEMO)
    assert content == {"schema": "airwire.fsdata/1", **data.manifest()}
    assert (tmp_path / "demo.bin").read_bytes() == data.image
    assert content["tags"] == ["counter", "greeting", "temperature", "voltage"]


def test_the_names_that_options_had_are_taken_still_and_told_no_more(airwire: Airwire, tmp_path: Path) -> None:
    for number, names in enumerate([("-o", "{}.bin"), ("--output", "{}.bin"), ("--output={}.bin",)]):
        result = airwire("fsdata", DEMO, *(name.format(number) for name in names), "--manifest")
        assert json.loads(result.stdout)["schema"] == "airwire.fsdata/1"
        assert (tmp_path / f"{number}.bin").read_bytes() == build(DEMO).image
    told = airwire("fsdata", "--help").stdout
    assert "--out FILE" in told and "--output" not in told and "--manifest" not in told


def test_the_manifest_has_the_fields_that_its_page_describes() -> None:
    page = (DEMO.parents[2] / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    section = page.split("## airwire.fsdata/1")[1].split("\n## ")[0]
    manifest = build(DEMO).manifest()
    described = set(re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE))
    fields = {f"files[].{name}" for file in manifest["files"] for name in file}
    assert described == {"schema", "files[]", *fields, *manifest} - {"files"}


def test_warnings_go_to_standard_error(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.xyz").write_text("x")
    result = airwire("fsdata", "site")
    assert result.returncode == 0
    assert "no content type is known for .xyz" in result.stderr


def test_a_site_that_fits_no_board_is_warned_of_in_one_sentence(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("small")
    (tmp_path / "site" / "large.bin").write_bytes(bytes(2 << 20))
    result = airwire("fsdata", "site", "--out", "site.bin")
    assert result.returncode == 0
    size = (tmp_path / "site.bin").stat().st_size
    assert result.stderr == (
        f"airwire: site: the image has {size} bytes, but no board that comes along has more than 2097152 bytes of "
        "flash, firmware included; leave files out, or use a board with more\n"
    )
    (tmp_path / "site" / "large.bin").write_bytes(bytes(1 << 20))
    assert airwire("fsdata", "site", "--out", "site.bin").stderr == ""


def test_a_name_that_is_no_text_is_shown_byte_by_byte(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / os.fsdecode(b"\xff.xyz")).write_text("x")
    result = airwire("fsdata", "site", "--json")
    assert result.returncode == 0, result.stderr
    manifest = json.loads(result.stdout)
    assert manifest["files"][0]["path"] == "/\\xff.xyz"
    assert os.fsencode(manifest["files"][0]["source"]) == b"\xff.xyz"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing"], "nothing: this is no folder"),
        ([str(DEMO), "--out", "my-pages.c"], "the name has to be a C identifier"),
        ([str(DEMO), "--out", "missing/fsdata.c"], "cannot write it"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(airwire: Airwire, arguments: list[str], says: str) -> None:
    result = airwire("fsdata", *arguments)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert says in result.stderr


def test_the_demo_has_the_pages_of_the_published_comparison() -> None:
    """137 bytes of text alone; some 207 with a greeting, a counter and a voltage."""
    files = {file.path: file for file in build(DEMO).files}
    assert files["/static.html"].body_bytes == 137
    assert files["/static.html"].tags == ()
    assert files["/ssi.shtml"].tags == ("greeting", "counter", "voltage")
    assert files["/ssi.shtml"].body_bytes + len("Hello1231.65") in range(203, 212)
