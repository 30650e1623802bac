"""An echo server by Embassy, whose driver has a WIZnet chip in MACRAW mode by interrupts and DMA, on the virtual board.

Its builds are not in the repository (README.md says what they are built of). What each must do is read off its source
in ``embassy``.
"""

from __future__ import annotations

import pytest
from public_images import built_image

from airwire.board import Board

IMAGES = {
    "w5500-evb-pico": "embassy_echo_w5500.elf",
    "w5100s-evb-pico": "embassy_echo_w5100s.elf",
    "w6100-evb-pico": "embassy_echo_w6100.elf",
}
ECHO = "messages kind=pingpong to=board:1234 start=4.5s rounds=300 payload=text"
PINGS = "ping to=board start=4.5s count=20 interval=50ms"


@pytest.mark.parametrize("on", IMAGES)
def test_embassys_driver_takes_an_address_and_loses_no_message(on: str) -> None:
    board = Board(on, built_image(IMAGES[on]), traffic=(ECHO, PINGS))
    ended = board.run("20 s", until_done=True)
    assert ended.reason == "done", ended.sentence
    assert [board.traffic[name].failure for name in ("messages", "ping")] == [None, None]
    assert {name: len(board.traffic.samples(name)) for name in ("messages", "ping")} == {"messages": 300, "ping": 20}


@pytest.mark.parametrize("on", IMAGES)
def test_nothing_that_it_uses_is_left_out(on: str) -> None:
    # At its start it has the power-on state machine reset the single-cycle block.
    board = Board(on, built_image(IMAGES[on]))
    board.run("5 s")
    assert board.unknown == []


def test_functions_of_rust_have_short_names() -> None:
    board = Board("w5500-evb-pico", built_image(IMAGES["w5500-evb-pico"]))
    board.start_profile()
    board.run("5 s")
    names = [function.name for function in board.end_profile().functions]
    assert {"Executor::run", "RpSpinlockCs::acquire"} <= set(names)
    assert max(map(len, names)) < 90
