"""``airwire waveform``: the wires of a capture over an interval, and the bytes of an SPI with the time between them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Airwire = Callable[..., subprocess.CompletedProcess[str]]
US_PS = 1_000_000
HEAD = "Time [s],SCK,MOSI,MISO,CS"


def bus_capture(folder: Path, transactions: list[list[tuple[int, int]]], meant: int = 0) -> Path:
    """An SPI in mode 0, with 1 us for each bit and 2 us more behind each byte, as a capture in Saleae's style.

    Every second transaction is for another chip where ``meant`` is 1: CS is high in it.
    """
    rows: list[tuple[int, int, int, int, int]] = [(0, 0, 0, 0, 1)]
    at = 10
    for number, transaction in enumerate(transactions):
        level = meant * (number % 2)
        rows.append((at, 0, 0, 0, level))
        at += 5
        for sent, received in transaction:
            for bit in range(7, -1, -1):
                out, back = sent >> bit & 1, received >> bit & 1
                rows += [(at, 0, out, back, level), (at * 2 + 1, -1, out, back, level), (at + 1, 0, out, back, level)]
                at += 1
            at += 2
        rows.append((at, 0, 0, 0, 1))
        at += 20
    lines = [HEAD]
    for time, clock, out, back, select in rows:
        halves = time if clock < 0 else 2 * time
        lines.append(f"{halves * 5e-7:.7f},{abs(clock)},{out},{back},{select}")
    file = folder / "spi.csv"
    file.write_text("\n".join(lines) + "\n", encoding="ascii")
    return file


SPI = ("--spi", "SCK,MOSI,MISO,CS")


def test_bytes_are_drawn_with_what_went_out_and_came_back(airwire: Airwire, tmp_path: Path) -> None:
    capture = bus_capture(tmp_path, [[(0x0F, 0x00), (0xA5, 0xC3), (0x00, 0x77)]])
    drawn = airwire("waveform", capture, *SPI, "--title", "a <bus>", "--out", tmp_path / "spi.svg")
    assert drawn.returncode == 0, drawn.stderr
    assert "3 bytes: 10 us from one to the next." in drawn.stdout
    picture = (tmp_path / "spi.svg").read_text(encoding="utf-8")
    for word in ("0f / 00", "a5 / c3", "00 / 77", "10 us", "SCK", "MOSI", "MISO", "CS", "bytes"):
        assert word in picture
    assert "a &lt;bus&gt;" in picture
    assert "transactions" not in picture


def test_times_are_cycles_where_the_clock_is_known_and_transactions_have_spans(
    airwire: Airwire, tmp_path: Path
) -> None:
    capture = bus_capture(tmp_path, [[(1, 2), (3, 4)], [(5, 6), (7, 8)]])
    drawn = airwire("waveform", capture, *SPI, "--clock", "16MHz", "--out", tmp_path / "spi.svg")
    # 5 us to the first byte, 2 bytes of 10 us, and 20 us at rest.
    assert "720 cycles from one transaction to the next." in drawn.stdout
    picture = (tmp_path / "spi.svg").read_text(encoding="utf-8")
    assert "160 cycles" in picture and "720 cycles" in picture and "transactions" in picture


def test_what_is_for_another_chip_of_the_bus_is_no_byte_of_it(airwire: Airwire, tmp_path: Path) -> None:
    capture = bus_capture(tmp_path, [[(0x11, 0x12)], [(0x21, 0x22)], [(0x31, 0x32)]], meant=1)
    airwire("waveform", capture, *SPI, "--out", tmp_path / "spi.svg")
    picture = (tmp_path / "spi.svg").read_text(encoding="utf-8")
    assert "11 / 12" in picture and "31 / 32" in picture
    assert "21 / 22" not in picture


def test_an_interval_and_channels_are_all_that_is_drawn(airwire: Airwire, tmp_path: Path) -> None:
    capture = bus_capture(tmp_path, [[(0x55, 0xAA)]])
    asked = ("--from", "15us", "--to", "20us", "--channel", "MISO", "--out", tmp_path / "one.png")
    drawn = airwire("waveform", capture, *asked)
    assert drawn.stdout.startswith("1 wire over 5 us.\n"), drawn.stderr
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_channels_go_by_their_numbers_too_and_each_is_drawn_once(airwire: Airwire, tmp_path: Path) -> None:
    capture = bus_capture(tmp_path, [[(0x0F, 0x00)]])
    pictures = []
    for number, bus in enumerate(["SCK,MOSI,MISO,CS", "0,1,2,3", "0,MOSI,2,CS"]):
        out = tmp_path / f"{number}.svg"
        drawn = airwire("waveform", capture, "--spi", bus, "--channel", "3", "--channel", "CS", "--out", out)
        assert drawn.stdout.startswith("4 wires over "), drawn.stderr
        pictures.append(out.read_bytes())
    assert len(set(pictures)) == 1 and b"0f / 00" in pictures[0]


def test_a_picture_of_a_kind_that_is_not_drawn_is_refused(airwire: Airwire, tmp_path: Path) -> None:
    capture = bus_capture(tmp_path, [[(1, 2)]])
    for name in ("no.gif", "no"):
        refused = airwire("waveform", capture, "--out", tmp_path / name)
        assert refused.returncode == 2
        assert "it ends in none of .svg, .png, .html" in refused.stderr
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (("--spi", "SCK,SCK"), "'SCK,SCK' is no bus: give the clock's channel"),
        (("--spi", "D13"), "no channel"),
        (("--clock", "16MHz"), "cycles are counted between the bytes of a bus; name one with --spi"),
        (("--from", "1s"), "and the interval begins at 1 s; name an earlier one"),
        (("--from", "-1s"), "the interval begins at -1 s, which is before the capture does; name a time from 0 s on"),
        (("--from", "20us", "--to", "15us"), "the interval begins at 20 us and ends at 15 us; name a later end"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(
    airwire: Airwire, tmp_path: Path, asked: tuple[str, ...], sentence: str
) -> None:
    capture = bus_capture(tmp_path, [[(1, 2)]])
    refused = airwire("waveform", capture, *asked, "--out", tmp_path / "no.svg")
    assert refused.returncode == 2
    assert sentence in " ".join(refused.stderr.split())
    assert not (tmp_path / "no.svg").exists()


def test_too_many_edges_for_a_picture_are_refused(airwire: Airwire, tmp_path: Path) -> None:
    rows = "".join(f"{at * 1e-6:.6f},{at % 2}\n" for at in range(30_000))
    (tmp_path / "long.csv").write_text("Time [s],D0\n" + rows, encoding="ascii")
    refused = airwire("waveform", tmp_path / "long.csv", "--out", tmp_path / "no.svg")
    assert refused.returncode == 2
    assert "a picture shows 20000 at most; take a shorter interval" in " ".join(refused.stderr.split())


def test_a_pipe_that_nobody_reads_is_refused_and_one_with_a_reader_is_written(airwire: Airwire, tmp_path: Path) -> None:
    capture = bus_capture(tmp_path, [[(1, 2)]])
    pipe = tmp_path / "pipe.svg"
    os.mkfifo(pipe)
    refused = airwire("waveform", capture, "--out", pipe)
    assert refused.returncode == 2
    assert "pipe.svg: cannot write it: nobody reads from this pipe" in refused.stderr
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        drawn = airwire("waveform", capture, "--out", pipe)
        received, _ = reader.communicate(timeout=60)
    assert drawn.returncode == 0, drawn.stderr
    assert received.rstrip().endswith(b"</svg>")
