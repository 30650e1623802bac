"""``airwire board settings``: what it lists, what it writes for a real board, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from airwire.board import Board, image_settings

Airwire = Callable[..., CompletedProcess[str]]
NEW = "192.168.1.77"
BOARD = ("--board", "w5500-evb-pico")


@pytest.fixture
def elf(firmware: Path) -> Path:
    return firmware / "w5500-evb-pico" / "http_server-hardware.elf"


def write(airwire: Airwire, image: Path, *arguments: str | Path) -> CompletedProcess[str]:
    return airwire("board", "settings", image, "--set", f"address={NEW}", *arguments)


@pytest.mark.parametrize("ending", ["uf2", "elf", "bin"])
def test_a_written_image_starts_with_its_new_values(airwire: Airwire, elf: Path, tmp_path: Path, ending: str) -> None:
    done = write(airwire, elf, "--out", f"new.{ending}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"address: 192.168.1.50 -> {NEW}\nImage: new.{ending}\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"new.{ending}"]
    run = airwire(
        "board", "run", f"new.{ending}", *BOARD, "--traffic", f"ping to={NEW} count=3 start=4s", "--until-done"
    )
    assert run.returncode == 0, run.stderr
    assert f"ready at {NEW}" in run.stdout
    assert "3 pings in 2 s: 1.50/s" in run.stdout and "0 lost" in run.stdout


def test_a_written_elf_differs_in_the_word_alone_and_has_its_names(airwire: Airwire, elf: Path, tmp_path: Path) -> None:
    assert write(airwire, elf, "--out", "new.elf").returncode == 0
    before, after = elf.read_bytes(), (tmp_path / "new.elf").read_bytes()
    assert len(before) == len(after)
    different = [place for place in range(len(before)) if before[place] != after[place]]
    assert [after[place] for place in different] == [77]
    board = Board("w5500-evb-pico", tmp_path / "new.elf")
    assert any(function.name == "main" or "network" in function.name for function in board.run("1 s").functions)


@pytest.mark.parametrize("ending", ["uf2", "bin"])
def test_without_changes_the_file_is_that_of_the_build(
    airwire: Airwire, elf: Path, tmp_path: Path, ending: str
) -> None:
    assert airwire("board", "settings", elf, "--out", f"same.{ending}").returncode == 0
    assert (tmp_path / f"same.{ending}").read_bytes() == elf.with_suffix(f".{ending}").read_bytes()


def test_a_uf2_is_changed_by_the_names_of_its_elf(airwire: Airwire, elf: Path, tmp_path: Path) -> None:
    nameless = write(airwire, elf.with_suffix(".uf2"), "--out", "new.uf2")
    assert nameless.returncode == 2
    assert "it has no names, by which its settings are known; give the ELF of the same build" in nameless.stderr
    listed = airwire("board", "settings", elf.with_suffix(".uf2"))
    assert (listed.returncode, "declares no settings" in listed.stdout) == (0, False)
    assert "give the ELF of the same build with --symbols" in " ".join(listed.stdout.split())
    assert not (tmp_path / "new.uf2").exists()
    assert write(airwire, elf.with_suffix(".uf2"), "--symbols", elf, "--out", "new.uf2").returncode == 0
    assert write(airwire, elf, "--out", "from-elf.uf2").returncode == 0
    assert (tmp_path / "new.uf2").read_bytes() == (tmp_path / "from-elf.uf2").read_bytes()
    again = {one.name: one.text for one in image_settings(tmp_path / "new.uf2", elf)}
    assert again["address"] == NEW


def test_json_has_the_values_that_were_written(airwire: Airwire, elf: Path) -> None:
    told = json.loads(write(airwire, elf, "--out", "new.uf2", "--json").stdout)
    assert told["out"] == "new.uf2"
    address = next(one for one in told["settings"] if one["name"] == "address")
    assert (address["text"], address["takes"]) == (NEW, "an IPv4 address such as 192.168.1.50")


def test_no_image_is_written_over_itself_or_where_nothing_can_be(airwire: Airwire, elf: Path, tmp_path: Path) -> None:
    copy = tmp_path / "image.elf"
    copy.write_bytes(elf.read_bytes())
    for arguments, sentence in (
        (("--out", "image.elf"), "this is the image itself, which stays as it is; name another file"),
        (("--out", "new.hex"), "let it end in .uf2, .elf or .bin"),
        (("--out", "absent/new.uf2"), "cannot write it: No such file or directory"),
        ((), "name the file to write: --out FILE.uf2"),
    ):
        refused = write(airwire, copy, *arguments)
        assert refused.returncode == 2 and sentence in " ".join(refused.stderr.split()), refused.stderr
    assert copy.read_bytes() == elf.read_bytes()
    refused = write(airwire, elf.with_suffix(".uf2"), "--symbols", elf, "--out", "new.elf")
    assert "an ELF can be written of an ELF only" in refused.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["image.elf"]


def test_values_are_listed_as_what_they_are(airwire: Airwire, elf: Path) -> None:
    listed = airwire("board", "settings", elf.with_name("oneway-lwip_raw.elf"))
    rows = {line.split()[0]: line for line in listed.stdout.splitlines() if line[:1].isalpha()}
    for name, shown in (
        ("peer", "192.168.1.1"),
        ("role", "sender"),
        ("spi_hz", "33.3 MHz"),
        ("dhcp", "off"),
        ("wiznet_poll_us", "1000 us"),
        ("payload_bytes", "12 B"),
    ):
        assert shown in rows[name], rows[name]
    assert "what carries the messages" in rows["transport"]


@pytest.mark.parametrize(
    ("image", "setting", "sentence"),
    [
        ("oneway-hardware", "role=9", 'role is "9", but it takes sender (0) or receiver (1)'),
        ("oneway-hardware", "transport=usb", 'transport is "usb", but it takes tcp (0), udp (1) or uart (2)'),
        ("iperf-hardware", "role=9", 'role is "9", but it takes server (0), tcp_client (1) or udp_client (2)'),
        ("iperf-hardware", "spi_hz=0", 'spi_hz is "0", but it takes a frequency from 10 kHz to 66.5 MHz'),
        ("iperf-hardware", "system_hz=200MHz", "from 63 MHz to 133 MHz in steps of 1 MHz"),
        ("iperf-hardware", "peer=5", 'peer is "5", but it takes an IPv4 address'),
        ("streams-lwip_raw", "services=16", "any of sink (1), source (2), echo (4) and echo_datagrams (8)"),
        ("streams-lwip_raw", "echo_port=0", "a whole number from 1 to 65535"),
        ("streams-lwip_raw", "watchdog_ms=1h", "a time in whole milliseconds from 0 to 8000"),
        ("pingpong_client-hardware", "dhcp=on", "pingpong_client-hardware.elf has no setting dhcp"),
        ("http_server-lwip_small", "dhcp=on", "http_server-lwip_small.elf has no setting dhcp"),
    ],
)
def test_what_a_setting_cannot_be_is_refused_with_what_it_can(
    airwire: Airwire, elf: Path, image: str, setting: str, sentence: str
) -> None:
    refused = airwire("board", "run", elf.with_name(f"{image}.elf"), *BOARD, "--set", setting)
    assert refused.returncode == 2
    assert sentence in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_choices_and_sums_are_set_by_name(airwire: Airwire, elf: Path) -> None:
    iperf = airwire(
        "board", "run", elf.with_name("iperf-lwip_raw.elf"), *BOARD, "--until", "TCP client, whole",
        "--set", "role=tcp_client", "--set", "amount_bytes=100kB",
    )  # fmt: skip
    assert iperf.returncode == 0, iperf.stderr
    streams = elf.with_name("streams-hardware.elf")
    only_echo = ("--set", "services=echo+echo_datagrams", "--until-done", "--for", "20s")
    echo = airwire("board", "run", streams, *BOARD, *only_echo, "--traffic", "bulk to=board:7 send=1kB")
    assert echo.returncode == 0, echo.stderr
    sink = airwire("board", "run", streams, *BOARD, *only_echo, "--traffic", "bulk to=board:9 send=1kB")
    assert sink.returncode == 1, "nobody listens there"
