"""What a driver's author has around a chip: frames, drops, datagrams, a capture, a second chip, time for computing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import airwire
from airwire import SpiController

MULTICAST = 0x82
UDP = 0x02
ADDRESS = (192, 168, 1, 50)
MAC = (2, 8, 0xDC, 1, 2, 3)
NS = 1_000
US = 10**6


class Chip:
    """A W5500 with a link and an address, and its registers by block and address."""

    def __init__(self, spi: SpiController, address: tuple[int, ...] = ADDRESS, mac: tuple[int, ...] = MAC) -> None:
        self.spi = spi
        spi.wait("20 ms")
        self.write(0, 0x05, [255, 255, 255, 0, *mac, *address])

    def write(self, block: int, address: int, data: list[int]) -> None:
        self.spi.exchange(bytes([address >> 8, address & 0xFF, block << 3 | 4, *data]))

    def read(self, block: int, address: int, count: int) -> bytes:
        return self.spi.exchange(bytes([address >> 8, address & 0xFF, block << 3]) + bytes(count))[3:]

    def open(self, mode: int, port: int) -> None:
        self.write(1, 0x00, [mode])
        self.write(1, 0x04, [*port.to_bytes(2, "big")])
        self.write(1, 0x01, [0x01])

    def send(self, data: bytes, to: tuple[int, ...], port: int) -> None:
        self.write(1, 0x0C, [*to, *port.to_bytes(2, "big")])
        at = int.from_bytes(self.read(1, 0x24, 2), "big")
        self.write(2, at, [*data])
        self.write(1, 0x24, [*(at + len(data)).to_bytes(2, "big")])
        self.write(1, 0x01, [0x20])

    def waiting(self) -> int:
        return int.from_bytes(self.read(1, 0x26, 2), "big")


def a_chip(**settings: object) -> Chip:
    return Chip(SpiController("w5500", clock_hz=20_000_000, link_up="1 ms", **settings))  # type: ignore[arg-type]


def test_frames_are_seen_in_both_directions_with_what_the_cable_did_to_them() -> None:
    chip = a_chip(impair="drop=2", network_text="seed = 3\n")
    chip.spi.record_frames()
    chip.open(UDP, 5000)
    for _ in range(3):
        chip.send(b"hello", (255, 255, 255, 255), 9)
        chip.spi.wait("1 ms")
    frames = chip.spi.take_frames()
    assert [(frame.from_chip, frame.data[42:47], bool(frame.fate)) for frame in frames] == [
        (True, b"hello", False),
        (True, b"hello", True),
        (True, b"hello", False),
    ]
    assert chip.spi.dropped.from_chip == {"drop": 1}
    assert frames[0].chip == "chip" and frames[0].intact
    assert chip.spi.take_frames() == []


def test_a_raw_frame_takes_its_time_and_a_bad_one_is_counted_by_the_chip() -> None:
    chip = a_chip()
    chip.write(1, 0x00, [0x04])
    chip.write(1, 0x01, [0x01])
    frame = bytes(MAC) + bytes(6) + b"\x88\xb5" + b"x" * 46
    chip.spi.send_frame(frame)
    # 72 bytes at 100 Mbit/s, and a microsecond in the chip.
    chip.spi.wait(5_700 * NS)
    chip.spi.send_frame(frame, intact=False)
    assert chip.waiting() == 62
    chip.spi.wait("1 ms")
    assert chip.waiting() == 62
    assert chip.spi.dropped.by_chip["wrong_check_sequence"] == 1


def test_the_pc_speaks_to_a_multicast_group_and_hears_the_chip() -> None:
    chip = a_chip()
    chip.write(1, 0x06, [1, 0, 0x5E, 1, 1, 1, 239, 1, 1, 1, *(3000).to_bytes(2, "big")])
    chip.open(MULTICAST, 3000)
    chip.spi.send_datagram(b"to all", to=("239.1.1.1", 3000))
    chip.spi.send_datagram(b"to others", to=("239.1.1.2", 3000))
    chip.spi.wait("1 ms")
    assert chip.waiting() == 8 + len(b"to all")
    chip.open(UDP, 5001)
    assert chip.spi.take_datagrams(40_000) == []
    chip.send(b"hello", (192, 168, 1, 1), 40_000)
    chip.spi.wait("1 ms")
    (datagram,) = chip.spi.take_datagrams(40_000)
    assert (datagram.address, datagram.port, datagram.data) == ("192.168.1.50", 5001, b"hello")


def test_two_chips_talk_to_each_other_in_one_time() -> None:
    chip = a_chip()
    other = Chip(chip.spi.add_chip(clock_hz=20_000_000, link_up="1 ms"), (192, 168, 1, 51), (*MAC[:5], 4))
    assert other.spi.now_ps == chip.spi.now_ps
    other.open(UDP, 4000)
    chip.open(UDP, 4001)
    chip.send(b"hi", (192, 168, 1, 51), 4000)
    chip.spi.wait("1 ms")
    assert other.waiting() == 8 + 2
    assert other.spi.used.transactions < chip.spi.used.transactions + other.spi.used.transactions


def test_traffic_has_results_as_values() -> None:
    chip = a_chip(traffic=["ping to=board count=3 interval=10ms"])
    chip.spi.wait("300 ms")
    ping = chip.spi.traffic["ping"]
    assert ping.done and ping.latency is not None
    assert 0 < ping.latency.min_ps <= ping.latency.max_ps < 200 * US
    assert len(chip.spi.traffic.samples("ping")) == 3


def test_computing_takes_time_before_each_transaction_and_its_spread_comes_from_the_seed() -> None:
    def computed(**settings: object) -> list[int]:
        spi = SpiController("w5500", clock_hz=20_000_000, **settings)  # type: ignore[arg-type]
        starts = []
        for _ in range(20):
            before = spi.used.computing_ps
            spi.exchange(b"\x00\x39\x00\x00")
            starts.append(spi.used.computing_ps - before)
        return starts

    assert computed() == [0] * 20
    assert computed(computing="5 us") == [5 * US] * 20
    spread = computed(computing="5 us", computing_spread="2 us")
    assert all(5 * US <= time <= 7 * US for time in spread) and len(set(spread)) > 15
    assert spread == computed(computing="5 us", computing_spread="2 us")
    assert spread != computed(computing="5 us", computing_spread="2 us", seed=2)


def test_send_ok_waits_for_the_acknowledgement_where_it_is_told_to() -> None:
    def when_sent(waits: bool) -> int:
        spi = SpiController(
            "w5500",
            clock_hz=20_000_000,
            link_up="1 ms",
            impair="delay=5ms",
            send_ok_waits_for_acknowledgement=waits,
        )
        chip = Chip(spi)
        chip.open(0x01, 5000)
        chip.write(1, 0x0C, [192, 168, 1, 1, 0, 7])
        chip.write(1, 0x01, [0x04])
        spi.wait("100 ms")
        chip.write(2, 0, [*b"hello"])
        chip.write(1, 0x24, [0, 5])
        began = spi.now_ps
        chip.write(1, 0x01, [0x20])
        while not chip.read(1, 0x02, 1)[0] & 0x10:
            assert spi.now_ps - began < 100_000 * US
        return spi.now_ps - began

    assert when_sent(False) < 100 * US
    assert when_sent(True) > 10_000 * US


def test_a_capture_has_frames_and_accesses_and_is_there_when_its_block_ends(tmp_path: Path) -> None:
    chip = a_chip()
    file = tmp_path / "wire.pcapng"
    with chip.spi.capture(file):
        assert not file.exists()
        with pytest.raises(airwire.AirwireError, match="a capture is under way"):
            chip.spi.record()
        chip.open(UDP, 5000)
        chip.send(b"hello", (255, 255, 255, 255), 9)
        chip.spi.wait("1 ms")
    assert b"Sn_CR of socket 0: SEND, 5 bytes" in file.read_bytes()
    if shutil.which("tshark") is not None:
        command = ["tshark", "-r", str(file), "-Y", "udp", "-T", "fields", "-e", "udp.srcport", "-e", "udp.dstport"]
        seen = subprocess.run(command, capture_output=True, text=True, check=True)
        assert seen.stdout.split() == ["5000", "9"]
    chip.spi.record()
    chip.read(0, 0x39, 1)
    assert [access.register for access in chip.spi.take_accesses()] == ["VERSIONR"]


def test_what_was_recorded_before_a_capture_of_frames_goes_on_being_recorded(tmp_path: Path) -> None:
    chip = a_chip()
    chip.spi.record()
    with chip.spi.capture(tmp_path / "frames.pcapng", spi=False):
        chip.read(0, 0x39, 1)
    chip.read(0, 0x39, 1)
    assert len(chip.spi.take_accesses()) == 2


def test_a_capture_does_not_take_the_place_of_the_network_file(tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    file.write_text("seed = 3\n", encoding="utf-8")
    spi = SpiController(network=file)
    with pytest.raises(airwire.AirwireError, match="this is the network file itself"), spi.capture(file):
        pass
    assert file.read_text(encoding="utf-8") == "seed = 3\n"


def test_one_block_captures_at_a_time_and_the_outer_one_goes_on(tmp_path: Path) -> None:
    spi = airwire.SpiController("w5500", link_up="1 ms")
    other = spi.add_chip("w5100s")
    outer, inner = tmp_path / "outer.pcapng", tmp_path / "inner.pcapng"
    with spi.capture(outer):
        spi.exchange(b"\x00\x39\x00\x00")
        before = "captures this network already; end that block first"
        with pytest.raises(airwire.AirwireError, match=before), other.capture(inner):
            raise AssertionError("the block is not entered")
        spi.exchange(b"\x00\x39\x00\x00")
    assert outer.read_bytes().count(b"VERSIONR") == 2 and not inner.exists()
    with other.capture(inner):
        spi.exchange(b"\x00\x39\x00\x00")
    assert inner.is_file()


def test_each_chip_has_a_name_of_its_own() -> None:
    spi = airwire.SpiController("w5500", link_up="1 ms")
    spi.add_chip()
    spi.add_chip()
    spi.add_chip(name="own")
    for name in ("chip", "chip-2", "chip-3", "own"):
        with pytest.raises(airwire.AirwireError, match=f"is called '{name}' already"):
            spi.add_chip(name=name)


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (lambda spi: spi.transfer(5), "takes bytes"),
        (lambda spi: spi.exchange("x"), "takes bytes"),
        (lambda spi: spi.transfer([256]), "takes bytes"),
        (lambda spi: SpiController(clock_hz=-1), "an SPI clock in Hz is a whole number"),
        (lambda spi: SpiController(clock_hz=10**30), "an SPI clock in Hz is a whole number"),
        (lambda spi: spi.set_clock(0), "an SPI clock in Hz is a whole number"),
        (lambda spi: SpiController(seed=-1), "a seed is a whole number"),
        (lambda spi: spi.wait(-1), "a wait of -1 cannot be"),
        (lambda spi: spi.wait(10**30), "cannot be: give from 0 to 30 days"),
        (lambda spi: spi.wait_for_interrupt(10**30), "cannot be: give from 0 to 30 days"),
        (lambda spi: SpiController(computing=-1), "computing of -1 cannot be"),
        (lambda spi: SpiController(link_up=10**40), "link_up of 1"),
        (lambda spi: SpiController(network_text="[cable]\nimpair='x'"), "network_text:2: cable.impair"),
        (lambda spi: SpiController(network="a.toml", network_text=""), "leave one out"),
        (lambda spi: SpiController(traffic=["nothing"]), "nothing"),
        (lambda spi: SpiController(impair="loss=2"), "loss"),
        (lambda spi: spi.add_chip("w9"), "there is no chip"),
        (lambda spi: spi.send_frame(b"short"), "a frame has 14 to"),
        (lambda spi: spi.send_datagram(b"", to=("1.2.3", 4)), "no IPv4 address"),
        (lambda spi: spi.send_datagram(b"", to=("1.2.3.4", 0)), "the destination's port is a whole number"),
        (lambda spi: spi.send_datagram(bytes(1473), to=("1.2.3.4", 5)), "a datagram has up to 1472 bytes"),
        (lambda spi: spi.send_datagram(b"", to=("1.2.3.4", 5), port=7), "taken by one of its servers"),
        (lambda spi: spi.take_datagrams(53), "taken by one of its servers"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(use: Callable[[SpiController], object], told: str) -> None:
    with pytest.raises(airwire.AirwireError, match=told) as refusal:
        use(SpiController())
    assert "\n" not in str(refusal.value)


def test_bytes_come_in_whatever_holds_them() -> None:
    spi = SpiController()
    spi.wait("2 ms")
    for sent in (b"\x00\x39\x00\x00", bytearray(b"\x00\x39\x00\x00"), memoryview(b"\x00\x39\x00\x00"), [0, 0x39, 0, 0]):
        assert spi.exchange(sent)[3] == 4  # type: ignore[arg-type]


def test_the_edges_of_the_interrupt_output_are_counted_also_those_within_a_transfer() -> None:
    chip = a_chip()
    chip.write(0, 0x18, [0x01])
    chip.open(UDP, 3000)
    assert chip.spi.interrupt_falls == 0
    for n in (1, 2):
        chip.spi.send_datagram(b"first", to=("192.168.1.50", 3000))
        chip.spi.wait("1 ms")
        assert chip.spi.interrupt_is_low and chip.spi.interrupt_falls == n
        chip.spi.send_datagram(b"while it is low", to=("192.168.1.50", 3000))
        chip.spi.wait("1 ms")
        assert chip.spi.interrupt_falls == n, "an output that is low already does not fall"
        chip.write(1, 0x02, [0x1F])
        assert not chip.spi.interrupt_is_low
    # The frame arrives while a block is read: a level that is looked at before and after would show one edge, or none.
    chip.spi.send_datagram(b"third", to=("192.168.1.50", 3000))
    chip.read(0, 0x00, 2_000)
    assert chip.spi.interrupt_is_low and chip.spi.interrupt_falls == 3


def test_each_chip_has_the_edges_of_its_own_interrupt() -> None:
    first = a_chip()
    other = Chip(
        first.spi.add_chip("w5500", clock_hz=20_000_000, link_up="1 ms"), (192, 168, 1, 51), (2, 8, 0xDC, 1, 2, 4)
    )
    other.write(0, 0x18, [0x01])
    other.open(UDP, 3000)
    first.spi.send_datagram(b"to the other", to=("192.168.1.51", 3000))
    first.spi.wait("1 ms")
    assert (first.spi.interrupt_falls, other.spi.interrupt_falls) == (0, 1)
