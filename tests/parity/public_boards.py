"""Boards with a public image, and what they printed and moved."""

from __future__ import annotations

from itertools import pairwise

from public_images import public_image

from airwire.board import Board, BoardRun

PROMPT = ">>> "


def board_with(name: str) -> Board:
    """A Pico with the image; skips the test where the image is absent or another of that name."""
    return Board("pico", public_image(name))


def run_on(board: Board, for_: str) -> BoardRun:
    """Run for a time, past the end of ``main``.

    The SDK's ``_exit`` is a BKPT, which without a debugger faults and then locks the core up; the peripherals and the
    other core go on, as on the chip.
    """
    ended = board.run(for_, past_faults=True)
    assert ended.fault is None or "BKPT #0" in ended.fault.what
    return ended


def lines(board: Board) -> list[str]:
    return board.console.replace("\r", "").splitlines()


def times_ps(board: Board, pin: str, level: bool) -> list[int]:
    return [edge.time_ps for edge in board.edges if edge.pin == pin and edge.level is level]


def distances_ps(times: list[int]) -> list[int]:
    return [later - earlier for earlier, later in pairwise(times)]


def answers(board: Board, text: str, for_: str = "200 ms") -> str:
    """What a console on USB prints after a text is typed."""
    before = len(board.console_of("usb"))
    board.send(text, "usb")
    board.run(for_)
    return board.console_of("usb")[before:]
