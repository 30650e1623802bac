"""What an interrupted command and a full disk leave of every output: the whole of a file, or nothing of it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import typer

from airwire.cli import app
from airwire.cli.paths import Writes, roles_of
from airwire.synthetic import SlottedLink
from command_server import CommandServer

Airwire = Callable[..., subprocess.CompletedProcess[str]]
SUITE = "samples = 50\n\n[links.uart]\npayloads = [12]\n"
ENVIRONMENT = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
LIMIT_BYTES = 100
BOARD = ["--board", "w5500-evb-pico"]
SESSION = ["--instrument", "sigrok:./session.vcd", "--samples", "3"]
SWEEP = ["suite.toml", "--workers", "1"]
TUNE = ["lora", "--payload", "12B", "--goal", "min p95", "--budget", "4", "--samples", "100", "--workers", "1"]
# Three messages, which are few bytes as a capture.
SESSION_VCD = """$timescale 1 us $end
$scope module session $end
$var wire 1 ! D0 $end
$var wire 1 " D1 $end
$upscope $end
$enddefinitions $end
#0 0! 0"
#100 1!
#110 0! 1"
#120 0"
#200 1!
#213 0! 1"
#220 0"
#300 1!
#311 0! 1"
#320 0"
"""
# What each output's command works on; `IMAGE` and `SERVER` stand for firmware images, `PEER` for a board at an address,
# `PORT` for a free port.
RECIPES: dict[tuple[str, str], list[str]] = {
    ("run", "out"): ["suite.toml", "--captures"],
    ("run", "report"): ["suite.toml", "--out", "kept"],
    ("run", "figures"): ["suite.toml", "--out", "kept"],
    ("why", "out"): ["IMAGE"],
    ("why", "report"): ["IMAGE", "--out", "kept"],
    ("probe", "out"): ["ping", "127.0.0.1", "--set", "count=20", "--set", "interval=1ms"],
    ("probe", "report"): ["ping", "127.0.0.1", "--set", "count=20", "--set", "interval=1ms", "--out", "kept"],
    ("twin", "out"): ["SERVER", "--address", "PEER", "--samples", "50"],
    ("twin", "report"): ["SERVER", "--address", "PEER", "--samples", "50", "--out", "kept"],
    ("serve", "out"): ["pingpong", "--for", "300ms", "--set", "port=PORT"],
    ("serve", "report"): ["pingpong", "--for", "300ms", "--set", "port=PORT", "--out", "kept"],
    ("explain", "figure"): ["run", "--changes", "0"],
    ("explain", "perfetto"): ["run", "--changes", "0"],
    ("capture", "out"): SESSION,
    ("capture", "run_folder"): [*SESSION, "--out", "kept/a.csv"],
    ("capture", "report"): [*SESSION, "--out", "kept/a.csv"],
    ("capture", "figures"): [*SESSION, "--out", "kept/a.csv"],
    ("flash", "drive"): ["IMAGE"],
    ("analyze", "out"): ["12B.csv"],
    ("analyze", "report"): ["12B.csv"],
    ("analyze", "figures"): ["12B.csv"],
    ("report", "out"): ["run"],
    ("report", "figures"): ["run", "--out", "/dev/null"],
    ("live", "out"): ["suite.toml", "--no-open", "--until-done"],
    ("convert", "destination"): ["12B.csv"],
    ("waveform", "out"): ["12B.csv", "--to", "1s"],
    ("fsdata", "out"): ["site"],
    ("demo", "out"): [],
    ("sweep", "out"): SWEEP,
    ("sweep", "report"): [*SWEEP, "--out", "kept"],
    ("tune", "out"): [*TUNE, "--cache", "kept"],
    ("tune", "report"): [*TUNE, "--cache", "kept", "--out", "kept/change"],
    ("tune", "cache"): [*TUNE, "--out", "kept"],
    ("board run", "pcap"): ["IMAGE", *BOARD, "--for", "20ms"],
    ("board run", "vcd"): ["IMAGE", *BOARD, "--for", "20ms"],
    ("board run", "trace"): ["IMAGE", *BOARD, "--for", "20ms"],
    ("board run", "write_eeprom"): ["hang.hex", "--board", "arduino-uno", "--for", "1ms"],
    ("board serve", "pcap"): ["IMAGE", "--for", "20ms", "--forward", "PORT:80"],
    ("board profile", "svg"): ["IMAGE", *BOARD, "--for", "20ms"],
    ("board profile", "trace"): ["IMAGE", *BOARD, "--for", "20ms"],
    ("board settings", "out"): ["IMAGE"],
    ("board header", "out"): ["pico"],
    ("history add", "database"): ["run"],
    ("history trend", "report"): ["uart/12B", "--database", "history.sqlite"],
    ("history export", "destination"): ["--database", "history.sqlite"],
}
# It adds to a history as `history add` does, and begins none.
ADDS_TO_WHAT_IS_THERE = {("history first-bad", "database")}
# The run folder, which comes before, has room for its files then.
LIMITS_BYTES = {
    ("board run", "write_eeprom"): 500,
    ("run", "report"): 20_000,
    ("run", "figures"): 20_000,
    ("why", "report"): 200_000,
    ("probe", "report"): 20_000,
    ("twin", "report"): 60_000,
    ("serve", "report"): 20_000,
    ("sweep", "report"): 20_000,
    ("tune", "report"): 60_000,
    ("capture", "run_folder"): 250,
    ("capture", "report"): 20_000,
    ("capture", "figures"): 12_000,
}


def outputs() -> dict[tuple[str, str], Writes]:
    """Every output, as the parser has it."""
    top: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    groups = {name: group for name, group in top.items() if hasattr(group, "commands")}
    below = {f"{name} {one}": command for name, group in groups.items() for one, command in group.commands.items()}
    commands = {name: command for name, command in top.items() if name not in groups} | below
    return {
        (where, name): role
        for where, command in commands.items()
        for name, role in roles_of(command).items()
        if isinstance(role, Writes) and (where, name) not in ADDS_TO_WHAT_IS_THERE
    }


OUTPUTS = outputs()


def option_of(command: str, name: str) -> list[str]:
    """How an output is named on the command line: nothing for an argument."""
    parsed: Any = typer.main.get_command(app)
    for word in command.split():
        parsed = parsed.commands[word]
    (parameter,) = (one for one in parsed.params if one.name == name)
    return [parameter.opts[0]] if parameter.opts[0].startswith("-") else []


@pytest.fixture(scope="module")
def inputs(command_server: CommandServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with something to work on for every command."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "suite.toml").write_text(SUITE)
    SlottedLink(messages=40).write_csv(folder / "12B.csv")
    (folder / "drive").mkdir()
    (folder / "drive/INFO_UF2.TXT").write_text("Board-ID: RPI-RP2\n")
    (folder / "session.vcd").write_text(SESSION_VCD)
    (folder / "hang.hex").write_text(":02000000ffcf30\n:00000001ff\n")
    (folder / "site").mkdir()
    (folder / "site/index.html").write_text("<p>hello")
    # With the library of charts, which a command on a full disk cannot keep for the next.
    line = ["run", "suite.toml", "--out", "run", "--report", os.devnull]
    made = command_server.run(line, folder, ENVIRONMENT, timeout_s=120)
    assert made.returncode == 0, made.stderr
    line = ["history", "add", "run", "--database", "history.sqlite"]
    assert command_server.run(line, folder, ENVIRONMENT, timeout_s=120).returncode == 0
    return folder


OnFullDisk = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def on_a_full_disk(command_server: CommandServer) -> OnFullDisk:
    """Run a command on a system that refuses files of more than some bytes."""

    def run(folder: Path, *arguments: str, limit_bytes: int = LIMIT_BYTES) -> subprocess.CompletedProcess[str]:
        return command_server.run([*arguments], folder, ENVIRONMENT, timeout_s=120, most_file_bytes=limit_bytes)

    return run


@pytest.fixture(scope="module")
def peer() -> Iterator[str]:
    """A board for a twin: a ping-pong server of this computer; its address with the port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve() -> None:
            with suppress(OSError, ValueError):
                while True:
                    with listener.accept()[0] as connection:
                        while text := connection.recv(64):
                            connection.sendall(str(int(text) + 1).encode())

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def free_port() -> int:
    """A TCP port that nobody has."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_every_output_is_in_the_table() -> None:
    assert set(RECIPES) == set(OUTPUTS), "say here what the new output's command works on"


@pytest.mark.parametrize(("command", "name"), RECIPES, ids=[" ".join(one) for one in RECIPES])
def test_a_full_disk_leaves_nothing_of_a_file(
    inputs: Path, firmware: Path, peer: str, on_a_full_disk: OnFullDisk, tmp_path: Path, command: str, name: str
) -> None:
    for entry in inputs.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    role = OUTPUTS[command, name]
    is_folder = role.is_folder or command == "board header"
    out = "out" if is_folder else f"out{(*role.kinds, '.vcd')[0]}"
    if command == "flash":
        out = "drive"
    if command == "capture" and shutil.which("sigrok-cli") is None:
        pytest.skip("sigrok-cli is not installed")
    image = str(firmware / "w5500-evb-pico/pingpong_client-hardware.elf")
    stands_for = {
        "IMAGE": image,
        "SERVER": str(firmware / "w5500-evb-pico/pingpong_server-hardware.elf"),
        "PEER": peer,
        "PORT": str(free_port()),
    }
    words = [stands_for.get(word, word.replace("PORT", stands_for["PORT"])) for word in RECIPES[command, name]]
    line = [*command.split(), *words, *option_of(command, name), out]
    result = on_a_full_disk(tmp_path, *line, limit_bytes=LIMITS_BYTES.get((command, name), LIMIT_BYTES))
    assert result.returncode == 2, (result.stdout, result.stderr)
    assert "cannot write it: " in result.stderr or "cannot be written: " in result.stderr, result.stderr
    assert "Traceback" not in result.stderr
    left = {path.name for path in tmp_path.iterdir()} - {path.name for path in inputs.iterdir()}
    assert left <= {"kept"}, left
    assert [path.name for path in (inputs / "drive").iterdir()] == ["INFO_UF2.TXT"]
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".unfinished")]
    assert not [path for path in inputs.rglob("*") if path.name.startswith(".unfinished")]


def test_a_full_disk_leaves_the_report_that_was_there(inputs: Path, on_a_full_disk: OnFullDisk, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text("<!DOCTYPE html>\nthe report of yesterday\n")
    assert on_a_full_disk(inputs, "report", "run", "--out", str(page)).returncode == 2
    assert page.read_text() == "<!DOCTYPE html>\nthe report of yesterday\n"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("name", ["edges.csv", "edges.csv.xz", "edges.vcd.zst"])
def test_ctrl_c_while_a_capture_is_written_leaves_nothing(tmp_path: Path, name: str) -> None:
    SlottedLink(messages=60_000).write_csv(tmp_path / "12B.csv")
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "convert", "12B.csv", name],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".unfinished*")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in errors) == (130, False), errors
    assert [path.name for path in tmp_path.iterdir()] == ["12B.csv"]


def test_a_recording_that_comes_to_nothing_leaves_no_file(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    image = firmware / "w5500-evb-pico/pingpong_client-hardware.elf"
    result = airwire(
        *("board", "run", image, "--board", "w5500-evb-pico", "--for", "1ms"),
        *("--pcap", "a.pcapng", "--trace", "a.json", "--until", "\\q"),
    )
    assert result.returncode == 2, result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_demo_in_the_working_folder_removes_nothing(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for name in ("run/manifest.json", "precious.txt"):
        (tmp_path / name).write_text("mine")
    result = airwire("demo", "--out", ".")
    assert result.returncode == 2
    assert "this folder holds something, which stays as it is" in result.stderr
    assert (tmp_path / "run/manifest.json").read_text() == (tmp_path / "precious.txt").read_text() == "mine"


def test_a_demo_that_was_stopped_is_in_no_later_demos_way(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    half = tmp_path / "runs/demo/run/samples"
    half.mkdir(parents=True)
    (half / "part-00000.parquet").write_text("as a kill left it")
    result = airwire("demo")
    assert result.returncode == 0, result.stderr
    assert "Report: runs/demo-2/report.html" in result.stdout
    assert (half / "part-00000.parquet").read_text() == "as a kill left it"


@pytest.mark.skipif(os.name != "posix", reason="devices are files on Unix only")
def test_a_device_that_is_named_as_an_output_stays_one(airwire: Airwire, inputs: Path, tmp_path: Path) -> None:
    (tmp_path / "null.csv").symlink_to("/dev/null")
    for before in (("convert", inputs / "12B.csv"), ("report", inputs / "run", "--out")):
        after = ["--overwrite"] if before[0] == "convert" else []
        assert airwire(*before, "null.csv", *after).returncode == 0
    assert Path("/dev/null").is_char_device()


def test_rows_whose_names_differ_in_capitals_have_files_of_their_own(airwire: Airwire, tmp_path: Path) -> None:
    entries = "".join(f'[links.{name}]\nlink = "uart"\npayloads = [12]\n' for name in ("wire", "Wire"))
    (tmp_path / "suite.toml").write_text(f"samples = 50\n{entries}")
    assert airwire("run", "suite.toml", "--out", "run", "--captures").returncode == 0
    names = sorted(path.name for path in (tmp_path / "run/captures").iterdir())
    assert len({name.lower() for name in names}) == 2, names
