"""Pins that an image has made inputs and at which it may wait, for a button or another chip.

They are read from the registers of the RP2040 (datasheet, 2.3.1.7, 2.19.6.1 and 2.19.6.3); of other microcontrollers
none is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from airwire.board.catalogue import describe_board
from airwire.board.virtual import Board

_GPIOS = 30
_SIO_OUTPUT_ENABLE = 0xD000_0020
_IO_CONTROL = 0x4001_4004
_IO_INTERRUPT_ENABLE = 0x4001_4100
"""Of core 0: four bits a pin, eight pins a register."""
_PAD = 0x4001_C004
_FUNCTION_SIO = 5
_PULL_UP, _PULL_DOWN, _INPUT_ENABLE = 1 << 3, 1 << 2, 1 << 6


@dataclass(frozen=True, slots=True)
class Input:
    """A pin that the image reads, and that nothing on its board drives."""

    gpio: int
    pull: str
    """``up`` or ``down``; empty where it has none."""
    interrupts: bool
    """Whether its level or its edges interrupt core 0."""

    @property
    def words(self) -> str:
        """``GP15, an input with a pull-up``."""
        return f"GP{self.gpio}, an input with a pull-{self.pull}" if self.pull else f"GP{self.gpio}, an input"


def inputs_of(board: Board) -> list[Input]:
    """The inputs of an image that has run on a board, those that interrupt it first."""
    if describe_board(board.name).mcu != "rp2040":
        return []
    word = board.memory.word
    outputs = word(_SIO_OUTPUT_ENABLE)
    found = []
    for gpio in range(_GPIOS):
        pad = word(_PAD + 4 * gpio)
        is_read = word(_IO_CONTROL + 8 * gpio) & 31 == _FUNCTION_SIO and pad & _INPUT_ENABLE
        if is_read and not outputs >> gpio & 1:
            pull = "up" if pad & _PULL_UP else "down" if pad & _PULL_DOWN else ""
            enabled = word(_IO_INTERRUPT_ENABLE + 4 * (gpio // 8)) >> 4 * (gpio % 8) & 15
            found.append(Input(gpio, pull, enabled != 0))
    return sorted(found, key=lambda one: not one.interrupts)
