"""The demo site on a virtual board, through a forwarded port: seen by a browser of this machine, its form sent."""

from __future__ import annotations

import http.client
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TRANSPORTS = ("hardware", "lwip_raw", "lwip_sockets", "lwip_small")


@dataclass(frozen=True)
class Seen:
    """What the page shows once it has asked for figures a while."""

    voltage: float
    counter: int
    state: str
    heights: tuple[float, ...]


def seen_in(page: str) -> Seen:
    def text_of(name: str) -> str:
        found = re.search(rf'id="{name}"[^>]*>([^<]*)<', page)
        assert found is not None, page
        return found[1]

    points = re.search(r'<polyline points="([^"]*)"', page)
    assert points is not None, page
    heights = tuple(float(point.split(",")[1]) for point in points[1].split())
    return Seen(float(text_of("voltage")), int(text_of("counter")), text_of("state"), heights)


def test_a_browser_sees_the_voltage_and_the_counter_move(script: Any, firmware: Path, tmp_path: Path) -> None:
    if script.chromium() is None:
        pytest.skip("Chromium is not on this machine (Debian: chromium)")
    board = script.started(firmware / "w5500-evb-pico" / "http_server-lwip_raw.elf", 1650)
    board.start_pcap(tmp_path / "wire.pcapng")
    dump = partial(script.look, options=("--dump-dom",))
    first = seen_in(script.while_served(board, dump))
    board.pins["GP26"].set_millivolts(2475)
    second = seen_in(script.while_served(board, dump))
    board.end_pcap()
    # The ADC's steps are 0.8 mV. Of the picture's height of 80 for 3.3 V a half and a quarter are left above.
    assert [first.voltage, second.voltage] == pytest.approx([1.65, 2.475], abs=0.002)
    assert set(first.heights) <= {39.9, 40.0, 40.1}
    assert set(second.heights) <= {19.9, 20.0, 20.1}
    for seen in (first, second):
        assert seen.state == "live"
        assert len(seen.heights) >= 10, "one for each second"
    assert first.counter >= len(first.heights)
    assert second.counter >= first.counter + len(second.heights)

    wire = (tmp_path / "wire.pcapng").read_bytes()
    asked = re.findall(rb"GET (\S+) HTTP/1\.1\r\n", wire)
    assert set(asked) == {b"/", b"/style.css", b"/live.js", b"/icon.svg", b"/live.json.shtml"}
    statuses, known = Counter(re.findall(rb"HTTP/1\.1 (\d{3}) ", wire)), wire.count(b"\r\nIf-None-Match: ")
    assert statuses == Counter({b"200": len(asked) - known, b"304": known})


Answer = tuple[int, str | None, str]


def ask(method: str, path: str, form: str | None = None) -> Callable[[str], Answer]:
    """A visit of one request: its status, where it leads, and its body."""

    def visit(address: str) -> Answer:
        client = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
        client.request(method, path, form, {"Content-Type": "application/x-www-form-urlencoded"} if form else {})
        response = client.getresponse()
        body = response.read().decode()
        client.close()
        return response.status, response.getheader("Location"), body

    return visit


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_tags_are_what_was_measured_and_counted(script: Any, firmware: Path, transport: str) -> None:
    board = script.started(firmware / "w5500-evb-pico" / f"http_server-{transport}.elf", 1650)
    for count in (1, 2, 3):
        status, _, body = script.while_served(board, ask("GET", "/ssi.shtml"))
        assert status == 200
        assert re.search(r"<p>(Hello|Good day|Welcome|Greetings)!</p>", body), body
        assert f"answer number {count} of this board" in body
        volts = re.search(r"GPIO26 is at (\d\.\d{3}) V", body)
        assert volts is not None, body
        assert float(volts[1]) == pytest.approx(1.65, abs=0.002)
        assert "<!--#" not in body


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_temperature_is_what_the_sensor_gives(script: Any, firmware: Path, transport: str) -> None:
    """27 degrees, in tenths, by a converter whose steps are 0.47 degrees (RP2040 datasheet, 4.9.5)."""
    board = script.started(firmware / "w5500-evb-pico" / f"http_server-{transport}.elf")
    figures = json.loads(script.while_served(board, ask("GET", "/live.json.shtml"))[2])
    assert re.fullmatch(r"\d+\.\d", figures["temperature"]), figures
    step = round(0.706 / 3.3 * 4096 - 0.5)
    volts = step * 3.3 / 4096
    assert float(figures["temperature"]) == pytest.approx(27 - (volts - 0.706) / 0.001721, abs=0.1)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_form_switches_the_lamp(script: Any, firmware: Path, transport: str) -> None:
    site = REPOSITORY / "firmware" / "sites" / "demo" / "index.shtml"
    assert re.findall(r'<button name="lamp" value="(\w+)">', site.read_text(encoding="utf-8")) == ["on", "off"]
    board = script.started(firmware / "w5500-evb-pico" / f"http_server-{transport}.elf")
    for form, answer, is_lit in [
        ("lamp=on", (303, "/"), True),
        ("lamp=dim", (400, None), True),
        ("lamp=off", (303, "/"), False),
    ]:
        assert script.while_served(board, ask("POST", "/lamp", form))[:2] == answer
        assert board.pins["LED"].level == is_lit, form
