"""Public images of MicroPython and CircuitPython compute, drive pins and offer disks (see test_public_images.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from public_boards import PROMPT, answers, board_with
from public_images import public_image

import airwire
from airwire.board import Board


@pytest.mark.parametrize("version", ["1.19.1", "1.20.0", "1.21.0"])
def test_micropython_computes_at_its_prompt(version: str) -> None:
    board = board_with(f"micropython-v{version}.uf2")
    board.run("600 ms")
    assert answers(board, "\r\n") == "\r\n" + PROMPT
    assert answers(board, "sum(i*i for i in range(1000))\r\n").split("\r\n")[1:] == ["332833500", PROMPT]
    assert answers(board, "2**100\r\n").split("\r\n")[1] == str(2**100)
    assert answers(board, "1/3\r\n").split("\r\n")[1].startswith("0.333333")
    assert answers(board, "import sys; sys.version\r\n").count(f"MicroPython v{version}") == 1
    # Ctrl-D is a soft reset, which prints the banner.
    assert f"MicroPython v{version} on 20" in answers(board, "\x04", "1 s")
    assert "Raspberry Pi Pico with RP2040" in board.console_of("usb")


def test_micropython_drives_pins_files_and_time() -> None:
    board = board_with("micropython-v1.21.0.uf2")
    board.run("600 ms")
    answers(board, "from machine import Pin; import time\r\n")
    answers(board, "Pin(25, Pin.OUT).on()\r\n")
    assert board.pins["LED"].level
    told = answers(board, "t = time.ticks_us(); time.sleep_ms(50); print(time.ticks_us() - t)\r\n")
    assert 50_000 <= int(told.split("\r\n")[1]) < 52_000
    # The file system is formatted at the first boot: flash is erased and written, and read again.
    answers(board, "f = open('x', 'w'); f.write('kept'); f.close()\r\n", "1 s")
    assert answers(board, "open('x').read()\r\n").split("\r\n")[1] == "'kept'"
    assert answers(board, "import os; os.listdir()\r\n").split("\r\n")[1] == "['x']"


_TARGET = """
from machine import I2C, Pin, mem32
import _thread
I2C(0, scl=Pin(5), sda=Pin(4))
block = 0x40044000
def target(address):
    for offset, value in ((0x6c, 0), (0, 0x104), (8, address), (0x6c, 1)):
        mem32[block + offset] = value
def received():
    return bytes([mem32[block + 0x10] & 0xff for _ in range(mem32[block + 0x78])])
def answer(text):
    for letter in text:
        while not mem32[block + 0x34] & 0x20:
            pass
        mem32[block + 0x50]
        mem32[block + 0x10] = letter
target(0x17)
i2c = I2C(1, scl=Pin(7), sda=Pin(6))
"""


def test_micropython_speaks_to_the_other_i2c_of_its_chip_as_a_target() -> None:
    # The target is set up by its registers, as this version has none of its own. scan() moves the pins itself, the
    # longer transfers are those of the controller, and the second core answers while the clock is held.
    board = Board("pico", public_image("micropython-v1.21.0.uf2"))
    board.wire("GP4", "GP6")
    board.wire("GP5", "GP7")
    board.run("1 s", until=PROMPT)
    answers(board, f"exec({_TARGET!r})\r\n")
    assert answers(board, "i2c.scan()\r\n").split("\r\n")[1] == "[23]"
    answers(board, "received(); i2c.writeto(23, b'hello')\r\n")
    assert answers(board, "received()\r\n").split("\r\n")[1] == "b'hello'"
    answers(board, "_thread.start_new_thread(answer, (b'world',))\r\n")
    assert answers(board, "i2c.readfrom(23, 5)\r\n").split("\r\n")[1] == "b'world'"
    assert not [access for access in board.unknown if access.block.startswith("I2C")]


def test_micropython_finds_a_memory_on_its_i2c_pins(tmp_path: Path) -> None:
    # Its port for this chip moves the pins itself for transfers of up to two bytes, as scan() makes them; longer ones
    # are the controller's.
    file = tmp_path / "memory.toml"
    file.write_text("mcu = 'rp2040'\n[chips.memory]\nkind = 'i2c-eeprom'\ni2c = 0\naddress = 0x50\n", encoding="ascii")
    board = Board(file, public_image("micropython-v1.21.0.uf2"))
    board.run("1 s", until=PROMPT)
    answers(board, "from machine import Pin, I2C; i2c = I2C(0, scl=Pin(5), sda=Pin(4))\r\n")
    assert answers(board, "i2c.scan()\r\n").split("\r\n")[1] == "[80]"
    answers(board, "i2c.writeto(80, bytes([0, 16]) + b'hello')\r\n")
    assert answers(board, "i2c.readfrom_mem(80, 16, 5, addrsize=16)\r\n").split("\r\n")[1] == "b'hello'"


def test_circuitpython_comes_to_its_prompt() -> None:
    board = board_with("circuitpython-9.2.1.uf2")
    ended = board.run("10 s", until="Press any key to enter the REPL.")
    assert ended.reason == "text", ended.sentence
    board.run("200 ms")
    greeting = answers(board, "\r\n", "1 s")
    assert "Adafruit CircuitPython 9.2.1 on 2024-11-20; Raspberry Pi Pico with rp2040" in greeting
    assert greeting.endswith(PROMPT)
    assert answers(board, "2**64\r\n", "500 ms").split("\r\n")[1] == "18446744073709551616"
    assert answers(board, "import board; board.board_id\r\n", "500 ms").split("\r\n")[1] == "'raspberry_pi_pico'"


def test_circuitpython_offers_its_disk() -> None:
    # A disk of one FAT partition from sector 1 on, whose root folder has the volume's name and boot_out.txt.
    board = board_with("circuitpython-9.2.1.uf2")
    board.run("6 s")
    device = board.usb_device
    assert device is not None and device.disk_sectors is not None
    assert (device.product, device.disk_sector_bytes) == ("Pico", 512)
    assert {2, 3, 8, 10} <= set(device.interface_classes), "CDC, HID and mass storage"
    first = int.from_bytes(board.read_disk(0)[454:458], "little")
    boot = board.read_disk(first)
    assert boot[510:] == b"\x55\xaa"
    reserved, tables = int.from_bytes(boot[14:16], "little"), boot[16]
    root = first + reserved + tables * int.from_bytes(boot[22:24], "little")
    content = board.read_disk(root)
    names = [content[place : place + 11] for place in range(0, len(content), 32)]
    assert b"CIRCUITPY  " in names and b"BOOT_OUTTXT" in names
    with pytest.raises(airwire.AirwireError, match="cannot be asked for at once"):
        board.read_disk(device.disk_sectors)
