"""Every option of every command is used or refused: none does nothing in silence.

The list of options comes from the parser. Each is read by its command, and some test gives it to the command. What goes
together with nothing is in a table of refusals.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import airwire
from airwire import AirwireError
from airwire.cli import app
from airwire.synthetic import SlottedLink

TESTS = Path(__file__).resolve().parents[1]
ROOT: Any = typer.main.get_command(app)
IMAGE = "absent.elf"


def commands(group: Any = ROOT, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command, as the parser has it."""
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        yield from commands(command, whole) if hasattr(command, "commands") else [(whole, command)]


COMMANDS = dict(commands())
OPTIONS = [
    (where, next(spelling for spelling in parameter.opts if spelling.startswith("--")))
    for where, command in COMMANDS.items()
    for parameter in command.params
    if parameter.opts[0].startswith("-")
]
# Options that no other file gives.
GIVEN_BELOW = {
    ("validate", "--seed"),
    ("twin", "--seed"),
    ("explain", "--trigger"),
    ("live", "--network"),
    ("live", "--seed"),
    ("live", "--open"),
    ("live", "--port"),
    ("convert", "--channel"),
    ("board serve", "--symbols"),
    ("board serve", "--rom"),
    ("board serve", "--seed"),
    ("board profile", "--seed"),
}


def words_of_tests() -> list[set[str]]:
    """The words of each test's file, and of each document whose console blocks are tests; this file only refuses."""
    documents = [path for path in (TESTS.parent / "docs").rglob("*.md") if path.parent.name != "reference"]
    files = [*(path for path in TESTS.rglob("test_*.py") if path.name != Path(__file__).name), *documents]
    return [set(re.findall(r"[\w-]+", path.read_text(encoding="utf-8"))) for path in files]


@pytest.fixture(scope="module")
def words() -> list[set[str]]:
    """The same, read once."""
    return words_of_tests()


