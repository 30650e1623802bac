# mypy: ignore-errors
"""MicroPython's ``machine`` as far as a script with a WIZnet chip needs it: an SPI whose chip is ``plan.py``'s."""

import time

import plan


class Pin:
    """An output or an input; a call without an argument reads, with one it writes."""

    IN, OUT = 0, 1

    def __init__(self, number, mode=-1, pull=-1, *, value=None):
        self.number = number
        self.mode = mode
        self.level = 0 if value is None else value

    def __call__(self, level=None):
        if level is None:
            return self.level
        if self.mode != Pin.OUT:
            raise ValueError("no output")
        self.level = level
        if self.number == plan.RST and level:
            plan.reset_ended_ms = time.ticks_ms()
        if self.number == plan.CS:
            plan.header = b""


class SPI:
    """SPI0; what it reads is the chip's version register."""

    def __init__(self, number, baudrate=1_000_000, *, sck=None, mosi=None, miso=None):
        assert (number, sck.number, mosi.number, miso.number) == (0, 18, 19, 16), "the chip is not wired there"
        plan.note("spi " + str(baudrate))

    def write(self, data):
        plan.header += data

    def read(self, count, write=0):
        assert count == 1
        return bytes([plan.register(plan.header)])
