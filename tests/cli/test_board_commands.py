"""``airwire board``: consoles live, reports, JSON, exit codes, recordings, and an interactive terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airwire as airwire_package

Airwire = Callable[..., subprocess.CompletedProcess[str]]


def test_a_run_shows_the_console_and_a_report(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "blink_timer.elf")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "GP25 toggles every millisecond.\ntoggles 500\ndone\nEvery core sleeps for good since"
    )
    assert "core 0: busy 0." in done.stdout
    assert "500 exceptions" in done.stdout
    assert "Top functions, estimated from" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("chip", ["w5500", "w5100s"])
def test_the_board_is_found_from_what_the_image_says_to_its_chip(airwire: Airwire, images: Path, chip: str) -> None:
    image = images / ("wiznet_http.elf" if chip == "w5500" else f"wiznet_http_{chip}.elf")
    asked = ("--traffic", "ping to=board count=1", "--until-done")
    found = airwire("board", "run", image, *asked)
    assert found.returncode == 0, found.stderr
    assert found.stderr.startswith(
        f"airwire: board {chip}-evb-pico, found from the pins that the image moves; --board names another"
    )
    assert found.stdout.endswith(f"Next: airwire why {image} says where the time goes on the network.\n")
    named = airwire("board", "run", image, *asked, "--board", f"{chip}-evb-pico")
    assert named.stdout == found.stdout
    assert "found from" not in named.stderr
    profile = json.loads(airwire("board", "profile", image, *asked[:2], "--for", "500ms", "--json").stdout)
    assert profile["board"] == f"{chip}-evb-pico"


@pytest.mark.parametrize("command", ["run", "profile"])
def test_a_board_without_a_network_takes_no_traffic(airwire: Airwire, images: Path, command: str) -> None:
    for option, value in (("--traffic", "ping to=board"), ("--impair", "loss=1%")):
        result = airwire("board", command, images / "hello_uart.elf", option, value, "--for", "1ms")
        assert result.returncode == 2
        says = "board pico has no network; name one that has with --board, such as w5500-evb-pico"
        assert f"Invalid value for {option}: {says}" in result.stderr


def test_a_profile_takes_settings_and_traffic(airwire: Airwire, images: Path) -> None:
    def asked(*options: str) -> dict[str, Any]:
        done = airwire("board", "profile", images / "wiznet_http.elf", "--for", "4s", "--json", *options)
        assert done.returncode == 0, done.stderr
        content: dict[str, Any] = json.loads(done.stdout)
        return content

    quiet, busy = asked(), asked("--traffic", "http to=board requests=20")
    assert busy["cycles"] > 1.2 * quiet["cycles"]
    lossy = asked("--traffic", "http to=board requests=20", "--impair", "loss=20%")
    assert lossy["cycles"] != busy["cycles"]


def test_until_ends_a_run_with_0_and_its_absence_with_1(airwire: Airwire, images: Path) -> None:
    found = airwire("board", "run", images / "hello_uart.uf2", "--until", "baud.\\n")
    assert (found.returncode, found.stderr) == (0, "")
    assert "came from uart0" in found.stdout
    missing = airwire("board", "run", images / "hello_uart.uf2", "--until", "bad", "--for", "20ms")
    assert missing.returncode == 1
    assert missing.stderr == 'airwire: ran until 20 ms, and "bad" did not come\n'


def test_text_is_typed_in_turn(airwire: Airwire, images: Path) -> None:
    sends = ("--send", "one\\r\\n", "--send", "\\x74wo")
    done = airwire("board", "run", images / "hello_uart.elf", *sends, "--until", "two")
    assert done.returncode == 0, done.stderr
    # Line ends are translated on their way into this test.
    assert "baud.\none\ntwo\n" in done.stdout
    wrong = airwire("board", "run", images / "hello_uart.elf", "--send", "\\q")
    assert wrong.returncode == 2
    assert "has an escape that is none" in wrong.stderr


def test_json_has_the_consoles_and_begins_with_its_schema(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "hello_uart.elf", "--until", "baud.", "--json")
    content = json.loads(done.stdout)
    assert next(iter(content.items())) == ("schema", "airwire.board-run/1")
    assert content["console"] == {"uart0": "Hello from GP0 at 115200 baud.", "uart1": "", "usb": "", "rtt": ""}
    assert content["reason"] == "text"
    assert content["fault"] is None


def test_what_the_image_is_at_the_usb_port_is_told(airwire: Airwire, images: Path, firmware: Path) -> None:
    line = ("board", "run", firmware / "pico" / "stopwatch-usb.elf", "--for", "1s")
    assert "\nUSB: 'Airwire stopwatch', 2e8a:000a: serial port\n" in airwire(*line).stdout
    device = json.loads(airwire(*line, "--json").stdout)["usb_device"]
    assert (device["product"], device["functions"]) == ("Airwire stopwatch", ["serial port"])
    without = ("board", "run", images / "hello_uart.elf", "--for", "20ms")
    assert "USB" not in airwire(*without).stdout
    assert json.loads(airwire(*without, "--json").stdout)["usb_device"] is None


def test_an_empty_text_is_not_waited_for(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "hello_uart.elf", "--until", "", "--for", "20ms")
    assert (done.returncode, done.stdout) == (2, "")
    assert "an empty text says nothing" in done.stderr


def test_an_eeprom_that_there_is_not_is_told_before_the_run(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    done = airwire("board", "run", images / "hello_uart.elf", "--write-eeprom", "e.hex", "--for", "20ms")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no EEPROM" in done.stderr and not (tmp_path / "e.hex").exists()


def test_an_option_of_traffic_that_is_given_twice_is_refused(airwire: Airwire, firmware: Path) -> None:
    image = firmware / "w5500-evb-pico" / "http_server-hardware.elf"
    done = airwire("board", "run", image, "--traffic", "http to=board requests=1 requests=2", "--for", "1s")
    assert done.returncode == 2
    assert "traffic.http.requests is given twice; write it once" in done.stderr


def test_only_the_consoles_that_were_asked_for_are_shown(airwire: Airwire, images: Path) -> None:
    assert "Hello" not in airwire("board", "run", images / "hello_uart.elf", "--usb", "--for", "20ms").stdout
    assert "Hello" in airwire("board", "run", images / "hello_uart.elf", "--uart", "--for", "20ms").stdout
    image = ("board", "run", images / "rtt_defmt.elf", "--board", "pico")
    assert "hello from the image" not in airwire(*image, "--uart", "--usb").stdout
    for shown in ((), ("--rtt",), ("--rtt", "--usb")):
        assert airwire(*image, *shown).stdout.startswith("0.000150 [INFO ] hello from the image, answer 42\n")
    refused = airwire(*image, "--rtt", "--json")
    assert refused.returncode == 2 and "--rtt" in refused.stderr


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (
            "fault_unaligned",
            "core 0 faulted: read of 4 bytes at 0x20001001, which is not aligned, by the instruction at",
        ),
        ("fault_jump", "core 0 faulted: jump to 0x30000000, where no memory is that code can run from"),
    ],
)
def test_an_image_that_faults_ends_with_1_and_a_report(airwire: Airwire, images: Path, image: str, says: str) -> None:
    done = airwire("board", "run", images / f"{image}.elf")
    assert done.returncode == 1
    assert done.stderr.startswith(f"airwire: {says}")
    assert done.stdout.startswith("About to fault.\n")


def test_an_image_that_ends_itself_says_its_last_words(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "ends_well.elf")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The last words.\nThe image ended itself")
    assert "backtrace" not in done.stdout
    awaited = airwire("board", "run", images / "ends_well.elf", "--until", "words.")
    assert (awaited.returncode, '"words." came from uart0' in awaited.stdout) == (0, True)


def test_an_image_that_ends_with_a_status_fails_with_it(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "ends_badly.elf")
    assert done.returncode == 1
    assert "with status 3" in done.stderr
    assert "last 32 instructions" in done.stdout


def test_past_a_fault_the_own_handler_of_an_image_goes_on(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "fault_unaligned.elf", "--past-faults", "--until", "exception 3")
    assert done.returncode == 0, done.stderr
    assert "r0 20001001" in done.stdout
    assert "backtrace" in done.stdout, "the fault is reported all the same"


def test_edges_and_traces_are_written_where_they_were_asked_for(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    files = ("--vcd", "edges.vcd", "--trace", "trace.json")
    done = airwire("board", "run", images / "blink_timer.elf", "--for", "20ms", *files)
    assert done.returncode == 0, done.stderr
    assert "Edges: edges.vcd" in done.stdout
    assert " LED $end" in (tmp_path / "edges.vcd").read_text()
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    nowhere = airwire("board", "run", images / "hello_uart.elf", "--for", "1ms", "--vcd", "no/such/folder.vcd")
    assert nowhere.returncode == 2
    assert "no/such/folder.vcd" in nowhere.stderr
    assert nowhere.stderr.count("\n") == 1


def test_an_eeprom_comes_from_a_file_and_goes_into_one(airwire: Airwire, tmp_path: Path) -> None:
    # RJMP to itself: what is in the EEPROM stays there.
    (tmp_path / "hang.hex").write_text(":02000000ffcf30\n:00000001ff\n", encoding="ascii")
    (tmp_path / "before.bin").write_bytes(b"Airwire")
    command = ["board", "run", tmp_path / "hang.hex", "--board", "arduino-uno", "--for", "1ms"]
    done = airwire(*command, "--eeprom", tmp_path / "before.bin", "--write-eeprom", tmp_path / "after.eep")
    assert done.returncode == 0, done.stderr
    assert f"EEPROM: {tmp_path / 'after.eep'}" in done.stdout
    lines = (tmp_path / "after.eep").read_text(encoding="ascii").splitlines()
    assert lines[0].startswith(":10000000" + b"Airwire".hex().upper() + "FF" * 9)
    assert (len(lines), lines[-1]) == (1024 // 16 + 1, ":00000001FF")
    again = airwire(*command, "--eeprom", tmp_path / "after.eep", "--write-eeprom", tmp_path / "again.bin")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.bin").read_bytes() == b"Airwire".ljust(1024, b"\xff")


def test_a_board_without_an_eeprom_takes_no_contents(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    (tmp_path / "contents.bin").write_bytes(b"x")
    command = ["board", "run", images / "hello_uart.elf", "--for", "1ms"]
    for option in ("--eeprom", "--write-eeprom"):
        refused = airwire(*command, option, tmp_path / "contents.bin")
        assert refused.returncode == 2
        assert "board pico has an RP2040, in which there is no EEPROM; leave its file away" in refused.stderr


def test_a_profile_is_a_table_a_picture_and_json(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    done = airwire("board", "profile", images / "systick.elf", "--svg", "flame.svg", "--top", "3")
    assert done.returncode == 0, done.stderr
    assert "with callees" in done.stdout
    assert "Flame graph: flame.svg" in done.stdout
    first = (tmp_path / "flame.svg").read_bytes()
    assert airwire("board", "profile", images / "systick.elf", "--svg", "flame.svg").returncode == 0
    assert (tmp_path / "flame.svg").read_bytes() == first, "the same run gives the same picture"
    content = json.loads(airwire("board", "profile", images / "systick.elf", "--json").stdout)
    assert content["schema"] == "airwire.board-profile/1"
    assert sum(function["self_cycles"] for function in content["functions"]) == content["cycles"]


def test_output_streams_while_the_image_runs(images: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "board", "run", images / "blink_timer_endless.elf", "--for", "1000000s"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert process.stdout
    assert process.stdout.readline() == b"GP25 toggles every millisecond.\n"
    assert process.stdout.readline() == b"toggles 1000\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, (output, errors)
    assert b"airwire: stopped by Ctrl-C\n" in errors
    assert b"Traceback" not in errors
    assert b"core 0: busy" in output, "what was counted until then is told"


def test_an_interactive_run_echoes_keys_and_leaves_with_control_bracket(images: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "board", "run", images / "hello_uart.elf", "--interactive"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
    )
    os.close(theirs)
    try:
        seen = _read_until(ours, b"baud.")
        os.write(ours, b"xyzzy")
        seen += _read_until(ours, b"xyzzy")
        os.write(ours, b"\x1d")
        seen += _read_until(ours, b"core 0: busy")
        assert b"Ctrl-] leaves" in seen
    finally:
        process.terminate() if process.poll() is None else None
        os.close(ours)
    # At its end it leaves signals to the system again.
    endings = (0, -signal.SIGTERM, -signal.SIGHUP, 128 + signal.SIGTERM, 128 + signal.SIGHUP)
    assert process.wait(timeout=30) in endings


def test_gdb_connects_looks_and_kills(images: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "board", "run", images / "hello_uart.elf", "--gdb", ":0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stderr
    port = int(process.stderr.readline().rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as gdb:
        gdb.sendall(b"+$?#3f")
        answer = b""
        while b"#" not in answer:
            answer += gdb.recv(4096)
        assert b"$T05" in answer or b"$S05" in answer
        gdb.sendall(b"+$k#6b")
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, (output, errors)
    assert "GDB killed the board at" in output


def test_gdb_at_an_address_that_is_none_is_refused(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "hello_uart.elf", "--gdb", "nowhere")
    assert done.returncode == 2
    assert "is no address for GDB" in done.stderr
    assert airwire("board", "run", images / "hello_uart.elf", "--gdb", ":0", "--for", "1s").returncode == 2


def _read_until(terminal: int, text: bytes) -> bytes:
    seen = b""
    deadline = time.monotonic() + 30
    while text not in seen:
        assert time.monotonic() < deadline, seen
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536)
    return seen


@pytest.mark.parametrize("board", airwire_package.board_names())
def test_every_board_that_comes_along_is_shown_with_its_pins(airwire: Airwire, board: str) -> None:
    checked = airwire("board", "check", board)
    assert (checked.returncode, checked.stderr) == (0, "")
    described = airwire_package.describe_board(board)
    shown = checked.stdout.splitlines()[2:]
    assert [line.split(maxsplit=1)[1] for line in shown[: len(described.pins)]] == [one.name for one in described.pins]
    # The LED of a Pico W is at its radio, and no pin of the RP2040.
    assert ("  -     LED" in shown) is (board == "pico-w")


def test_boards_are_listed_and_checked(airwire: Airwire, tmp_path: Path) -> None:
    listed = airwire("board", "list")
    assert "w5500-evb-pico" in listed.stdout
    content = json.loads(airwire("board", "list", "--json").stdout)
    networked = ["w5500-evb-pico", "w5100s-evb-pico", "w6100-evb-pico", "w55rp20-evb-pico", "pico-w5200"]
    networked += ["pico-w5100", "pico-lan8720", "pico-rmii-ethernet", "pico-usb-network", "ideal-mac"]
    arduinos = ["arduino-uno", "arduino-uno-w5500", "arduino-uno-w5100", "arduino-mega", "arduino-mega-w5500"]
    goldilocks = ["goldilocks-1284p", "goldilocks-1284p-w5100", "goldilocks-1284p-w5200"]
    names = ["pico", "pico-w", *networked, *arduinos, *goldilocks]
    assert [board["name"] for board in content["boards"]] == names
    checked = airwire("board", "check", "w5100s-evb-pico")
    assert "  W5100S: w5100s\n" in checked.stdout
    (tmp_path / "my.toml").write_text("mcu = 'rp2040'\n[chips.x]\nkind = 'ledd'\n", encoding="ascii")
    wrong = airwire("board", "check", "my.toml")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith('airwire: my.toml:3: chips.x.kind is "ledd", but it is one of led, button')
    assert json.loads(airwire("schema", "board").stdout)["title"] == "Airwire board"


def test_a_header_is_written_anew_only_where_it_differs(airwire: Airwire, tmp_path: Path) -> None:
    header = tmp_path / "made" / "board.h"
    header.parent.mkdir()
    header.write_bytes(b"\xff is no text")
    assert airwire("board", "header", "pico", "--out", "made").returncode == 0
    text = airwire("board", "header", "pico").stdout
    assert header.read_text() == text and "#define BOARD_CRYSTAL_HZ 12000000u" in text
    before = header.stat().st_mtime_ns
    assert airwire("board", "header", "pico", "--out", "made").returncode == 0
    assert header.stat().st_mtime_ns == before
    refused = airwire("board", "header", "pico", "--out", "made/board.h/below")
    assert refused.returncode == 2 and "cannot write it" in refused.stderr and refused.stderr.count("\n") == 1


def test_a_board_of_the_users_own_is_used(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    (tmp_path / "loop.toml").write_text(
        "mcu = 'rp2040'\n[chips.wire]\nkind = 'wire'\npin = 19\nto = 16\n", encoding="ascii"
    )
    done = airwire("board", "run", images / "spi_poll.elf", "--board", "loop.toml")
    assert "pins, 8 bits, clk_peri / 12: 34 45 56 67 78 89 9a ab" in done.stdout
    noted = airwire("board", "run", images / "hello_uart.elf", "--board", "w5500-evb-pico", "--for", "20ms")
    assert noted.stderr == ""


def test_a_board_that_was_named_without_the_chip_of_its_image_is_said_with_boards_that_have_it(
    airwire: Airwire, firmware: Path, images: Path
) -> None:
    image = firmware / "w5500-evb-pico" / "pingpong_client-hardware.elf"
    lines = airwire("board", "run", image, "--board", "pico", "--for", "100ms").stderr.splitlines()
    assert lines == [
        "airwire: note: the image talks to a W5500, and board pico has no network chip; w5500-evb-pico has it there: "
        "--board w5500-evb-pico"
    ]
    # Frames on an SPI bus are no network chip.
    assert airwire("board", "run", images / "spi_poll.elf", "--board", "pico", "--for", "1s").stderr == ""