@pytest.mark.parametrize("where", COMMANDS)
def test_a_command_reads_every_parameter_that_it_takes(where: str) -> None:
    function = inspect.unwrap(COMMANDS[where].callback)
    body = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    read = {node.id for node in ast.walk(body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assert set(inspect.signature(function).parameters) - {"ctx"} <= read


@pytest.mark.parametrize("where", COMMANDS)
def test_every_option_is_given_by_a_test(words: list[set[str]], where: str) -> None:
    options = [option for command, option in OPTIONS if command == where and (where, option) not in GIVEN_BELOW]
    names = set(where.split())
    assert [one for one in options if not any({one} | names <= found for found in words)] == []


REFUSED = [
    (["explain", "run", "--link", "lora"], "--link"),
    (["explain", "run", "--set", "sf=9"], "--set"),
    (["explain", "run", "--payload", "12B"], "--payload"),
    (["explain", "run", "--trigger", "1"], "--trigger"),
    (["explain", "run", "--done", "0"], "--done"),
    (["explain", "run", "--seed", "7"], "--seed"),
    (["explain", "run", "--changes", "0", "--workers", "2"], "--workers"),
    (["explain", "12B.csv", "--link", "lora", "--only", "x"], "--only"),
    (["explain", "12B.csv", "--link", "lora", "--packets", "12B.csv"], "--packets"),
    (["explain", "12B.csv", "--link", "lora", "--perfetto", "new.json"], "--perfetto"),
    (["compare", "run", "run", "--trigger", "1"], "--trigger"),
    (["compare", "run", "run", "--done", "0"], "--done"),
    (["compare", "run", "run", "--pairing", "fifo"], "--pairing"),
    (["analyze", "12B.csv", "--max-latency", "1s"], "max_latency is for the pairing rule fifo"),
    (["analyze", "12B.csv", "--pairing", "published", "--glitch", "1ms"], "knows neither glitch nor min_latency"),
    (["analyze", "12B.csv", "--pairing", "published", "--min-latency", "1ms"], "knows neither glitch nor min_latency"),
    (["analyze", "12B.csv", "--pairing", "fifo", "--min-latency", "2s", "--max-latency", "1s"], "not above"),
    (["analyze", "12B.csv", "--no-run-folder", "--out", "new"], "--no-run-folder"),
    (["run", "links.toml", "--json", "--all"], "--all"),
    (["run", "links.toml", "--firmware", "."], "suite links.toml runs no images"),
    (["sweep", "links.toml", "--points", "12B.csv", "--over", "baud=9600"], "--over"),
    (["sweep", "links.toml", "--points", "12B.csv", "--latin", "5"], "--latin"),
    (["sweep", "links.toml", "--latin", "5"], "--latin"),
    (["sweep", "links.toml", "--wait", "5s"], "--wait"),
    (["sweep", "links.toml", "--over", "samples=10,20", "--samples", "30"], "samples is 30, and the axes vary samples"),
    (["sweep", "links.toml", "--over", "uart.samples=10,20", "--samples", "30"], "the axes vary samples as well"),
    (["sweep", "links.toml", "--points", "points.csv", "--samples", "30"], "the axes vary samples as well"),
    (["explain", "address", "--changes", "2"], "--changes"),
    (["explain", "address", "--workers", "2"], "--workers"),
    (["sweep", "links.toml", "--scheduler", "tcp://127.0.0.1:1", "--workers", "2"], "--workers"),
    (["history", "first-bad", "row", "--good", "a", "--bad", "b", "--suite", "links.toml"], "--suite"),
    (["live", "run", "--no-open", "--samples", "9"], "--samples"),
    (["live", "history.sqlite", "--no-open", "--seed", "9"], "--seed"),
    (["live", "history.sqlite", "--no-open", "--until-done"], "trends stand alone, until Ctrl-C"),
    *((["live", "links.toml", "--no-open", *given], given[0]) for given in (
        ["--board", "pico"], ["--traffic", "ping"], ["--network", "n.toml"], ["--set", "a=1"], ["--seed", "2"],
    )),
    (["live", "pingpong:127.0.0.1:9", "--no-open", "--board", "pico"], "--board"),
    (["board", "run", IMAGE, "--spi"], "--spi"),
    (["board", "serve", IMAGE, "--forward", "0:80", "--spi"], "--spi"),
    (["board", "run", IMAGE, "--json", "--uart"], "--uart"),
    (["board", "run", IMAGE, "--json", "--usb"], "--usb"),
    (["board", "run", IMAGE, "--interactive", "--json"], "--interactive"),
    (["board", "run", IMAGE, "--interactive", "--until-done", "--traffic", "ping to=board"], "--until-done"),
    (["board", "run", IMAGE, "--gdb", ":0", "--for", "1s"], "--gdb"),
    (["board", "profile", IMAGE, "--json", "--top", "3"], "--top"),
    (["board", "settings", IMAGE, "--set", "a=1"], "--set"),
    (["board", "serve", IMAGE], "--forward"),
    (["flash", IMAGE, "--drive", "new", "--picotool", "12B.csv"], "--picotool"),
    *((["board", "run", "avr.hex", *board, option], option)
      for option in ("--past-faults", "--usb", "--rtt") for board in ([], ["--board", "arduino-uno"])),
    *((["probe", kind, "127.0.0.1:9", "--samples", "5", "--for", "1s"], f"{kind} has no messages")
      for kind in ("throughput", "iperf3")),
    *((["serve", kind, "--samples", "5", "--for", "1s"], f"{kind} has no messages") for kind in ("iperf", "iperf3")),
    (["probe", "ping", "127.0.0.1", "--set", "rounds=5"], "rounds: there is no such option"),
    (["serve", "pingpong", "--set", "requests=5"], "requests: there is no such option"),
    (["link", "lora", "--set", "baud=9600"], "lora has no setting baud"),
    (["capture", "--instrument", "pico:new", "--rate", "24MHz"], "leave --rate out"),
    (["capture", "--instrument", "sigrok:./12B.csv", "--rate", "24MHz"], "leave --rate out"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture, runs of it and of an address where nobody answers, a suite of links, and an image for an AVR."""
    folder = tmp_path_factory.mktemp("options")
    SlottedLink(messages=40).write_csv(folder / "12B.csv")
    airwire.analyze(folder / "12B.csv", out=folder / "run", intervals=False, findings=False)
    airwire.probe("pingpong", "127.0.0.1:1", out=folder / "address")
    (folder / "links.toml").write_text("samples = 50\npayloads = [12]\n[links.uart]\n")
    (folder / "points.csv").write_text("samples\n10\n20\n")
    (folder / "avr.hex").write_text(":02000000FFCF30\n:00000001FF\n")
    return folder


@pytest.mark.parametrize(("line", "says"), REFUSED, ids=[" ".join(line)[:70] for line, _ in REFUSED])
def test_an_option_that_would_do_nothing_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: list[str], says: str
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    with pytest.raises((AirwireError, typer.BadParameter)) as refused:
        ROOT.main([*line], prog_name="airwire", standalone_mode=False)
    hint = getattr(refused.value, "param_hint", None)
    assert hint == says if says.startswith("--") else says in str(refused.value), refused.value
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(("where", "option"), [one for one in OPTIONS if one[1] != "--send"])
def test_an_option_that_is_given_and_empty_is_refused(where: str, option: str) -> None:
    parameter = next(one for one in COMMANDS[where].params if option in one.opts)
    if getattr(parameter, "is_flag", False):
        return
    with pytest.raises(typer.BadParameter) as refused:
        ROOT.main([*where.split(), option, ""], prog_name="airwire", standalone_mode=False)
    assert refused.value.param_hint == option
    assert str(refused.value) in (
        "an empty text says nothing; give a value, or leave it out",
        "an empty path names no file",
    )


@pytest.mark.parametrize("command", ["run", "profile"])
@pytest.mark.parametrize("option", [["--traffic", "ping to=board"], ["--impair", "loss=1%"], ["--network", "net.toml"]])
def test_options_of_a_network_are_refused_on_a_board_without_one(
    images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, option: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.toml").write_text("[pc]\n")
    line = ["board", command, str(images / "hello_uart.elf"), "--board", "pico", *option]
    with pytest.raises(typer.BadParameter, match="board pico has no network") as refused:
        ROOT.main(line, prog_name="airwire", standalone_mode=False)
    assert refused.value.param_hint == option[0]


class HandedOnError(Exception):
    """What a command handed to the interface."""


# Options that no other test gives, the function that is called with them, and what it is to be called with.
HANDED_ON = [
    (["validate", "--captures", ".", "--seed", "7"], "airwire.validate", {"seed": 7}),
    (["twin", "12B.csv", "--address", "127.0.0.1", "--seed", "7"], "airwire.twins.twin", {"seed": 7}),
    (["explain", "12B.csv", "--link", "uart", "--trigger", "1", "--done", "0"],
     "airwire.explain.link.run.explain_capture", {"trigger": "1", "done": "0"}),
    (["live", "12B.csv", "--no-open", "--network", "links.toml", "--seed", "7"],
     "airwire.live.board.BoardSource", {"network": Path("links.toml"), "seed": 7}),
    (["live", "run", "--no-open", "--port", "1234", "--host", "127.0.0.2", "--token", "abc"],
     "airwire.live.running.served", {"port": 1234, "host": "127.0.0.2", "token": "abc"}),
    *(([*line, "--seed", "7", "--symbols", "12B.csv", "--rom", "12B.csv", "--impair", "loss=1%"],
       "airwire.board.virtual.Board",
       {"seed": 7, "symbols": Path("12B.csv"), "rom": Path("12B.csv"), "impair": "loss=1%"})
      for line in (["board", "serve", "12B.csv", "--board", "pico", "--forward", "0:80"],
                   ["board", "profile", "12B.csv", "--board", "pico"])),
]  # fmt: skip


@pytest.mark.parametrize(("line", "function", "handed"), HANDED_ON, ids=[" ".join(one[0])[:70] for one in HANDED_ON])
def test_an_option_reaches_what_it_is_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: list[str], function: str, handed: dict[str, Any]
) -> None:
    def spy(*_values: Any, **given: Any) -> None:
        raise HandedOnError(given)

    monkeypatch.chdir(folder)
    monkeypatch.setattr(function, spy)
    with pytest.raises(HandedOnError) as seen:
        ROOT.main([*line], prog_name="airwire", standalone_mode=False)
    assert {name: seen.value.args[0][name] for name in handed} == handed


def test_a_live_view_is_opened_in_a_browser_unless_told_otherwise(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import contextmanager
    from types import SimpleNamespace

    @contextmanager
    def served(*_values: Any, **_given: Any) -> Iterator[Any]:
        yield SimpleNamespace(url="http://127.0.0.1:1/")

    opened: list[str] = []
    monkeypatch.chdir(folder)
    monkeypatch.setattr("airwire.live.running.served", served)
    monkeypatch.setattr("webbrowser.open", opened.append)
    for option, expected in (["--no-open"], 0), (["--open"], 1), ([], 2):
        assert not ROOT.main(["live", "run", "--until-done", *option], prog_name="airwire", standalone_mode=False)
        assert len(opened) == expected


def test_convert_keeps_the_channels_that_are_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["convert", str(folder / "12B.csv"), "one.csv", "--channel", "1"]
    assert not ROOT.main(line, prog_name="airwire", standalone_mode=False)
    assert (tmp_path / "one.csv").read_text().splitlines()[0] == "Time [s],Channel 1"
