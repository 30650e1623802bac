"""Devices in Python at a virtual board: on SPI, I2C and pins, and in snapshots; wires, voltages and buttons."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import airwire
from airwire.board import Board


class Inverter:
    """A device on SPI with a state of its own."""

    def __init__(self) -> None:
        self.frames = 0
        self.selections: list[bool] = []

    def __call__(self, sent: int) -> int:
        self.frames += 1
        return ~sent & 0xFF

    def selected(self, selected: bool) -> None:
        self.selections.append(selected)


class Memory:
    """A device on I2C with one byte."""

    def __init__(self) -> None:
        self.byte = 0

    def write(self, byte: int) -> bool:
        self.byte = byte
        return True

    def read(self) -> int:
        return self.byte


def test_a_device_in_python_answers_on_spi_while_it_is_selected(images: Path) -> None:
    board = Board("pico", images / "spi_poll.elf")
    device = Inverter()
    board.connect_spi(0, device, select=17)
    board.run("1 s")
    assert "pins, 8 bits, clk_peri / 12: cb ba a9 98 87 76 65 54" in board.console
    assert device.selections[-2:] == [True, False]


def test_a_device_in_python_is_copied_with_a_snapshot(images: Path) -> None:
    board = Board("pico", images / "spi_poll.elf")
    device = Inverter()
    board.connect_spi(0, device, select=17)
    board.run("20 ms")
    before = device.frames
    branch = board.branch()
    branch.run("1 s")
    assert device.frames == before, "the branch has a device of its own"
    board.run("1 s")
    assert device.frames > before
    assert branch.console == board.console


def test_an_exception_of_a_device_ends_the_run_and_names_the_device(images: Path) -> None:
    board = Board("pico", images / "spi_poll.elf")
    board.connect_spi(0, lambda sent: 1 // 0)
    with pytest.raises(ZeroDivisionError) as raised:
        board.run("1 s")
    assert re.match(r"in the device at SPI0 at [\d.]+ ms", raised.value.__notes__[0])
    wrong = Board("pico", images / "spi_poll.elf")
    wrong.connect_spi(0, lambda sent: "text")  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError):
        wrong.run("1 s")


def test_a_device_at_a_port_that_the_microcontroller_does_not_have_is_refused() -> None:
    uno = Board("arduino-uno")
    with pytest.raises(airwire.AirwireError, match="there is no SPI1: the ATmega328P has SPI0 alone"):
        uno.connect_spi(1, lambda sent: sent)
    with pytest.raises(airwire.AirwireError, match="there is no I2C1: the ATmega328P has I2C0 alone"):
        uno.connect_i2c(1, 0x50, Memory())
    with pytest.raises(airwire.AirwireError, match="there is no SPI2: the RP2040 has SPI0 and SPI1"):
        Board("pico").connect_spi(2, lambda sent: sent)


def test_a_device_that_cannot_be_copied_says_so(images: Path) -> None:
    board = Board("pico", images / "spi_poll.elf")
    seen: list[int] = []

    def closure(sent: int) -> int:
        seen.append(sent)
        return 0

    board.connect_spi(0, closure)
    with pytest.raises(airwire.AirwireError, match="device at SPI0 is a function with variables from around it"):
        board.snapshot()


def test_a_device_cannot_ask_the_board_that_runs(images: Path) -> None:
    board = Board("pico", images / "spi_poll.elf")
    board.connect_spi(0, lambda sent: int(board.time_ps))
    with pytest.raises(airwire.AirwireError, match="the board is running"):
        board.run("1 s")


def test_a_device_at_the_pins_hears_levels_and_drives_others(images: Path) -> None:
    board = Board("pico", images / "gpio_irq.elf")
    heard = []

    def wire(time_ps: int, name: str, level: bool) -> dict[str, bool | None]:
        heard.append((time_ps, name, level))
        return {"GP15": level}

    board.connect_pins(wire, ["GP14"])
    board.run("1 s")
    assert "GP14 on GP15: rfrfrfrfrf" in board.console
    assert [(time_ps, level) for time_ps, _, level in heard] == [
        (edge.time_ps, edge.level) for edge in board.edges if edge.pin == "GP14"
    ]


def test_a_wire_between_pins_carries_levels_and_frames(images: Path) -> None:
    levels = Board("pico", images / "gpio_irq.elf")
    levels.wire("GP14", 15)
    levels.run("1 s")
    assert "GP14 on GP15: rfrfrfrfrf" in levels.console
    frames = Board("pico", images / "spi_poll.elf")
    frames.wire(16, 19)
    frames.run("1 s")
    assert "pins, 8 bits, clk_peri / 12: 34 45 56 67 78 89 9a ab" in frames.console


def test_a_voltage_at_a_pin_is_what_the_adc_reads(images: Path) -> None:
    board = Board("pico", images / "adc.elf")
    board.pins[26].set_millivolts(1650)
    board.run("1 s")
    found = re.search(r"GP26 (\d+)", board.console)
    assert found
    assert int(found[1]) == pytest.approx(2048, abs=30)
    with pytest.raises(airwire.AirwireError, match="pin 25 has no ADC input"):
        board.pins["LED"].set_millivolts(1)


def test_buttons_and_switches_of_a_board_file_can_be_pressed(images: Path, tmp_path: Path) -> None:
    file = tmp_path / "pad.toml"
    file.write_text("mcu = 'rp2040'\n[chips.start]\nkind = 'button'\npin = 2\npull = 'up'\n", encoding="ascii")
    board = Board(file, images / "hello_uart.elf")
    board.run("1 ms")
    levels = [board.pins[2].level]
    for pressed in (True, False):
        board.press("start", pressed)
        levels.append(board.pins[2].level)
    assert levels == [True, False, True]
    with pytest.raises(airwire.AirwireError, match="no button or switch stop; it has BOOTSEL, start"):
        board.press("stop")
