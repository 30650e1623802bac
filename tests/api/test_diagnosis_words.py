"""What ``airwire why`` says of an image that calls, broadcasts or ends, where its source says what that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

import airwire
from airwire.board.model import UsbDevice
from airwire.board.network import Call, Service
from airwire.board.virtual import Board
from airwire.cli.why_lines import does
from airwire.diagnosis.ask import question_for
from airwire.diagnosis.discover import Discovery, discover
from airwire.diagnosis.identify import Identity, identify
from airwire.diagnosis.reason import unanswered_call, why_no_board, why_not_on_network

DHCP = Call("udp", "255.255.255.255", 67, 2, 600, 2)


@pytest.fixture
def ended(images: Path) -> Discovery:
    """An image that ends with status 3, as programs of the Pico SDK do after ``main``; nothing else is on its board."""
    return discover(images / "ends_badly.elf", "pico-w", symbols=None, settings={}, network=None, seed=1)


def test_an_image_that_ends_is_no_image_that_faults(ended: Discovery) -> None:
    # Going on behind its last instruction would only find the fault of whoever comes after the end.
    assert ended.run.reason == "ended"
    reason = why_not_on_network(ended)
    assert "with status 3" in reason and "faults" not in reason
    assert reason.endswith("the last that it prints is 'The last words.'")


def test_an_image_that_ends_before_it_talks_to_a_chip_has_ended_too(images: Path) -> None:
    said = why_no_board(identify(images / "ends_badly.elf", None, {}))
    assert "the image ended itself" in said and "with status 3" in said and "faults" not in said
    assert said.endswith("the last that it prints is 'The last words.'")


def at_console(identity: Identity, console: str, functions: Sequence[str] = ()) -> str:
    """Why an image has no board that shows this at its UART, and that is a USB device with these functions."""
    device = UsbDevice(0x2E8A, 10, None, "Gadget", None, [], list(functions), False, None, None) if functions else None
    bare = SimpleNamespace(
        console=console,
        console_of=lambda name: console if name == "uart0" else "",
        usb_device=device,
        edges_by_gpio=list,
    )
    return why_no_board(replace(identity, bare=cast(Board, bare), run=replace(identity.run, reason="time", fault=None)))


@pytest.fixture
def shown_text(images: Path) -> Identity:
    return identify(images / "ends_badly.elf", None, {})


def test_a_line_without_an_end_is_no_prompt(shown_text: Identity) -> None:
    # pico-examples' pio/ir_nec/ir_loopback begins each line with its end.
    said = at_console(shown_text, "\nsent: 00, 06\nsent: 00, 07")
    assert "it prints at UART0, last 'sent: 00, 07'; if it waits for input there" in said
    assert "it waits at UART0, where it shows '>>>'" in at_console(shown_text, "MicroPython\n>>> ")
    assert "it waits at UART0, where it shows 'Password:'" in at_console(shown_text, "Password: ")


def test_a_long_line_is_cut_where_it_says_so(shown_text: Identity) -> None:
    assert at_console(shown_text, f"{'a' * 61}\n").endswith(f"last '{'a' * 60}' ...")
    assert at_console(shown_text, f"{'a' * 60}\n").endswith(f"last '{'a' * 60}'")


def test_a_network_on_usb_is_told_as_that_and_other_devices_with_what_they_are(shown_text: Identity) -> None:
    said = at_console(shown_text, "ready\n", ["network by CDC EEM", "disk"])
    assert "its network by CDC EEM is on USB, where the virtual PC has no driver for it" in said
    assert said.endswith("the last that it prints is 'ready'")
    device = at_console(shown_text, "", ["MIDI port", "2 audio streams", "disk"])
    assert "it is a USB device, 'Gadget' (MIDI port, 2 audio streams and disk)" in device
    assert "it has a USB serial port" in at_console(shown_text, "", ["2 serial ports"])


def test_an_image_whose_clock_never_comes_is_told_with_the_source(images: Path) -> None:
    identity = identify(images / "hello_uart.elf", None, {})
    sentence = "nothing runs since 29.565 ms: clk_sys stands still, because GPIN0 (GPIO 20), its source, has no clock"
    stopped = replace(identity, run=replace(identity.run, reason="no-clock", sentence=sentence))
    assert why_no_board(stopped) == f"it talks to no network chip: {sentence}"


def test_such_a_clock_is_told_on_a_board_that_was_given_too(ended: Discovery) -> None:
    sentence = "nothing runs since 29.565 ms: clk_sys stands still, because GPIN0 (GPIO 20), its source, has no clock"
    run = replace(ended.run, reason="no-clock", fault=None, sentence=f"{sentence}; scan is not done", end=sentence)
    assert why_not_on_network(replace(ended, run=run, has_link=False, console="")) == sentence


def test_a_radio_in_no_network_is_no_chip_without_a_link(ended: Discovery) -> None:
    waiting = replace(ended, run=replace(ended.run, reason="time", fault=None))
    assert why_not_on_network(waiting).startswith("its radio on pico-w is in no network after ")
    wired = replace(waiting, board="w5500-evb-pico", run=replace(waiting.run, radio=None))
    assert why_not_on_network(wired).startswith("its chip on w5500-evb-pico has no link after ")


@pytest.fixture
def silent(ended: Discovery) -> Discovery:
    """An image on a board with a link that no frame of IPv4 leaves."""
    run = replace(ended.run, reason="time", fault=None)
    return replace(ended, run=run, board="w5500-evb-pico", has_link=True, free_address="192.168.1.2/24")


def test_an_address_of_another_network_that_is_printed_is_told_with_what_reaches_it(silent: Discovery) -> None:
    # Zephyr's samples have this address of RFC 5737, and say nothing over IPv4 before they are asked.
    console = "radio firmware 7.95.49.0\nnet_config: IPv4 address: 192.0.2.1\nmask 255.255.255.0\nready\n"
    said = why_not_on_network(replace(silent, console=console))
    assert "it prints 192.0.2.1, and the PC is in 192.168.1.0/24" in said
    assert 'address = "192.0.2.2/24" in the table [pc]' in said and "--network" in said
    own = why_not_on_network(replace(silent, console="asks 192.168.1.1 for an address\n"))
    assert own.endswith("the last that it prints is 'asks 192.168.1.1 for an address'")


def test_of_boards_on_which_an_image_comes_no_further_the_likeliest_is_told(
    firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, network = firmware / "w5500-evb-pico" / "pingpong_client-lwip_raw.elf", tmp_path / "cut.toml"
    network.write_text('[cable]\nimpair = "loss=100%"\n', encoding="utf-8")
    # Some of what Zephyr's driver says to a W5500 is an access to a W5200 too.
    found = replace(identify(image, None, {}), boards=["w5500-evb-pico", "pico-w5200"])
    monkeypatch.setattr("airwire.diagnosis.answer.identify", lambda *_: found)
    answer = airwire.why(image, settings={"dhcp": "on"}, network=network)
    assert answer.board == "w5500-evb-pico"
    assert answer.reason is not None and "on w5500-evb-pico" in answer.reason


def test_what_a_shell_writes_over_its_prompt_is_not_told(silent: Discovery) -> None:
    # As Zephyr's shell does for each line of a log: cursor 8 to the left, what is behind it erased, line, prompt.
    prompt = "\x1b[1;32muart:~$ \x1b[m"
    said = why_not_on_network(replace(silent, console=f"{prompt}\x1b[8D\x1b[J\x1b[0m<inf> link up\x1b[0m\r\n{prompt}"))
    waits = "if it waits for input there, airwire board run with --send types an answer"
    assert said.endswith(f"the last that it prints is 'uart:~$'; {waits}")
    said = why_not_on_network(replace(silent, console=f"{prompt}\x1b[8D\x1b[J\x1b[1;31m<err> no\tlink\x07\x1b[0m\r\n"))
    assert said.endswith("the last that it prints is '<err> no        link'")


def test_what_an_image_says_to_everybody_and_asks_on_its_way_is_told(ended: Discovery) -> None:
    beacon = Call("udp", "255.255.255.255", 4444, 8, 1016, 0)
    time = Call("udp", "192.168.1.1", 123, 1, 48, 1)
    found = replace(ended, calls=[DHCP, beacon, time], answers_ping=True)
    assert does(found) == "sends datagrams to everybody at port 4444, asks the PC for the time and answers pings"
    assert does(replace(found, calls=[DHCP])) == "answers pings"
    # Nobody answers a beacon, and that is no fault of the network's; a time server that is silent is one.
    assert unanswered_call([DHCP, beacon, time]) is None
    silent = unanswered_call([replace(time, answers=0)])
    assert silent is not None and "192.168.1.1 port 123" in silent


def test_the_port_of_iperf_is_named_and_measured_as_iperf(ended: Discovery) -> None:
    found = replace(ended, services=[Service("tcp", 5001, "sink", None)], answers_ping=True)
    assert does(found) == "serves iperf on port 5001 and answers pings"
    question = question_for(found)
    assert question is not None and question.measure == "bulk" and question.traffic[0].startswith("iperf ")
    other = replace(found, services=[Service("tcp", 5002, "sink", None)])
    assert does(other) == "serves a sink of bytes on port 5002 and answers pings"
