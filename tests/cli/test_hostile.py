"""Hostile input at every command: one sentence, no traceback, nothing that a terminal obeys, and no file lost.

The cases are derived from the parser, so that a new command or a new parameter is walked through as well. Most run in
this process, as hundreds of them take a second together.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

import airwire
from airwire.cli import app
from airwire.cli.complaints import EXIT_BAD_INPUT
from airwire.cli.guard import EXIT_FAULT, code_of
from airwire.cli.paths import Reads, Writes, roles_of
from airwire.cli.plain import one_line, plain
from airwire.synthetic import SlottedLink
from command_server import CommandServer

Airwire = Callable[..., subprocess.CompletedProcess[str]]
ROOT: Any = typer.main.get_command(app)
EVIL = "\x1b[2J\x9b31m\u202ex\n"
"""Clears a screen, turns it red, writes from right to left, and begins a line."""
HOSTILE = (EVIL, "x" * 100_000, "1" + " " * 100_000 + "!")
"""With two that patterns of numbers, of units and of bounds must not try to match in every way."""
MOST_SAID = 1400
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
# What each command is given beside the hostile value, so that it ends at once: of files, none is there.
BASE: dict[str, list[str]] = {
    "why": ["absent.elf"],
    "demo": [],
    "run": ["absent.toml"],
    "sweep": ["absent.toml"],
    "choose": ["--loss", "0.1%", "--link", "absent"],
    "tune": ["absent.elf"],
    "links": ["absent"],
    "link": ["absent"],
    "validate": ["--captures", "absent"],
    "flash": ["absent.uf2"],
    "probe": ["absent", "127.0.0.1"],
    "serve": ["absent"],
    "twin": ["absent.elf", "--address", "127.0.0.1"],
    "capture": ["--instrument", "absent:x"],
    "analyze": ["absent.csv"],
    "explain": ["absent.csv"],
    "compare": ["absent.csv", "absent-as-well.csv"],
    "report": ["absent"],
    "live": ["absent.elf", "--no-open"],
    "convert": ["absent.csv", "out.vcd"],
    "waveform": ["absent.csv", "--out", "out.svg"],
    "fsdata": ["absent"],
    "schema": ["absent"],
    "help": ["absent"],
    "history add": ["absent"],
    "history list": [],
    "history trend": ["absent"],
    "history first-bad": ["absent", "--good", "a", "--bad", "b"],
    "history export": ["out.json"],
    "board run": ["absent.elf"],
    "board serve": ["absent.elf", "--forward", "0:80"],
    "board profile": ["absent.elf"],
    "board settings": ["absent.elf"],
    "board list": ["absent"],
    "board check": ["absent.toml"],
    "board header": ["absent"],
}
# With --out alone, which is walked through in test_outputs.py.
ENDS_WELL = {"demo"}


def commands(group: Any = ROOT, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command, as the parser has it."""
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        yield from commands(command, whole) if hasattr(command, "commands") else [(whole, command)]


COMMANDS = dict(commands())


def lines_with(command: str, value: str, only: type | None = None) -> Iterator[tuple[str, list[str]]]:
    """A command line for each parameter that takes a value, with this value; what is written is left out."""
    roles = roles_of(COMMANDS[command])
    base = [*command.split(), *BASE[command]]
    arguments = 0
    for parameter in COMMANDS[command].params:
        is_option = parameter.opts[0].startswith("-")
        place = len(command.split()) + arguments
        arguments += not is_option
        role = roles.get(parameter.name)
        if isinstance(role, Writes) or getattr(parameter, "is_flag", False) or (only and not isinstance(role, only)):
            continue
        if not is_option:
            yield parameter.name, [*base[:place], value, *base[place + 1 :]]
        elif parameter.opts[0] in base:
            at = base.index(parameter.opts[0]) + 1
            yield parameter.name, [*base[:at], value, *base[at + 1 :]]
        else:
            yield parameter.name, [*base, parameter.opts[0], value]


class Said:
    """Runs command lines in this process as the guard does, and checks what all refusals have in common."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self._capsys = capsys
        self._folder = folder

    def __call__(self, line: Sequence[str]) -> str:
        before = sorted(self._folder.rglob("*"))
        code = code_of(lambda: ROOT.main([*line], prog_name="airwire", standalone_mode=False))
        said = self._capsys.readouterr().err
        assert code == EXIT_BAD_INPUT, (line, code, said)
        self.check(line, said)
        assert sorted(self._folder.rglob("*")) == before, line
        return said

    @staticmethod
    def check(line: Sequence[str], said: str) -> None:
        """One sentence, of a length that is read, with nothing in it that a terminal obeys."""
        assert "Traceback" not in said and "panicked" not in said, (line, said)
        assert not OBEYED.search(said), (line, said)
        told = [one for one in said.splitlines() if one.startswith(("airwire: ", "Error: "))]
        usage = [one for one in said.splitlines() if one.startswith(("Usage: ", "Try '")) or not one.strip()]
        notes = [one for one in said.splitlines() if one.startswith("airwire: board ")]
        wrapped = [one for one in said.splitlines() if one.startswith("           ")]
        assert len(told) >= 1, (line, said)
        assert len(told) - len(notes) <= 2 and len(said.splitlines()) == len(told) + len(usage) + len(wrapped), said
        assert max(map(len, told)) <= MOST_SAID, (line, said)


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """A check of refusals, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Said(capsys, tmp_path)


