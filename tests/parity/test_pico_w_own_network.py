"""MicroPython makes a network of its own on a Pico W, and the PC joins it.

The PC has its address from the DHCP server of the image, pings the board and reads pages from it. Networks and keys are
those of the test; tests/parity/README.md says where the images are published.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pico_w_repl import pasted
from public_images import public_image

from airwire.board import Board

PYTHONS = [f"micropython-picow-v{version}.uf2" for version in ("1.20.0", "1.21.0", "1.22.1", "1.24.1")]
STATION = """
[pc.station]
ssid = "bench"
passphrase = "correct horse"
"""
TRAFFIC = ["ping to=board count=20 interval=100ms", "page kind=http to=board requests=5"]
SERVE = """
import network, socket, time
ap = network.WLAN(network.AP_IF); ap.config(essid='bench', password='correct horse'); ap.active(True)
while not ap.active(): time.sleep(0.1)
print('up', ap.ifconfig()[0])
l = socket.socket(); l.bind(('', 80)); l.listen(2)
for n in range(5):
    c, a = l.accept()
    while c.recv(1024)[-4:] != b'\\r\\n\\r\\n': pass
    k = c.send(b'HTTP/1.0 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nhello')
    c.close()

print('served', n + 1, a[0])
print('joined', [len(one[0]) for one in ap.status('stations')])
"""


def serving(folder: Path, image: str, network: str, for_: str) -> tuple[Board, list[str]]:
    path = folder / "network.toml"
    path.write_text(network, encoding="utf-8")
    board = Board("pico-w", public_image(image), network=path, traffic=TRAFFIC, record=False)
    board.run("2 s")
    return board, pasted(board, SERVE, for_)


@pytest.mark.parametrize("image", PYTHONS)
def test_the_pc_joins_is_given_an_address_pings_and_reads_pages(tmp_path: Path, image: str) -> None:
    board, printed = serving(tmp_path, image, STATION, "15 s")
    # MicroPython's access point is 192.168.4.1; the first address that its server gives out ends in 16.
    assert "up 192.168.4.1" in printed, printed
    assert "served 5 192.168.4.16" in printed, printed
    # In versions between, MicroPython reads how many it may list from a variable that nobody set (pull request 16265).
    if any(version in image for version in ("1.20.0", "1.24.1")):
        assert "joined [6]" in printed, "one station, by its address"
    for name, count in (("ping", "20 pings"), ("page", "5 requests")):
        result = board.traffic[name]
        assert result.done and result.failure is None
        assert count in result.summary and "0 lost" in result.summary


def test_a_pc_with_another_passphrase_is_refused_and_the_notes_say_so(tmp_path: Path) -> None:
    network = STATION.replace("correct horse", "wrong horse")
    board, printed = serving(tmp_path, "micropython-picow-v1.22.1.uf2", network, "5 s")
    assert "up 192.168.4.1" in printed, printed
    assert any("refuses a station of" in note and "bench" in note for note in board.notes), board.notes
    assert board.traffic["ping"].waits_for == "pc-address" and not board.traffic["ping"].done
