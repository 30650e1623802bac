"""``airwire flash`` on boot drives and with a picotool that the tests make: no board is at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from airwire import AirwireError
from airwire.flash import boot_drive
from airwire.flash.boot_drive import Drive, copy_to, drive_at, mounted_drives

Airwire = Callable[..., subprocess.CompletedProcess[str]]
NAME = "pingpong_client-hardware"
# As the boot ROM of the RP2040 has it (bootrom_rp2040, usb_boot_device.c).
INFO = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: {}\r\n"
PICOTOOL = """#!/bin/sh
echo "$*" > "{log}"
cp "$4" "{log}.uf2"
{then}
"""


@pytest.fixture
def image(firmware: Path) -> Path:
    return firmware / "w5500-evb-pico" / f"{NAME}.elf"


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    return boot_drive_at(tmp_path / "RPI-RP2")


def boot_drive_at(folder: Path, board_id: str = "RPI-RP2") -> Path:
    folder.mkdir(parents=True)
    (folder / "INFO_UF2.TXT").write_text(INFO.format(board_id))
    return folder


def picotool(folder: Path, then: str = "") -> Path:
    program = folder / "bin" / "picotool"
    program.parent.mkdir(exist_ok=True)
    program.write_text(PICOTOOL.format(log=folder / "log", then=then))
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("kind", ["elf", "uf2", "bin"])
def test_every_kind_of_image_reaches_the_drive_as_the_uf2_of_the_same_build(
    airwire: Airwire, image: Path, drive: Path, kind: str
) -> None:
    result = airwire("flash", image.with_suffix(f".{kind}"), "--drive", drive)
    assert result.returncode == 0, result.stderr
    written = drive / f"{NAME}.uf2"
    assert f"Copied: {written}" in result.stdout
    assert written.read_bytes() == image.with_suffix(".uf2").read_bytes()


def test_an_image_for_another_chip_reaches_no_board(airwire: Airwire, image: Path, drive: Path, tmp_path: Path) -> None:
    foreign = bytearray(image.with_suffix(".uf2").read_bytes())
    for at in range(0, len(foreign), 512):
        # The family of the RP2350 (RP2350 datasheet, 5.5.3).
        foreign[at + 28 : at + 32] = (0xE48BFF59).to_bytes(4, "little")
    (tmp_path / "other.uf2").write_bytes(foreign)
    (tmp_path / "notes.txt").write_text("no image")
    for name, says in {
        "other.uf2": "not for the RP2040",
        "notes.txt": "no image for the RP2040",
        "gone.elf": "gone.elf",
    }.items():
        for way in (("--drive", drive), ("--picotool", picotool(tmp_path))):
            result = airwire("flash", name, *way)
            assert result.returncode == 2 and says in result.stderr, result.stderr
    assert [path.name for path in drive.iterdir()] == ["INFO_UF2.TXT"]
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("board_id", ["RP2350", "SAMD21G18A-ItsyBitsy-v0"])
def test_the_boot_drive_of_another_board_is_refused(
    airwire: Airwire, image: Path, tmp_path: Path, board_id: str
) -> None:
    other = boot_drive_at(tmp_path / "other", board_id)
    result = airwire("flash", image, "--drive", other)
    assert result.returncode == 2 and f"the boot drive of another board ({board_id})" in result.stderr
    assert [path.name for path in other.iterdir()] == ["INFO_UF2.TXT"]


def test_a_folder_that_is_no_boot_drive_is_refused_with_how_to_get_one(
    airwire: Airwire, image: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    result = airwire("flash", image, "--drive", "mine")
    assert result.returncode == 2 and list((tmp_path / "mine").iterdir()) == []
    assert (
        "mine: this is no boot drive" in result.stderr and "hold BOOTSEL while you plug the board in" in result.stderr
    )


def test_drives_are_found_where_systems_mount_them(tmp_path: Path) -> None:
    boot_drive_at(tmp_path / "media/user/RPI-RP2")
    boot_drive_at(tmp_path / "Volumes/RPI-RP2", "RP2350")
    (tmp_path / "media/user/photos").mkdir()
    found = mounted_drives((f"{tmp_path}/media/*/*", f"{tmp_path}/Volumes/*", f"{tmp_path}/absent/*"))
    assert sorted((drive.folder.parent.name, drive.board_id) for drive in found) == [
        ("Volumes", "RP2350"),
        ("user", "RPI-RP2"),
    ]


def test_of_two_boards_one_has_to_be_named(image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from airwire.cli.flash import flash

    for name in ("one", "two"):
        boot_drive_at(tmp_path / "media" / name)
    found = mounted_drives((f"{tmp_path}/media/*",))
    monkeypatch.setattr(boot_drive, "mounted_drives", lambda: found)
    with pytest.raises(AirwireError, match=r"there are 2 boot drives, .*one and .*two; name one with --drive"):
        flash(image)
    monkeypatch.setattr(boot_drive, "mounted_drives", lambda: found[:1])
    flash(image)
    assert (found[0].folder / f"{NAME}.uf2").exists()


def test_a_full_drive_keeps_no_half_of_an_image(
    airwire: Airwire, command_server: object, image: Path, drive: Path, tmp_path: Path
) -> None:
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    result = command_server.run(  # type: ignore[attr-defined]
        ["flash", str(image), "--drive", str(drive)], tmp_path, environment, timeout_s=60, most_file_bytes=700
    )
    assert result.returncode == 2
    assert f"{drive}: cannot write it: File too large after 700 of " in result.stderr
    assert [path.name for path in drive.iterdir()] == ["INFO_UF2.TXT"]


class Unplugged:
    """A file on a drive that goes away after some bytes, or with the last one as when the board restarts."""

    def __init__(self, drive: Path, most_bytes: int) -> None:
        self.drive, self.left = drive, most_bytes

    def __enter__(self) -> Unplugged:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.drive)

    def write(self, block: bytes) -> int:
        if self.left == 0:
            raise OSError(19, "No such device")
        taken = min(self.left, len(block))
        self.left -= taken
        return taken

    def fileno(self) -> int:
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize(("most_bytes", "is_whole"), [(1000, False), (2048, True)])
def test_a_drive_that_goes_away_has_taken_the_image_only_if_it_was_whole(
    drive: Path, monkeypatch: pytest.MonkeyPatch, most_bytes: int, is_whole: bool
) -> None:
    target = drive_at(drive)
    assert target is not None
    monkeypatch.setattr(Path, "open", lambda _path, *_mode, **_options: Unplugged(drive, most_bytes))
    if is_whole:
        assert copy_to(target, "a.uf2", bytes(2048)) is None
    else:
        with pytest.raises(AirwireError, match=r"the drive went away after 1000 of 2048 bytes.*; hold BOOTSEL"):
            copy_to(target, "a.uf2", bytes(2048))


def test_a_mounted_drive_tells_whether_the_board_restarts(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "ismount", lambda _path: True)
    monkeypatch.setattr(boot_drive, "_RESTART_S", 0.05)
    target = Drive(drive, "RPI-RP2")
    assert copy_to(target, "a.uf2", b"UF2\n") is False
    (drive / "INFO_UF2.TXT").unlink()
    assert copy_to(target, "a.uf2", b"UF2\n") is True


def test_picotool_gets_the_uf2_where_there_is_no_drive(airwire: Airwire, image: Path, tmp_path: Path) -> None:
    result = airwire("flash", image, "--picotool", picotool(tmp_path))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "log").read_text().split()[:3] == ["load", "--verify", "--execute"]
    assert (tmp_path / "log").read_text().split()[-2:] == ["-t", "uf2"]
    assert (tmp_path / "log.uf2").read_bytes() == image.with_suffix(".uf2").read_bytes()
    assert "compared and started" in result.stdout


@pytest.mark.parametrize(
    ("then", "says"),
    [
        (
            "echo 'No accessible RP2040 devices in BOOTSEL mode were found.' >&2; exit 249",
            "it finds no board in its boot",
        ),
        ("echo 'ERROR: verify failed.'; exit 1", "it failed: ERROR: verify failed; try picotool info by itself"),
        ("exit 3", "it failed: it says no reason"),
    ],
)
def test_what_picotool_complains_of_is_a_sentence(
    airwire: Airwire, image: Path, tmp_path: Path, then: str, says: str
) -> None:
    result = airwire("flash", image, "--picotool", picotool(tmp_path, then))
    assert result.returncode == 2 and says in result.stderr and "Traceback" not in result.stderr


def test_picotool_of_the_path_is_found_and_without_any_way_it_says_what_to_do(
    airwire: Airwire, image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mounted_drives():
        pytest.fail("a board in its boot mode is plugged in; unplug it for this test")
    program = picotool(tmp_path)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    result = airwire("flash", image)
    assert result.returncode == 0 and f"no boot drive is mounted; {program} writes the image" in result.stderr
    program.unlink()
    result = airwire("flash", image)
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1
    assert "picotool is not in PATH; hold BOOTSEL while you plug the board in" in result.stderr


def test_what_cannot_go_together_is_refused(airwire: Airwire, image: Path, drive: Path, tmp_path: Path) -> None:
    assert "one of them writes" in airwire("flash", image, "--drive", drive, "--picotool", picotool(tmp_path)).stderr
    (tmp_path / "plain").write_text("no program")
    result = airwire("flash", image, "--picotool", "plain")
    assert result.returncode == 2 and "plain: this is no program that can be run" in result.stderr
