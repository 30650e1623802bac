"""The stopwatch behind the interface of instruments, at a port of the tests' own that answers as its firmware does."""

from __future__ import annotations

import errno
import os
import pty
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from airwire import analyze

pytest.importorskip("airwire.instruments.pico", reason="the stopwatch's stream is not there")
serial = pytest.importorskip("serial", reason="pyserial is not installed")

from airwire.instruments.base import InstrumentError, Wanted  # noqa: E402
from airwire.instruments.catalogue import open_instrument  # noqa: E402
from airwire.instruments.measurement import measure  # noqa: E402

CLOCK_HZ = 125_000_000
INTERVAL, LATENCY = 1_250_000, 12_500
"""10 ms and 100 us in cycles."""
HEADER = struct.pack("<IB", CLOCK_HZ, 2) + b"\x02\x07trigger" + b"\x03\x04done"


class StandIn:
    """A port with a stopwatch: a message each time that it is read, until it is unplugged."""

    def __init__(self, messages: int = 10**6) -> None:
        self.told: list[str] = []
        self.messages = messages
        self._sequence = self._edges = 0
        self._out = b""
        self._runs = False

    def write(self, content: bytes) -> None:
        for line in content.decode().split("\n"):
            if not line:
                continue
            self.told.append(line)
            if line == "stop":
                self._runs = False
                self._block(b"S", struct.pack("<QIIIBB", self._edges // 4 * INTERVAL, self._edges, 0, 0, 0, 0))
            if line in ("hello", "start"):
                self._block(b"H", HEADER)
            self._runs = self._runs or line == "start"
            self._block(b"A", b"\0")

    def read(self, _size: int) -> bytes:
        if self._runs and not self._out:
            if self._edges // 4 >= self.messages:
                raise serial.SerialException("device reports readiness to read but returned no data")
            n = self._edges // 4
            deltas = [(0, 1, 0), (0, 0, 1000), (1, 1, LATENCY + n - 1000), (1, 0, 1000)]
            records = b"".join(struct.pack("<I", delta << 3 | level << 2 | channel) for channel, level, delta in deltas)
            self._block(b"E", struct.pack("<QIBBH", n * INTERVAL, self._edges, 0, 0, 0) + records)
            self._edges += 4
        out, self._out = self._out, b""
        return out

    def close(self) -> None:
        self.told.append("closed")

    def _block(self, kind: bytes, payload: bytes) -> None:
        frame = b"\xa7\x57\x01" + kind + struct.pack("<HH", len(payload), self._sequence)
        self._sequence = (self._sequence + 1) % 65_536
        self._out += frame + payload + struct.pack("<I", zlib.crc32(frame + payload))


def measured(monkeypatch: pytest.MonkeyPatch, port: StandIn, out: Path, options: str = "") -> Any:
    monkeypatch.setattr(serial, "Serial", lambda *_place, **_options: port)
    instrument = open_instrument(f"pico:/dev/ttyACM0{options}", Wanted("D0", "D1"))
    return measure(instrument, out, samples=20, limit_ps=10**13, count=lambda _file: 20)


def test_a_stopwatch_triggers_and_its_edges_are_the_capture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    port = StandIn()
    made = measured(monkeypatch, port, tmp_path / "a.csv", ",period=20ms,jitter=5ms,trigger=rts")
    assert (made.ending, made.sample_rate_hz) == ("enough", CLOCK_HZ)
    assert {"trigger rts", "period 20000000", "jitter 5000000 1", "channels trigger=2 done=3"} <= set(port.told)
    assert port.told[-2:] == ["stop", "closed"]
    latencies = analyze(tmp_path / "a.csv", trigger="D0", done="D1").captures[0].samples["latency_ps"].to_list()
    assert latencies == [(LATENCY + n) * 8_000 for n in range(20)]


def test_a_stopwatch_that_is_unplugged_leaves_what_it_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = measured(monkeypatch, StandIn(messages=7), tmp_path / "a.csv")
    assert (made.ending, made.pairs.paired) == ("gone", 7)
    assert str(made.error) == "pico:/dev/ttyACM0: the port went away; plug the Pico in again"


@pytest.mark.parametrize(
    ("place", "channels", "says"),
    [
        ("/dev/no-such-port", ("D0", "D1"), "there is no such port; plug the Pico in"),
        ("x,period=soon", ("D0", "D1"), "pico: period=soon: "),
        ("x,colour=red", ("D0", "D1"), "there is no `colour=red`; write trigger=pulse|uart|rts|none"),
        ("x", ("D0", "MISO"), "there is no channel MISO; write D0 (GP2), D1 (GP3), or a pin such as GP7"),
    ],
)
def test_what_cannot_be_a_stopwatch_is_a_sentence(place: str, channels: tuple[str, str], says: str) -> None:
    with pytest.raises(InstrumentError) as refused:
        open_instrument(f"pico:{place}", Wanted(*channels)).start()
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("number", "says"),
    [(errno.EACCES, "this user may not open the port"), (errno.EBUSY, "another program has the port")],
)
def test_a_port_that_is_not_ours_is_a_sentence(monkeypatch: pytest.MonkeyPatch, number: int, says: str) -> None:
    def refuse(*_place: str, **_options: object) -> None:
        raise serial.SerialException(number, f"could not open port: {os.strerror(number)}")

    monkeypatch.setattr(serial, "Serial", refuse)
    with pytest.raises(InstrumentError, match=says):
        open_instrument("pico:/dev/ttyACM0", Wanted("D0", "D1")).start()


def test_a_port_that_another_program_has_or_that_is_no_stopwatch_is_a_sentence() -> None:
    ours, theirs = pty.openpty()
    place = os.ttyname(theirs)
    os.close(theirs)
    with serial.Serial(place, exclusive=True), pytest.raises(InstrumentError, match="another program has the port"):
        open_instrument(f"pico:{place}", Wanted("D0", "D1")).start()
    # A terminal echoes what it is told, as many other devices do.
    instrument = open_instrument(f"pico:{place}", Wanted("D0", "D1"))
    with pytest.raises(InstrumentError, match=r"no stopwatch|Nothing at the port answers"):
        instrument.start()
    instrument.stop()
    os.close(ours)
