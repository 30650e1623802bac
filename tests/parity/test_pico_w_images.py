"""Public images for a Pico W upload their firmware to the radio, join a network and talk TCP/IP, as their sources say.

None is in the repository; tests/parity/README.md says where each is published. The networks are named in a file of the
test's own, with keys that no image holds.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from pico_w_repl import pasted
from public_images import public_image

import airwire
from airwire.board import Board

MS = 10**9
PYTHONS = [f"micropython-picow-v{version}.uf2" for version in ("1.20.0", "1.21.0", "1.22.1", "1.24.1")]
STEPS_OF_EMBASSY = [
    "waiting for clock...",
    "clock ok",
    "chip ID: 43439",
    "loading fw",
    "loading nvram",
    "starting up core...",
    "waiting for wifi init...",
    "shared_addr 00016070",
    "wifi init done",
]
ARENA_OF_EMBASSY = (
    "panicked at 'embassy-executor: task arena is full. You must increase the arena size, see the documentation for "
    "details: https://docs.embassy.dev/embassy-executor/'"
)
AIR = """
[access_points.lab]
passphrase = "correct horse"
[access_points.guests]
security = "open"
channel = 11
[access_points.new]
security = "wpa3"
passphrase = "battery staple"
"""
JOIN = """
import network, time
w = network.WLAN(network.STA_IF); w.active(True)
print('scan', sorted((n[0].decode(), n[2], n[4]) for n in w.scan()))
def join(*a):
    w.connect(*a)
    for i in range(80):
        if w.status() < 0 or w.status() == 3: break
        time.sleep(0.1)
    print(a[0], len(a), w.status(), w.ifconfig()[0]); w.disconnect(); time.sleep(0.2)

join('lab', 'wrong horse')
join('nobody', 'correct horse')
join('guests')
join('lab', 'correct horse')
"""
SERVE = """
import network, socket, time
w = network.WLAN(network.STA_IF); w.active(True)
w.config(pm=0xa11140)
w.connect('lab', 'correct horse')
while not w.isconnected(): time.sleep(0.1)
s = socket.socket(); s.connect(('192.168.1.1', 80)); s.send(b'GET / HTTP/1.0\\r\\n\\r\\n'); print(s.recv(15)); s.close()
l = socket.socket(); l.bind(('', 80)); l.listen(2)
for n in range(20):
    c, a = l.accept()
    while c.recv(1024)[-4:] != b'\\r\\n\\r\\n': pass
    k = c.send(b'HTTP/1.0 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nhello')
    c.close()

