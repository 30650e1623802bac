"""Bounds of a suite on the command line: exit code, a line for each that is broken, JSON, manifest, and its readers."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench_suites import write

import airwire as package
from airwire.bounds import Bound
from airwire.explain.bounds import bound_text, measured_text
from command_server import CommandServer

MOCKED = Path(__file__).resolve().parents[1] / "mocked.py"
MS = 10**9
LINKS = """
samples = 100
payloads = [12]
[links.uart.bounds]
p95 = "<= 2 ms"
loss = "<= 1 %"
[links.lora]
"""
BOARD = """
[boards.pingpong]
samples = 100
[boards.pingpong.bounds]
messages_per_second = ">= 3000"
max = "<= 4 ms"
"""
Airwire = Callable[..., subprocess.CompletedProcess[str]]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path, command_server: CommandServer) -> Run:
    """Run a suite on mocks whose messages take what is said, into the folder ``run``."""

    def run(text: str, latencies_ps: list[int | None], *options: str) -> subprocess.CompletedProcess[str]:
        plan = json.dumps({"mocks": {"others": {"latencies_ps": latencies_ps}}})
        words = [plan, "run", str(write(tmp_path, text)), "--out", "run", *options]
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
        return command_server.run(words, tmp_path, environment, timeout_s=60, program=MOCKED)

    return run


def kept(folder: Path) -> dict[str, Any]:
    rows = json.loads((folder / "run" / "manifest.json").read_text())["rows"]
    return {row["run"]: row.get("bounds") for row in rows}


def test_bounds_that_hold_are_counted_and_the_run_exits_with_0(run: Run, tmp_path: Path) -> None:
    done = run(LINKS, [MS])
    assert (done.returncode, done.stderr) == (0, "")
    assert "Bounds: all of 2 hold.\n" in done.stdout
    p95 = {"quantity": "p95", "relation": "<=", "limit": 2 * MS, "unit": "ps", "measured": MS, "holds": True}
    loss = {"quantity": "loss", "relation": "<=", "limit": 0.01, "unit": "1", "measured": 0, "holds": True}
    assert kept(tmp_path) == {"uart/12B": [p95, loss], "lora/12B": None}


def test_a_broken_bound_is_one_line_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    done = run(LINKS, [3 * MS, *[MS] * 8, None])
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "airwire: uart/12B: p95 <= 2 ms is broken: 3 ms",
        "airwire: uart/12B: loss <= 1 % is broken: 10 %",
    ]
    assert "Bounds: 0 of 2 hold.\n" in done.stdout
    assert "Run folder: run" in done.stdout
    assert [bound["holds"] for bound in kept(tmp_path)["uart/12B"]] == [False, False]


def test_a_broken_bound_names_what_takes_the_time_of_a_link(airwire: Airwire, tmp_path: Path) -> None:
    suite = write(tmp_path, 'samples = 100\npayloads = [12]\n[links.lora.bounds]\np95 = "<= 20 ms"\n')
    done = airwire("run", suite, "--out", "run")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("airwire: lora/12B: p95 <= 20 ms is broken: ")
    assert " % goes to packet on the air" in line


def test_a_broken_bound_names_the_cause_and_the_change_of_a_board(
    airwire: Airwire, images: Path, tmp_path: Path
) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_text(
        '[boards.poll]\nfirmware = "wiznet_settings.elf"\nskip = 1\n'
        "settings = { interrupts = false, poll_ms = 20, rounds = 100 }\n"
        '[boards.poll.bounds]\nmessages_per_second = ">= 100"\nflash = "<= 1 KiB"\nram = "<= 264 KiB"\n'
    )
    done = airwire("run", suite, "--firmware", images, "--out", "run", "--json")
    assert done.returncode == 1, done.stderr
    rate, flash = done.stderr.splitlines()
    assert rate.startswith("airwire: poll: messages_per_second >= 100 messages/s is broken: ")
    assert " % waits for a poll every 20 ms: wire the INT pin; " in rate
    assert flash.startswith("airwire: poll: flash <= 1 KiB is broken: ")
    content = json.loads(done.stdout)
    image = images / "wiznet_settings.elf"
    assert [(bound["quantity"], bound["holds"]) for bound in content["bounds"]] == [
        ("messages_per_second", False),
        ("flash", False),
        ("ram", True),
    ]
    assert content["bounds"][0]["sentence"] == rate.removeprefix("airwire: ")
    told = subprocess.run(["arm-none-eabi-size", "-A", image], capture_output=True, text=True, check=True).stdout
    sections = [(int(size), int(at)) for size, at in re.findall(r"^\.\S+ +(\d+) +(\d+)$", told, re.MULTILINE)]
    assert content["bounds"][2]["measured"] == sum(size for size, at in sections if 0x2000_0000 <= at < 0x2004_2000) > 0
    # The binary of the same build is the flash from its beginning to the last byte.
    assert content["bounds"][1]["measured"] == image.with_suffix(".bin").stat().st_size


def test_a_row_without_a_figure_breaks_its_bounds(run: Run) -> None:
    done = run(BOARD, [None])
    assert done.returncode == 1
    assert "airwire: pingpong: messages_per_second >= 3000 messages/s is broken: there is no such figure" in done.stderr
    assert "airwire: pingpong: max <= 4 ms is broken: there is no such figure" in done.stderr


def test_an_image_that_does_not_say_its_ram_is_refused_before_anything_runs(
    airwire: Airwire, images: Path, tmp_path: Path
) -> None:
    suite = write(tmp_path, '[boards.poll]\nfirmware = "wiznet_settings.uf2"\nbounds = { ram = "<= 40 KiB" }\n')
    done = airwire("run", suite, "--firmware", images, "--out", "run")
    assert done.returncode == 2
    assert done.stderr.endswith(
        "suite.toml:1: boards.poll.bounds.ram: wiznet_settings.uf2 does not say how much RAM it takes; name the ELF of "
        "the same build, or leave the bound out\n"
    )
    assert not (tmp_path / "run").exists()


def test_a_bound_on_the_energy_of_a_board_without_known_currents_is_refused_before_anything_runs(
    airwire: Airwire, firmware: Path, tmp_path: Path
) -> None:
    board = "goldilocks-1284p-w5100"
    row = f'board = "{board}"\nfirmware = "{board}/pingpong_client-small.elf"\nsamples = 5\n'
    suite = write(tmp_path, f'[boards.echo]\n{row}bounds = {{ energy = "<= 1 mJ" }}\n')
    done = airwire("run", suite, "--firmware", firmware, "--out", "run")
    assert done.returncode == 2
    assert done.stderr.endswith(
        f"suite.toml:1: boards.echo.bounds.energy: no current is known of any part of board {board}, so that a message "
        "has no energy; leave the bound out\n"
    )
    assert not (tmp_path / "run").exists()


def test_bounds_are_there_when_a_run_is_read_again(run: Run, airwire: Airwire, tmp_path: Path) -> None:
    run(LINKS, [3 * MS, *[MS] * 8, None])
    rows = {row.path: row.bounds for row in package.load_run(tmp_path / "run").captures}
    assert rows["lora/12B"] == ()
    assert rows["uart/12B"][1] == Bound("loss", "<=", 0.01, "1", 0.1, False)
    shown = airwire("explain", "run", "--changes", "0").stdout
    assert "- uart/12B: p95 <= 2 ms is broken: 3 ms\n" in shown
    assert "Bounds:" not in airwire("explain", "run", "--changes", "0", "--only", "lora").stdout


@pytest.mark.parametrize(
    ("bound", "text", "measured"),
    [
        (Bound("p95", "<=", 5e9, "ps", 5_000_100_000, False), "p95 <= 5 ms", "5.0001 ms"),
        (Bound("flash", "<=", 65536, "B", 65540, False), "flash <= 64 KiB", "65540 bytes"),
        (Bound("ram", "<", 1000, "B", 512 * 1024, False), "ram < 1000 bytes", "512 KiB"),
        (Bound("loss", "<=", 0.001, "1", 0.00104, False), "loss <= 0.1 %", "0.104 %"),
        (
            Bound("bits_per_second", ">=", 1e7, "bit/s", 12_345_678, True),
            "bits_per_second >= 10 Mbit/s",
            "12.35 Mbit/s",
        ),
        (
            Bound("messages_per_second", ">=", 3000, "messages/s", 2999.99, False),
            "messages_per_second >= 3000 messages/s",
            "2999.99 messages/s",
        ),
    ],
)
def test_figures_have_so_many_digits_that_they_differ_from_their_limit(bound: Bound, text: str, measured: str) -> None:
    assert (bound_text(bound), measured_text(bound)) == (text, measured)


def test_the_report_begins_with_the_bounds_the_broken_ones_first(airwire: Airwire, tmp_path: Path) -> None:
    suite = write(
        tmp_path,
        'samples = 60\npayloads = [12]\n[links.uart.bounds]\np95 = "<= 1 s"\n[links.lora.bounds]\np95 = "<= 9 ms"\n',
    )
    assert airwire("run", suite, "--out", "run", "--report", "now.html").returncode == 1
    page = (tmp_path / "now.html").read_text(encoding="utf-8")
    assert airwire("report", "run", "--out", "later.html").returncode == 0
    assert page == (tmp_path / "later.html").read_text(encoding="utf-8")
    begins = page.index("<h2>1 of 2 bounds broken</h2>")
    assert page.index("<main") < begins < page.index("<section id='rows'")
    section = page[begins : page.index("</section>", begins)]
    assert section.index("lora/12B") < section.index("uart/12B")
    assert "<td data-name='Holds'>no</td>" in section
    assert " % goes to packet on the air" in section
