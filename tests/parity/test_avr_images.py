"""Published images for AVRs with an Ethernet chip do here what their sources say.

None is in the repository (README.md says where each is published). What their EEPROM would hold is given with them:
the thermostat reads texts from it that an earlier sketch has written, and optiboot its addresses and the flag that
makes it listen.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from public_images import public_image

from airwire import AirwireError
from airwire.board import Board

PING = "ping kind=ping to=board count=4 interval=20ms timeout=2s"


def eeprom_of(folder: Path, content: bytes) -> Path:
    """A file with the first bytes of an EEPROM."""
    file = folder / "eeprom.bin"
    file.write_bytes(content)
    return file


def test_a_thermostat_gets_an_address_and_serves_its_page(tmp_path: Path) -> None:
    texts = eeprom_of(tmp_path, bytes(1024))
    client = "http kind=http to=board requests=3"
    board = Board("arduino-uno-w5500", public_image("dynamic_W5500.hex"), traffic=(client,), eeprom=texts)
    ended = board.run("20 s", until_done=True)
    assert ended.reason == "done", ended.sentence
    assert "Ethernet thermostat IP address:\r\n192.168.1." in board.console
    assert board.network is not None and board.network.address is not None
    http = board.traffic["http"]
    assert http.failure is None
    assert {counter.name: counter.value for counter in http.counters}["answered"] == 3
    # The sketch prints its page out of flash, which Arduino's Print hands on byte by byte: each goes out as a segment
    # of its own and is waited for. 57 bytes on the SPI at 8 MHz and two frames of 64 bytes are the least of it.
    least_us = 57 * 8 / 8 + 2 * 6.72
    for sample in board.traffic.samples("http"):
        microseconds = (sample["done_ps"] - sample["first_byte_ps"]) / 1e6 / sample["response_bytes"]
        assert least_us < microseconds < 5 * least_us


def test_a_boot_loader_of_the_1284p_opens_its_tftp_server() -> None:
    board = Board("goldilocks-1284p-w5100", public_image("ariadne_debug1284_w5100.hex"), traffic=(PING,))
    board.run("6 s", until_done=True)
    lines = [line.strip() for line in board.console.splitlines()]
    assert lines[1:5:3] == ["Main: Ariadne for Arduino Mega1284P, Version 0.5", "Net: \t Subnet: 0xFF.0xFF.0xFF.0x00"]
    assert "Tftp: TFTP server init done" in lines
    # Its built-in settings, which the console shows in hexadecimal.
    assert board.network is not None and board.network.address == "192.168.1.128"
    assert "Net: \tAddress: 0xC0.0xA8.0x01.0x80" in lines
    assert board.traffic["ping"].latency is not None


def test_optiboot_listens_on_its_network_where_its_eeprom_says_so(tmp_path: Path) -> None:
    # Gateway, mask, MAC and address at 16 to 33, and the flag at 34, as the listing beside it has them.
    settings = bytes([192, 168, 1, 1, 255, 255, 255, 0, 2, 0, 0, 0, 0, 7, 192, 168, 1, 77, 0x55])
    addresses = eeprom_of(tmp_path, b"\xff" * 16 + settings)
    image = public_image("optiboot_atmega328_fat.hex")
    board = Board("arduino-uno-w5100", image, traffic=(PING,), eeprom=addresses)
    board.run("6 s", until_done=True)
    assert board.network is not None and board.network.address == "192.168.1.77"
    assert board.traffic["ping"].latency is not None


def test_an_image_that_is_for_another_avr_is_refused_in_a_sentence() -> None:
    sentence = "is for the ATmega328P, but board goldilocks-1284p has an ATmega1284P; build it for that"
    with pytest.raises(AirwireError, match=sentence):
        Board("goldilocks-1284p", public_image("dynamic_W5500.hex"))
