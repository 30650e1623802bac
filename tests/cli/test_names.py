"""Wherever a name is taken, the nearest is offered: one that differs in capitals, or in - and _, always."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import airwire as package

Airwire = Callable[..., subprocess.CompletedProcess[str]]
SUITE = "samples = 20\n[links.uart]\npayloads = [12]\nbaud = [9600, 115200]\n"
BOARD_FILE = """mcu = "rp2040"
[pins]
"Chip Select" = 17
[chips.net]
kind = "{kind}"
spi = 0
select = "{select}"
"""


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("link LORA", "lora"),
        ("link ESP32_WIFI_TCP", "esp32-wifi-tcp"),
        ("link lora --set SF=9", "sf"),
        ("link lora --set Coding-Rate=1", "coding_rate"),
        ("link lora --set low_data_rate=Auto", "auto"),
        ("run Links", "links"),
        ("run s.toml --only UART", "uart"),
        ("sweep s.toml --only Uart", "uart"),
        ("sweep s.toml --over UART.Baud=9600", "uart.baud"),
        ("sweep s.toml --over Stop-Bits=2", "stop_bits"),
        ("choose --payload 12B --p95 20ms --site Office", "office"),
        ("tune LORA --payload 12B --goal p95", "lora"),
        ("tune lora --payload 12B --goal P95", "p95"),
        ("tune lora --payload 12B --goal p95 --knob SF", "sf"),
        ("board header W5500_EVB_PICO --out h", "w5500-evb-pico"),
        ("board header chips.toml --out h", "w5500"),
        ("board header pins.toml --out h", "Chip Select"),
        ("analyze 12B.csv --pairing STRICT", "strict"),
        ("schema Board_Run", "board-run"),
        ("probe Ping-Pong 127.0.0.1", "pingpong"),
        ("probe http 127.0.0.1 --set Keep-Alive=true", "keep_alive"),
        ("probe pingpong 127.0.0.1 --set payload=Bytes", "bytes"),
        ("probe http 127.0.0.1 --bound P95=1ms", "p95"),
        ("serve HTTP", "http"),
        ("live Pingpong:127.0.0.1", "pingpong:127.0.0.1"),
        ("capture --instrument SIGROK:fx2lafw", "sigrok"),
    ],
)
def test_the_nearest_name_is_offered(airwire: Airwire, tmp_path: Path, line: str, offered: str) -> None:
    (tmp_path / "s.toml").write_text(SUITE)
    (tmp_path / "12B.csv").write_text("Time [s],Channel 0,Channel 1\n0,0,0\n")
    (tmp_path / "chips.toml").write_text(BOARD_FILE.format(kind="W5500", select="Chip Select"))
    (tmp_path / "pins.toml").write_text(BOARD_FILE.format(kind="w5500", select="chip_select"))
    done = airwire(*line.split())

    said = " ".join(done.stderr.split())
    assert done.returncode == 2 and f"the nearest is {offered}" in said, said


@pytest.mark.parametrize(
    ("wrong", "offered"),
    [
        (lambda board: board.press("Bootsel"), "BOOTSEL"),
        (lambda board: board.wire("led", "GP3"), "LED"),
        (lambda board: board.set_register("R0", 1), "r0"),
        (lambda board: board.console_of("UART0"), "uart0"),
        (lambda board: package.SpiController("W-5500"), "w5500"),
    ],
)
def test_the_nearest_name_is_offered_in_python_too(wrong: Callable[[package.Board], object], offered: str) -> None:
    with pytest.raises(package.AirwireError, match=f"the nearest is {offered}"):
        wrong(package.Board("pico"))
