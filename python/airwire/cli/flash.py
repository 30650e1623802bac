"""``airwire flash``: a firmware image onto a real board, through its boot drive or picotool."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from airwire.cli.complaints import complain
from airwire.cli.output import working
from airwire.cli.paths import Reads, Writes

if TYPE_CHECKING:
    from airwire.flash.boot_drive import Drive

_STILL_THERE = "The drive is still there: unplug the board and plug it in again, without BOOTSEL."


def flash(
    image: Annotated[
        Path,
        typer.Argument(
            metavar="IMAGE", help="A firmware image for the RP2040: .uf2, .elf or .bin.", show_default=False
        ),
        Reads("image"),
    ],
    drive: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The boot drive, where it is mounted. Default: the one below /media, /run/media, /mnt or /Volumes.",
            show_default=False,
        ),
        Writes("boot drive", is_folder=True, holds=lambda _names: True),
    ] = None,
    picotool: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Call this picotool, and look for no drive. Default: that of PATH, where no drive is mounted.",
            show_default=False,
        ),
        Reads("picotool"),
    ] = None,
) -> None:
    """Write an image to a real board that is in its boot mode.

    To enter it, hold BOOTSEL while you plug the board in. The image is checked first: one for another chip is refused.
    An .elf or .bin becomes a UF2 on the way. Example: airwire flash build/firmware/pico/blinky.uf2
    """
    from airwire.board.settings import boot_image
    from airwire.flash import boot_drive
    from airwire.flash import picotool as tool

    if drive is not None and picotool is not None:
        raise typer.BadParameter("a drive or picotool, one of them writes the image", param_hint="--picotool")
    content = boot_image(image)
    name = f"{image.stem}.uf2"
    found = None if picotool is not None else _drive(drive)
    if found is not None:
        with working(f"Copying {name} to {found.folder}"):
            has_restarted = boot_drive.copy_to(found, name, content)
        print(f"Copied: {found.folder / name} ({len(content)} bytes).")
        if has_restarted is not None:
            print("The board has restarted." if has_restarted else _STILL_THERE)
        return
    program = tool.find(picotool)
    if program is None:
        _refuse_without_a_way()
    complain(f"{'no boot drive is mounted; ' if picotool is None else ''}{program} writes the image")
    with working(f"Writing {name} with {program}"):
        tool.load(program, name, content)
    print(f"Written: {name} ({len(content)} bytes) with {program}, compared and started.")


def _drive(named: Path | None) -> Drive | None:
    """The boot drive that is named, or the only one that is mounted."""
    from airwire._core import AirwireError
    from airwire.flash.boot_drive import BOOT_MODE, INFO, RP2040_BOARD_ID, drive_at, mounted_drives

    if named is not None:
        drive = drive_at(named)
        if drive is None:
            raise AirwireError(
                f"{named}: this is no boot drive, which would hold a file {INFO}; {BOOT_MODE}, and name the drive that "
                "appears"
            )
        return drive
    found = [drive for drive in mounted_drives() if drive.board_id == RP2040_BOARD_ID]
    if len(found) > 1:
        folders = " and ".join(str(drive.folder) for drive in found)
        raise AirwireError(f"there are {len(found)} boot drives, {folders}; name one with --drive")
    return found[0] if found else None


def _refuse_without_a_way() -> NoReturn:
    from airwire._core import AirwireError
    from airwire.flash.boot_drive import BOOT_MODE, LABEL

    if LABEL.exists():
        raise AirwireError(
            f"the board is in its boot mode, but its drive is not mounted: udisksctl mount -b {LABEL}, then flash again"
        )
    raise AirwireError(
        f"no board in its boot mode is to be seen, and picotool is not in PATH; {BOOT_MODE}, then flash again "
        "(--drive names the drive where it is mounted elsewhere)"
    )