def test_every_command_is_walked_through() -> None:
    assert set(BASE) == set(COMMANDS), "say here with what the new command ends at once"


@pytest.mark.parametrize("command", sorted(set(BASE) - ENDS_WELL))
def test_a_hostile_value_is_refused_in_one_plain_sentence(refused: Said, command: str) -> None:
    for value in HOSTILE:
        for name, line in lines_with(command, value):
            begun = time.monotonic()
            refused(line)
            assert time.monotonic() - begun < 10, (name, value[:8])


@pytest.mark.parametrize("command", sorted(set(BASE) - ENDS_WELL))
def test_a_file_that_is_none_is_refused(refused: Said, tmp_path: Path, command: str) -> None:
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 64)
    (tmp_path / "noise.toml").write_bytes(b"\xff\xfe\x00[" * 40)
    (tmp_path / "empty.toml").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    with (tmp_path / "huge.toml").open("wb") as huge:
        huge.truncate(10 << 30)
    names = ["noise", "noise.toml", "empty.toml", "folder", "dangling", "huge.toml", "/dev/zero", ""]
    for name in names:
        for _, line in lines_with(command, name, Reads):
            if not (name == "folder" and command in ("fsdata", "validate", "analyze")):
                refused(line)


@pytest.mark.parametrize("command", sorted(set(BASE) - ENDS_WELL))
def test_an_empty_path_is_not_the_working_folder(refused: Said, command: str) -> None:
    for name, line in lines_with(command, "", Reads):
        assert "an empty path names no file" in refused(line), name


def test_an_empty_value_that_is_no_path_is_not_taken_for_one(refused: Said) -> None:
    assert "empty path" not in refused(["analyze", "absent.csv", "--trigger", ""])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("command", sorted(set(BASE) - ENDS_WELL))
