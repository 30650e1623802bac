"""The other commands, and what holds for all: help, version, completion, exit codes, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from airwire.synthetic import SlottedLink
from command_server import CommandServer

Airwire = Callable[..., subprocess.CompletedProcess[str]]


def test_help_tells_a_new_user_where_to_start(airwire: Airwire) -> None:
    text = airwire("--help").stdout
    for word in (
        "run",
        "explain",
        "choose",
        "links",
        "link",
        "validate",
        "analyze",
        "compare",
        "report",
        "convert",
        "waveform",
        "demo",
        "Exit",
        "Start with: airwire demo",
    ):
        assert word in text


@pytest.mark.parametrize("group", [(), ("board",)])
def test_commands_without_a_word_more_print_their_help(airwire: Airwire, group: tuple[str, ...]) -> None:
    asked = [airwire(*group, option) for option in ("--help", "-h")]
    asked += [airwire("help", *group), airwire(*group)]
    assert {(result.returncode, result.stderr) for result in asked} == {(0, "")}
    assert len({result.stdout for result in asked}) == 1
    assert asked[0].stdout.startswith("Usage: airwire")


@pytest.mark.parametrize("command", [("run",), ("board", "run")])
def test_help_tells_of_a_command_what_its_option_tells(airwire: Airwire, command: tuple[str, ...]) -> None:
    told = [airwire(*command, "--help"), airwire(*command, "-h"), airwire("help", *command)]
    assert {(result.returncode, result.stderr) for result in told} == {(0, "")}
    assert len({result.stdout for result in told}) == 1
    assert f"Usage: airwire {' '.join(command)} [OPTIONS]" in told[0].stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [(("bord",), "No such command 'bord'. Did you mean 'board'?"), (("run", "x"), "airwire run has no commands")],
)
def test_help_of_what_is_no_command_says_so(airwire: Airwire, words: tuple[str, ...], says: str) -> None:
    result = airwire("help", *words)
    assert (result.returncode, result.stdout) == (2, "")
    assert says in result.stderr


def commands_below(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    for own, command in getattr(group, "commands", {}).items():
        yield f"{name} {own}", command
        yield from commands_below(command, f"{name} {own}")


def test_each_summary_stands_whole_in_a_line_of_80_columns(
    airwire: Airwire, tmp_path: Path, command_server: CommandServer
) -> None:
    import typer

    from airwire.cli import app
    from airwire.cli.summaries import summary

    environment = {**os.environ, "COLUMNS": "80"}
    known = dict(commands_below(typer.main.get_command(app), "airwire"))
    narrow = {
        group: command_server.run([*group.split()[1:], "--help"], tmp_path, environment, 60).stdout
        for group in {name.rpartition(" ")[0] for name in known}
    }
    assert len(known) > 20
    for name, command in known.items():
        group, _, own = name.rpartition(" ")
        line = next(line for line in narrow[group].splitlines() if line.startswith(f"  {own} "))
        assert line.endswith(f"  {summary(command)}") and len(line) <= 80
        assert line.endswith(".") and not line.endswith("..")


def test_a_call_loads_its_own_command_alone() -> None:
    """Each key in a shell that completes is a call."""
    program = (
        "import sys\nfrom airwire.cli import main\ntry:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", program, "link", "gpio"], capture_output=True, text=True, check=True)
    loaded = set(result.stderr.split())
    assert "airwire.cli.link" in loaded
    assert not loaded & {"airwire.cli.run", "airwire.cli.why", "airwire.cli.board", "airwire.cli.history", "polars"}


def test_commands_stand_in_groups_and_the_first_to_try_stands_first(airwire: Airwire) -> None:
    text = airwire("--help").stdout
    headings = ["Simulate:", "Boards:", "Measure:", "Files and help:"]
    places = [text.index(f"\n{heading}\n") for heading in headings]
    assert places == sorted(places)
    assert text[places[0] :].split()[1] == "why"


def test_the_version_is_that_of_the_package(airwire: Airwire) -> None:
    from importlib.metadata import version

    for option in ("--version", "-V"):
        assert airwire(option).stdout == f"airwire {version('airwire')}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_offered_for(airwire: Airwire, shell: str) -> None:
    result = subprocess.run(
        [Path(sys.executable).parent / "airwire"],
        env={**os.environ, "_AIRWIRE_COMPLETE": f"source_{shell}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "airwire" in result.stdout


def test_compare_says_which_is_faster_by_how_much(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(seed=1).write_csv(tmp_path / "before.csv")
    SlottedLink(seed=2, airtime_ns=9_200_000).write_csv(tmp_path / "after.csv")
    content = json.loads(airwire("compare", "before.csv", "after.csv", "--json").stdout)
    assert content["schema"] == "airwire.compare/1"
    low, high = content["shift_interval_ps"]
    assert low < 5_000_000_000 < high
    assert 0.5 < content["a_beats_b"] < 0.8
    text = airwire("compare", "before.csv", "after.csv").stdout
    assert "before.csv is faster than" in text


def write_latencies(path: Path, latencies_us: list[int]) -> None:
    """A capture in which one message after another takes that long, with a trigger each millisecond."""
    rows = ["Time [s],Channel 0,Channel 1", "0,0,0"]
    for number, latency_us in enumerate(latencies_us, 1):
        start = 1000 * number
        edges = [(start, 1, 0), (start + 1, 0, 0), (start + latency_us, 0, 1), (start + latency_us + 1, 0, 0)]
        rows += [f"{us / 1e6:.6f},{trigger},{done}" for us, trigger, done in edges]
    path.write_text("\n".join(rows) + "\n", encoding="ascii")


def test_compare_tells_odds_and_interval_of_the_one_that_it_calls_faster(airwire: Airwire, tmp_path: Path) -> None:
    # Two in five of the first run's messages are slower than any of the other, the rest are faster than all of them.
    write_latencies(tmp_path / "mixed.csv", [100, 900, 101, 102, 901] * 60)
    write_latencies(tmp_path / "even.csv", [150, 151, 152, 153, 154] * 60)
    for order in (("mixed.csv", "even.csv"), ("even.csv", "mixed.csv")):
        told = airwire("compare", *order).stdout
        assert "mixed.csv is faster than even.csv by 50 us at the median" in " ".join(told.split())
        assert "a message of mixed.csv beats one of even.csv in 60 %" in " ".join(told.split())
        assert "interval -" not in told.split("median of A")[0]


def test_compare_says_so_where_the_faster_one_loses_more_often(airwire: Airwire, tmp_path: Path) -> None:
    write_latencies(tmp_path / "first.csv", [130, 130, 130, 300, 300] * 60)
    write_latencies(tmp_path / "second.csv", [100, 100, 131, 131, 131] * 60)
    for order in (("first.csv", "second.csv"), ("second.csv", "first.csv")):
        told = " ".join(airwire("compare", *order).stdout.split())
        assert "first.csv is faster than second.csv" in told
        # Three in five of its messages win against three in five of the other's: 36 %.
        assert "a message of first.csv beats one of second.csv in 36 %" in told


def test_compare_of_equal_links_claims_no_difference(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(seed=1).write_csv(tmp_path / "a.csv")
    SlottedLink(seed=2).write_csv(tmp_path / "b.csv")
    assert "cannot be told apart" in airwire("compare", "a.csv", "b.csv").stdout


def test_compare_reads_run_folders(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(seed=1).write_csv(tmp_path / "a.csv")
    airwire("analyze", "a.csv", "--out", "run")
    result = airwire("compare", "run", "a.csv", "--json")
    assert json.loads(result.stdout)["shift_ps"] == 0


def test_a_capture_survives_conversion_to_vcd_and_back(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(messages=40).write_csv(tmp_path / "a.csv")
    assert airwire("convert", "a.csv", "a.vcd").returncode == 0
    assert airwire("convert", "a.vcd", "b.csv.gz").returncode == 0
    latencies = [
        json.loads(airwire("analyze", name, "--json").stdout)["captures"][0]["latency_ps"]
        for name in ("a.csv", "b.csv.gz")
    ]
    assert latencies[0] == latencies[1]


def test_convert_does_not_overwrite_unless_told(airwire: Airwire, tmp_path: Path) -> None:
    SlottedLink(messages=5).write_csv(tmp_path / "a.csv")
    (tmp_path / "b.vcd").write_text("mine")
    refused = airwire("convert", "a.csv", "b.vcd")
    assert refused.returncode == 2
    assert "b.vcd exists already; give --overwrite to replace it, or name another file" in refused.stderr
    assert (tmp_path / "b.vcd").read_text() == "mine"
    assert airwire("convert", "a.csv", "b.vcd", "--overwrite").returncode == 0


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        (None, "no run folder"),
        ("{", "no manifest"),
        ('{"schema": "airwire.run/99"}', "update it"),
    ],
)
def test_a_folder_that_is_no_run_is_one_sentence(
    airwire: Airwire, tmp_path: Path, manifest: str | None, says: str
) -> None:
    (tmp_path / "run").mkdir()
    if manifest is not None:
        (tmp_path / "run/manifest.json").write_text(manifest)
    result = airwire("report", "run")
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_ctrl_c_ends_a_conversion_and_leaves_no_half_file(tmp_path: Path) -> None:
    endless = tmp_path / "endless.csv"
    os.mkfifo(endless)
    command = [sys.executable, "-m", "airwire.cli", "convert", "endless.csv", "out.vcd"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    feed_until_interrupted(process, endless)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["endless.csv"]


def feed_until_interrupted(process: subprocess.Popen[str], pipe: Path) -> None:
    """Feed a capture that never ends into a pipe, press Ctrl-C, and go on until nobody reads."""
    try:
        with pipe.open("w") as file:
            file.write("Time [s],Channel 0,Channel 1\n0.0,0,0\n")
            for second in range(1, 10_000_000):
                file.write(f"{second}.1,1,0\n{second}.2,0,0\n{second}.3,0,1\n{second}.4,0,0\n")
                if second == 20_000:
                    process.send_signal(signal.SIGINT)
    except BrokenPipeError:
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_ctrl_c_ends_cleanly_and_keeps_what_was_finished(tmp_path: Path) -> None:
    SlottedLink(messages=50).write_csv(tmp_path / "a-12B.csv")
    endless = tmp_path / "b-12B.csv"
    os.mkfifo(endless)
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "analyze", "a-12B.csv", "b-12B.csv", "--out", "run"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    feed_until_interrupted(process, endless)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, (output, errors)
    assert "Traceback" not in errors
    assert "stopped by Ctrl-C; 1 capture was finished and kept" in errors
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert [capture["run"] for capture in manifest["captures"]] == ["a-12B.csv"]
