"""A disk that is full, and not only a limit on files: SQLite and whoever begins with folders meet it elsewhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Airwire = Callable[..., subprocess.CompletedProcess[str]]
SUITE = "samples = 2000\n\n[links.uart]\npayloads = [12, 128]\n"
DISK_BYTES = 1 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", place], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("a file system of its own can be mounted by root alone")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def fill(disk: Path, free_bytes: int) -> Path:
    """Leave so much room."""
    file = disk / "fill"
    file.write_bytes(bytes(DISK_BYTES - free_bytes))
    return file


def kept_on(disk: Path) -> list[str]:
    return sorted(str(path.relative_to(disk)) for path in disk.rglob("*") if path.name != "fill")


@pytest.fixture
def run_folder(airwire: Airwire, tmp_path: Path) -> Path:
    (tmp_path / "suite.toml").write_text(SUITE)
    assert airwire("run", "suite.toml", "--out", "run").returncode == 0
    return tmp_path / "run"


# In the midst of the tables, of SQLite's log and of its index, and before the first byte.
@pytest.mark.parametrize("free_bytes", [0, 4 << 10, 20 << 10, 28 << 10, 60 << 10])
def test_a_history_that_has_no_room_is_told_and_not_begun(
    airwire: Airwire, run_folder: Path, disk: Path, free_bytes: int
) -> None:
    filled = fill(disk, free_bytes)
    done = airwire("history", "add", str(run_folder), "--database", str(disk / "h.sqlite"))

    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith(f"airwire: {disk / 'h.sqlite'}: cannot write it: there is no room on its disk")
    assert "nothing was added; make room there, or name another place with --database" in done.stderr
    filled.unlink()
    listed = airwire("history", "list", "--database", str(disk / "h.sqlite"))
    assert "there is no history; begin one" in listed.stderr and kept_on(disk) == []


def test_a_history_that_has_no_more_room_keeps_what_it_has(airwire: Airwire, run_folder: Path, disk: Path) -> None:
    database = str(disk / "h.sqlite")
    assert airwire("history", "add", str(run_folder), "--database", database).returncode == 0
    airwire("run", "suite.toml", "--seed", "2", "--out", "other")
    filled = fill(disk, 40 << 10)
    refused = airwire("history", "add", "other", "--database", database)
    assert refused.returncode == 2 and "there is no room on its disk" in refused.stderr
    filled.unlink()
    assert airwire("history", "add", "other", "--database", database).stdout == f"{database}: 1 run added\n"


@pytest.mark.parametrize("free_bytes", [0, 8 << 10, 24 << 10])
def test_a_run_that_has_no_room_leaves_no_folder_that_looks_like_one(
    airwire: Airwire, run_folder: Path, disk: Path, free_bytes: int
) -> None:
    fill(disk, free_bytes)
    done = airwire("run", "suite.toml", "--out", str(disk / "run"))

    assert done.returncode == 2
    (sentence,) = done.stderr.splitlines()
    assert ": cannot write it: No space left on device" in sentence and "External" not in sentence
    assert sentence.endswith("; nothing of this run is kept; make room, or name another place")
    assert kept_on(disk) == []


def test_frames_that_have_no_room_are_told_once(airwire: Airwire, images: Path, disk: Path) -> None:
    fill(disk, 0)
    done = airwire(
        "board", "run", str(images / "wiznet_http.elf"), "--board", "w5500-evb-pico", "--for", "3s",
        "--pcap", str(disk / "wire.pcapng"),
    )  # fmt: skip

    assert done.returncode == 2 and kept_on(disk) == []
    (sentence,) = [line for line in done.stderr.splitlines() if "wire.pcapng" in line]
    assert sentence.count("write") == 1 and sentence.endswith("; name another place, or make room")


def test_what_goes_to_a_full_disk_by_standard_output_is_told_with_what_to_do(disk: Path) -> None:
    fill(disk, 0)
    with (disk / "links.json").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-m", "airwire.cli", "links", "--json"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "airwire: standard output: cannot write it: No space left on device; send it elsewhere, or make room\n"
    )