print('served', n + 1)
"""
CIRCUITPYTHON = """
import wifi, socketpool, ipaddress
print(sorted(n.ssid for n in wifi.radio.start_scanning_networks())); wifi.radio.stop_scanning_networks()
wifi.radio.connect('lab', 'correct horse')
print(wifi.radio.ipv4_address, wifi.radio.ping(ipaddress.ip_address('192.168.1.1')) < 0.5)
s = socketpool.SocketPool(wifi.radio).socket()
s.connect(('192.168.1.1', 80)); k = s.send(b'GET / HTTP/1.0\\r\\n\\r\\n')
x = bytearray(15); n = s.recv_into(x); print(bytes(x[:n]))
"""


@pytest.fixture
def air(tmp_path: Path) -> Path:
    path = tmp_path / "air.toml"
    path.write_text(AIR, encoding="utf-8")
    return path


def test_blink_uploads_the_firmware_and_toggles_the_led_on_the_radio_each_250_ms() -> None:
    board = Board("pico-w", public_image("picow_blink.uf2"))
    ended = board.run("3 s")
    assert ended.fault is None and "STALL" not in board.console
    times = [edge.time_ps for edge in board.edges if edge.pin == "LED"]
    assert len(times) >= 8
    # cyw43_arch_gpio_put asks the firmware and waits for its answer, 0.7 to 1.0 ms on boards; then sleep_ms(250).
    assert all(250.7 * MS <= later - earlier <= 251.5 * MS for earlier, later in pairwise(times))


def test_an_sdk_server_joins_gets_an_address_and_answers_every_request(air: Path) -> None:
    image = public_image("picow_webserver.uf2")
    board = Board("pico-w", image, traffic=["page kind=http to=board requests=50"])
    board.run("15 s")
    assert "192.168.1.100" in board.console.splitlines()[2]
    page = board.traffic["page"]
    assert page.done and page.failure is None and page.latency is not None
    assert any("because the image asks for it" in note for note in board.notes)
    # With networks that are not its own, it finds none.
    stranger = Board("pico-w", image, network=air)
    stranger.run("15 s")
    assert "192.168.1." not in stranger.console


def test_why_finds_the_board_of_an_image_by_the_pins_of_the_radio() -> None:
    answer = airwire.why(public_image("picow_webserver.uf2"))
    assert answer.board == "pico-w" and answer.row is not None


@pytest.mark.parametrize("image", PYTHONS)
def test_micropython_scans_and_joins_and_tells_a_wrong_key_from_no_network(image: str, air: Path) -> None:
    board = Board("pico-w", public_image(image), network=air)
    board.run("2 s")
    printed = pasted(board, JOIN, "40 s")
    # Security 5 is WPA2 and better, as network.WLAN.scan has it; channels and names are the file's.
    assert "scan [('guests', 11, 0), ('lab', 6, 5), ('new', 6, 5)]" in printed
    # STAT_WRONG_PASSWORD, STAT_NO_AP_FOUND, STAT_GOT_IP.
    assert "lab 2 -3 0.0.0.0" in printed
    assert "nobody 2 -2 0.0.0.0" in printed
    assert "guests 1 3 192.168.1.100" in printed
    assert "lab 2 3 192.168.1.100" in printed


@pytest.mark.parametrize("image", PYTHONS)
def test_micropython_is_a_client_and_a_server_of_http(image: str, air: Path) -> None:
    board = Board("pico-w", public_image(image), network=air, traffic=["page kind=http to=board requests=20 start=12s"])
    board.run("2 s")
    printed = pasted(board, SERVE, "25 s")
    assert "b'HTTP/1.1 200 OK'" in printed and "served 20" in printed
    page = board.traffic["page"]
    assert page.done and page.failure is None


def test_circuitpython_scans_joins_pings_and_reads_a_page(air: Path) -> None:
    board = Board("pico-w", public_image("circuitpython-picow-8.0.3.uf2"), network=air)
    board.run("5 s")
    board.send("\r", "usb")
    board.run("2 s")
    printed = "\n".join(pasted(board, CIRCUITPYTHON, "20 s"))
    assert "['guests', 'lab', 'new']" in printed
    assert "192.168.1.100 True" in printed
    assert "b'HTTP/1.1 200 OK'" in printed


def test_embassys_driver_starts_the_radio_and_then_its_image_has_too_small_an_arena() -> None:
    # The driver checks what it uploaded and reads the firmware's log before its task is spawned. The image's arena has
    # 0x199c bytes and that task takes 0x2448, as its own code compares them: so it ends there on any board.
    board = Board("pico-w", public_image("embassy_wifi_blinky.elf"))
    ended = board.run("2 s")
    assert ended.fault is not None and "Arena" in str(ended.fault)
    assert not board.notes
    # What the image says of it goes out over RTT only, by defmt: the steps of its driver, with lines of source.
    *log, panic = re.split(r"\n(?=\d\.\d{6} )", board.console_of("rtt").rstrip("\n"))
    assert board.console == board.console_of("rtt")
    said = [re.fullmatch(r"\d\.\d{6} \[(.....)\] (.*) \((\w+) (\S+):(\d+)\)", line) for line in log]
    assert [line and line.groups() for line in said] == [
        *[("DEBUG", step, "cyw43", "cyw43/src/fmt.rs", "130") for step in STEPS_OF_EMBASSY],
        ("ERROR", ARENA_OF_EMBASSY, "embassy_executor", "embassy-executor/src/fmt.rs", "106"),
    ]
    assert "[ERROR] panicked at " in panic
    assert panic.endswith("\nexplicit panic (panic_probe panic-probe-0.3.1/src/lib.rs:104)")