def test_a_pipe_that_nobody_writes_is_refused(refused: Said, tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.toml")
    begun = time.monotonic()
    lines = [line for name in ("pipe", "pipe.toml") for _, line in lines_with(command, name, Reads)]
    for line in lines:
        refused(line)
    assert time.monotonic() - begun < 10 + 3 * len(lines)


TIMES = [
    (["analyze", "12B.csv", "--gate", "0s"], "gate is 0 s, but it takes more than 0s"),
    (["analyze", "12B.csv", "--gate", "-5ms"], "gate is -5 ms, but it takes more than 0s"),
    (["analyze", "12B.csv", "--glitch", "-1us"], "glitch is -1 us, but it takes 0s or more"),
    (["analyze", "12B.csv", "--min-latency", "-1us"], "min_latency is -1 us, but it takes 0s or more"),
    (["analyze", "12B.csv", "--max-latency", "0s", "--pairing", "fifo"], "max_latency is 0 s, but it takes more"),
    (["report", "run", "--gate", "-1s"], "gate is -1 s, but it takes more than 0s"),
    (["board", "run", "absent.elf", "--for", "0s"], "0s is no time for anything to happen in"),
    (["board", "run", "absent.elf", "--for", "-5ms"], "-5ms is no time for anything to happen in"),
    (["board", "serve", "absent.elf", "--forward", "0:80", "--for", "-5ms"], "is no time for anything to happen in"),
    (["probe", "ping", "127.0.0.1", "--for", "-1s"], "-1s is no time for anything to happen in"),
    (["probe", "ping", "127.0.0.1", "--set", "interval=0s"], 'interval is "0s", but takes'),
    (["choose", "--p95", "20ms", "--every", "0s"], "every is 0 s, but messages come one after the other"),
    (["choose", "--p95", "-20ms"], "but every message takes time"),
    (["capture", "--instrument", "sigrok:x", "--limit", "0s"], "is no time for anything to happen in"),
]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a capture and a run of it."""
    folder = tmp_path_factory.mktemp("measured")
    SlottedLink(messages=40).write_csv(folder / "12B.csv")
    airwire.analyze(folder / "12B.csv", out=folder / "run", intervals=False, findings=False)
    return folder


@pytest.fixture
def refused_there(refused: Said, measured: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """The same, in that folder."""
    monkeypatch.chdir(measured)
    return refused


@pytest.mark.parametrize(("line", "says"), TIMES, ids=[" ".join(line)[:60] for line, _ in TIMES])
def test_a_time_that_means_nothing_is_refused(refused_there: Said, line: list[str], says: str) -> None:
    assert says in refused_there(line)


def test_times_that_mean_nothing_are_refused_in_python_too(measured: Path) -> None:
    for given in ({"gate": 0}, {"gate": "-1 ms"}, {"glitch": -1}, {"min_latency": -1}, {"max_latency": 0}):
        with pytest.raises(airwire.AirwireError, match="but it takes"):
            airwire.analyze(measured / "12B.csv", **given)
    with pytest.raises(airwire.AirwireError, match="gate is 0 s"):
        airwire.load_run(measured / "run", gate=0)


def test_a_capture_with_one_message_is_explained(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(messages=1).write_csv(tmp_path / "one-12B.csv")
    done = airwire("explain", "one-12B.csv", "--link", "lora", "--changes", "0")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_good_captures_of_a_batch_are_analysed_beside_the_bad_ones(airwire: Airwire, tmp_path: Path) -> None:
    (tmp_path / "captures").mkdir()
    SlottedLink(messages=40).write_csv(tmp_path / "captures/a-12B.csv")
    os.mkfifo(tmp_path / "captures/b-12B.csv")
    (tmp_path / "captures/c-12B.csv").symlink_to("/dev/zero")
    (tmp_path / "captures/d-12B.csv").symlink_to("nowhere")
    (tmp_path / "captures/e-12B.csv").write_bytes(b"\x00noise")
    done = airwire("analyze", "captures", "captures/b-12B.csv", "captures/c-12B.csv", "captures/e-12B.csv", "--json")
    assert done.returncode == EXIT_BAD_INPUT
    assert [Path(one["path"]).name for one in json.loads(done.stdout)["captures"]] == ["a-12B.csv"]
    assert "b-12B.csv: cannot open it: nobody writes to this pipe" in done.stderr
    assert "c-12B.csv: cannot open it: this is a device" in done.stderr
    assert "e-12B.csv" in done.stderr


def test_names_that_a_terminal_would_obey_are_shown(airwire: Airwire, tmp_path: Path) -> None:
    folder = tmp_path / "a\x1b[31m\x9b"
    folder.mkdir()
    for name in ("12B.csv", "12B-\udcff\x07.csv"):
        SlottedLink(messages=40).write_csv(folder / name)
    (tmp_path / "suite.toml").write_text(
        'samples = 9\npayloads = [12]\n[links."e\\u001b[2J\\u009b</script>"]\nlink = "uart"\n'
    )
    done = [
        airwire("analyze", folder.name, "--out", "run", "--report", "page\x1b.html"),
        airwire("run", "suite.toml", "--out", "links"),
        airwire("explain", "links", "--changes", "0", "--figure", "figure.html"),
        airwire("compare", "run:x\x1b", "links"),
    ]
    assert [one.returncode for one in done] == [0, 0, 0, 2]
    for one in done:
        assert not OBEYED.search(one.stdout + one.stderr), one
    assert r"a\e[31m" in done[0].stdout
    page = (tmp_path / "figure.html").read_text(encoding="utf-8")
    assert page.count("<script") == page.count("</script>") and r"\u003c/script>" in page


def test_json_is_json_whatever_names_hold_and_in_every_locale(command_server: CommandServer, tmp_path: Path) -> None:
    SlottedLink(messages=40).write_csv(tmp_path / "12B-\x9b\x1b\u00b5.csv")
    line = ["analyze", "12B-\x9b\x1b\u00b5.csv", "--json"]
    shell = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    other = subprocess.run([sys.executable, "-m", "airwire.cli", *line], cwd=tmp_path, env=shell, capture_output=True)
    here = command_server.run(line, tmp_path, {**os.environ}, timeout_s=60)
    for printed in (here.stdout.encode(), other.stdout):
        assert not OBEYED.search(printed.decode())
        assert json.loads(printed)["captures"][0]["path"].startswith("12B-")
    assert json.loads(here.stdout)["captures"][0]["path"] == "12B-\x9b\x1b\u00b5.csv"


def test_a_file_whose_name_is_no_text_is_analysed(tmp_path: Path) -> None:
    SlottedLink(messages=40).write_csv(tmp_path / "12B-\udcff.csv")
    line = [sys.executable, "-m", "airwire.cli", "analyze", "12B-\udcff.csv", "--out", "run", "--json"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    kept = json.loads((tmp_path / "run/environment.json").read_text(encoding="utf-8"))
    assert r"12B-\udcff.csv" in kept["command"]


def test_text_of_others_is_shown_and_our_own_lines_stay() -> None:
    assert plain("a\x1b[2J\n\tb\x9b\u202e\udcff\r") == "a\\e[2J\n\tb\\x9b\\u202e\\udcff\\r"
    assert one_line("a\nb\tc") == r"a\nb\tc"
    long = one_line("x" * 1_000_000)
    assert len(long) < MOST_SAID and "998800 characters" in long


def test_a_fault_of_our_own_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def fault() -> None:
        raise ZeroDivisionError("division\nby zero")

    assert code_of(fault) == EXIT_FAULT
    said = capsys.readouterr().err
    assert said.startswith(
        "airwire: this is a fault of Airwire itself, please report it: ZeroDivisionError at test_host"
    )
    assert said.count("\n") == 1
