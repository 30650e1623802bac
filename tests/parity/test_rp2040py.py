"""A script in MicroPython for a Pico W, here and under rp2040py, a third party's emulator with a functional radio.

It is a black box: nothing of it is read but what the script prints there. It has no times, one fixed access point, and
takes any passphrase, so what can agree is the order of states, and what users of the driver are told of them.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from pico_w_repl import pasted
from public_images import public_image

from airwire.board import Board

REPOSITORY = Path(__file__).resolve().parents[2]
ORACLE = Path(os.environ.get("AIRWIRE_RP2040PY") or REPOSITORY / "build" / "rp2040py" / "bin" / "rp2040py")
IMAGE = "micropython-picow-v1.20.0.uf2"
NETWORK = """
[access_points.guest]
ssid = "RP2040PY-GUEST"
"""
SCRIPT = """
import network, time
w = network.WLAN(network.STA_IF); w.active(True)
print('active', w.active(), w.status(), w.isconnected(), w.ifconfig()[0])
w.connect('RP2040PY-GUEST', 'any passphrase')
for i in range(200):
    if w.status() == 3 or w.status() < 0: break
    time.sleep(0.1)

print('joined', w.status(), w.isconnected(), w.ifconfig()[1], w.ifconfig()[0] != '0.0.0.0')
w.disconnect(); time.sleep(0.2)
print('left', w.status(), w.isconnected())
"""
STATES = re.compile(r"^(?:active|joined|left) .*", re.MULTILINE)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not ORACLE.is_file(), reason="rp2040py is not in its environment: rp2040py-requirements.txt says how"
    ),
]


def test_states_of_a_station_come_as_under_another_emulator(tmp_path: Path) -> None:
    image = public_image(IMAGE)
    script, network = tmp_path / "script.py", tmp_path / "air.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    network.write_text(NETWORK, encoding="utf-8")
    command = [ORACLE, "micropython", "--board", "pico_w", "--image", image, script]
    theirs = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, cwd=tmp_path)
    expected = STATES.findall(theirs.stdout)
    assert len(expected) == 3, theirs.stdout + theirs.stderr

    board = Board("pico-w", image, network=network)
    board.run("2 s")
    printed = "\n".join(pasted(board, SCRIPT, "30 s"))

    assert STATES.findall(printed) == expected
