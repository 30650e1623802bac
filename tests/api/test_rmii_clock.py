"""A board whose PHY gives the clock, and a link of 10 Mbit/s: an image of our own is the MAC, by PIO."""

from __future__ import annotations

from pathlib import Path

import pytest

from airwire.board import Board

BOARD = "pico-rmii-ethernet"
PC_MAC = "024157000001"


def says(board: Board) -> dict[str, str]:
    """What the image printed, by its names."""
    pairs = (line.rsplit(" ", 1) for line in board.console.splitlines() if " " in line)
    return dict(pair for pair in pairs if len(pair) == 2)


@pytest.mark.parametrize(
    ("image", "partner", "link", "seconds"),
    [
        # The partner can all four; 101 in bits 4 to 2 is 10BASE-T full duplex, and bit 12 says that it was negotiated.
        ("rmii_gpin", "000041e1", "00001054", 2.5),
        # A forced speed is found at once, and says nothing of the partner.
        ("rmii_gpin_forced", "00000001", "00000054", 0.0),
    ],
)
def test_a_mac_by_the_clock_of_its_phy_exchanges_frames_at_10_mbit_per_s(
    images: Path, image: str, partner: str, link: str, seconds: float
) -> None:
    board = Board(BOARD, images / f"{image}.elf")
    run = board.run("4 s", until="done")
    assert run.reason == "text", run.sentence + board.console
    said = says(board)
    assert (said["kHz at GPIN0 without its function"], said["kHz at GPIN0"]) == ("0", "50000")
    assert (said["partner"], said["link"]) == (partner, link)
    assert (said["answer"], said["from"], said["check sequence is right"]) == ("1", PC_MAC, "1")
    assert seconds <= board.time_ps / 1e12 < seconds + 0.1
    assert not run.notes


def test_a_bit_of_mdio_stays_for_a_while_behind_the_next_edge(images: Path) -> None:
    """Published drivers read it there."""
    board = Board(BOARD, images / "rmii_gpin_forced.elf")
    board.run("1 s", until="done")
    said = says(board)
    assert said["identifier"] == said["and read early"] == "0007c0f1"


def test_a_frame_takes_ten_times_as_long_at_10_mbit_per_s(images: Path) -> None:
    """The PC's answer is on the wire for 72 bytes, as long as the request."""
    board = Board(BOARD, images / "rmii_gpin_forced.elf", record=True)
    board.run("1 s", until="done")
    carrier, enable = ([edge.time_ps for edge in board.edges if edge.pin == pin] for pin in ("PHY CRS", "PHY TX-EN"))
    byte_ps = 8 * 100_000
    assert enable[-1] - enable[-2] == 72 * byte_ps
    # CRS_DV comes 18 bits behind the first bit of the wire, and the first di-bit 38 bits behind it.
    assert carrier[-1] - carrier[-2] == 72 * byte_ps + 20 * 100_000


def test_a_snapshot_and_a_saved_board_go_on_by_the_same_clock(images: Path, tmp_path: Path) -> None:
    board = Board(BOARD, images / "rmii_gpin_forced.elf")
    board.run("1 s", until="kHz at GPIN0 50000")
    kept = board.snapshot()
    board.save(tmp_path / "board.saved")
    board.run("1 s", until="done")
    ended = board.time_ps
    board.restore(kept)
    board.run("1 s", until="done")
    assert board.time_ps == ended
    other = Board(BOARD, images / "rmii_gpin_forced.elf")
    other.resume(tmp_path / "board.saved")
    run = other.run("1 s", until="done")
    assert run.reason == "text", run.sentence
    assert says(other)["answer"] == "1"


def test_without_a_clock_at_its_pin_it_is_told_what_is_missing(images: Path) -> None:
    board = Board("pico-lan8720", images / "rmii_gpin.elf")
    run = board.run("1 s", until="done")
    assert "clk_sys stands still, because GPIN0 (GPIO 20), its source, has no clock" in run.sentence
    told = " ".join(str(one) for one in run.unknown)
    assert "nothing on the board gives one at GPIO 20" in told
